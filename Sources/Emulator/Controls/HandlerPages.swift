internal import System
internal import HTTP
internal import OIDC
internal import IdentityToolkit

extension RequestRouter {
  /// `/emulator/auth/handler`: SDKs send the browser here to sign in with a provider.
  func answerHandler(_ request: HTTPRequest) throws(Refusal) -> ServerResponse {
    if rules[.realProviders] { return HandlerPage.response(pages: authorizedPages) }
    let query = request.url.fields
    guard let key = query["apiKey"], !key.isEmpty,
      let providerID = query["providerId"], !providerID.isEmpty
    else {
      // Firebase's emulator sends this JSON as HTML, so clients expect that.
      return ServerResponse(
        status: 400,
        text: JSON.object([
          "authEmulator": ["error": "missing apiKey or providerId query parameters"]
        ]).encoded(), type: "text/html; charset=utf-8")
    }
    let backend = try projects.main.backend(tenant: query["tid"] ?? query["tenantId"])
    let people = backend.identities(at: ScriptCase.lowered(providerID), limit: WidgetPage.limit + 1)
    return WidgetPage(
      providerID: providerID, provider: backend.configuration.name(ofProvider: providerID),
      tenant: backend.tenantID.map(backend.project.name(ofTenant:)), people: people,
      pages: authorizedPages
    ).response
  }

  /// `/__/auth/handler`: providers send the browser back here, by redirect or by form post.
  func answerCallback(_ request: HTTPRequest) -> ServerResponse {
    guard request.method == "POST" else { return HandlerPage.response(pages: authorizedPages) }
    return HandlerPage.response(
      posted: String(decoding: request.body, as: UTF8.self), pages: authorizedPages)
  }

  /// `/__/auth/links`: when the app is not installed, its link continues in the browser.
  ///
  /// The targets are the same as for the e-mail's own link.
  func followAppLink(_ request: HTTPRequest) throws(Refusal) -> ServerResponse {
    guard let link = request.url.fields["link"], let url = WebURL(link) else {
      throw .invalidArgument("the parameter link must be an absolute http or https URL")
    }
    let own = [context.origin, WebURL(projects.main.actionHandler)?.origin]
    if !own.contains(url.origin) { try projects.main.backend.check(continueURL: link) }
    return ServerResponse(
      status: 302, headers: ["Location": url.description, "Cache-Control": "no-store"])
  }

  /// The pages that may receive a sign-in: those of the main project, to which all API keys belong.
  private var authorizedPages: AuthorizedPages {
    AuthorizedPages(of: projects.main.configuration, rules: rules)
  }

  /// `/emulator/auth/iframe`: the hidden frame of the web SDK in the app's page.
  func answerFrame() -> ServerResponse {
    HandlerShell.frame(pages: authorizedPages, script: SignInScripts.frame)
  }
}

extension Backend {
  /// The linked identities at a provider, up to a limit, in the order of the accounts' ids.
  fileprivate func identities(at providerID: String, limit: Int) -> [LinkedIdentity] {
    var found: [(account: Account, identity: LinkedIdentity)] = []
    var last: String?
    // Enough for tests; a search through all accounts would take longer with each of them.
    while found.count < max(limit, Self.mostSorted) {
      let page = accounts.page(after: last, limit: 1000)
      guard let end = page.last else { break }
      last = end.uid
      found += page.compactMap { account in
        account.identity(at: providerID).map { (account, $0) }
      }
    }
    found.sort { one, other in
      let (first, second) = (one.account.lastLoginAt ?? 0, other.account.lastLoginAt ?? 0)
      return first == second
        ? Account.isListed(one.account, before: other.account) : first > second
    }
    return found.prefix(limit).map(\.identity)
  }

  private static let mostSorted = 2000
}

/// The page that sends the browser to an identity provider and receives it back.
///
/// An SDK that started the sign-in receives the result. Without an SDK, as in luath's own flows and command-line
/// tools, the page shows the final address, which completes the sign-in.
enum HandlerPage {
  /// The page; `posted` is the provider's form post (OAuth 2.0 Form Post Response Mode).
  static func response(posted: String = "", pages: AuthorizedPages) -> ServerResponse {
    HandlerShell.response(
      title: "Sign-in", kind: .oidc,
      content: """
        <p class="notice" id="problem" role="alert" tabindex="-1" hidden></p>
        <p id="busy" role="status">One moment…</p>
        <div id="end" hidden>
        <h1 id="outcome" tabindex="-1">Sign-in finished</h1>
        <p id="advice">You can close this page.</p>
        <p id="reason" class="notice" role="alert" hidden></p>
        <div id="handover" hidden>
        <p><label for="address">If a program asks for the final address, give it this one. It works once, \
        and the address bar does not show it:</label></p>
        <p><input id="address" readonly></p>
        </div>
        </div>
        <input type="hidden" id="posted" value="\(posted)">
        <noscript><p>The address of this page is the final address.</p></noscript>
        """,
      pages: pages, script: SignInScripts.redirect)
  }
}

/// The frame of every sign-in handler page: no external resources, and only its own script.
enum HandlerShell {
  static func response(
    title: String, kind: IdentityProvider.Kind, content: Markup, pages: AuthorizedPages,
    script: String, style: String = ""
  ) -> ServerResponse {
    CardPage(
      title: title, kind: kind, head: "\(pages.element)\n",
      style: EmbeddedAssets.text("handler.css") + style, content: content,
      footer: "A page of the emulator: no real account is used.", script: script,
      policy: "; connect-src 'self'; form-action 'none'"
    ).response()
  }

  /// An invisible page for a frame in the app's page.
  static func frame(pages: AuthorizedPages, script: String) -> ServerResponse {
    let page: Markup = """
      <!DOCTYPE html>
      <html lang="en"><meta charset="utf-8">\(pages.element)<title>Sign-in relay</title>
      <script>\(Markup(raw: script))</script></html>

      """
    return ServerResponse(
      text: page.text,
      type: "text/html; charset=utf-8",
      headers: [
        "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
        "Content-Security-Policy":
          "default-src 'none'; base-uri 'none'; script-src \(ContentPolicy.source(script))",
        "X-Content-Type-Options": "nosniff",
      ])
  }
}

enum SignInScripts {
  /// Lets a tester choose the identity; nothing is verified.
  static let widget = handingBack + EmbeddedAssets.text("widget.js")

  /// Sends the browser to the provider, and returns the result to the app.
  static let redirect = handingBack + EmbeddedAssets.text("redirect.js")

  /// The script of the hidden frame that the web SDK keeps in an app's page.
  ///
  /// The SDK calls it through Google's `gapi.iframes` library. The script reimplements the frame's side of that
  /// library as far as the SDK needs it. A call is a JSON text after `!_`. Its `s` is the called service (calling
  /// frame, called frame and name, separated by colons), `a` the arguments, `c` the call's number when a response is
  /// wanted, and `t` the token that both sides have from the frame's address. A response is a call of `__cb` whose
  /// value is a list of the handlers' results.
  static let frame = AuthorizedPages.script + EmbeddedAssets.text("frame.js")

  /// The code with which a sign-in page returns the result to the app.
  ///
  /// It uses the channels of Firebase's SDKs: a message to the SDK's frame in the page that opened the pop-up, a
  /// session storage entry that the frame reads after a redirect, an intent on Android, and a link with the app's own
  /// scheme on Apple's systems.
  private static let handingBack = AuthorizedPages.script + EmbeddedAssets.text("hand-back.js")
}

/// The web pages that may receive a sign-in: those of the project's authorized domains.
///
/// The sign-in pages check this in the browser, because only the browser knows which page embeds or opened them.
struct AuthorizedPages {
  /// The domains; nil allows every page, as Firebase's emulator does.
  private let domains: [String]?

  init(of project: ProjectConfiguration, rules: Rules) {
    domains =
      rules[.checkedLinks]
      ? project.authorizedDomains + [project.authDomain].compactMap(\.self) : nil
  }

  /// The element that passes the domains to `script`.
  var element: Markup {
    guard let domains else { return .nothing }
    let list = JSON.array(domains.map { .string($0.asciiLowercased) }).encoded()
    return "<meta name=\"authorized-domains\" content=\"\(list)\">"
  }

  /// Defines `isAuthorized(address)` and `unauthorized(address)`, the error for an address that is not authorized.
  ///
  /// As in the web SDK, a domain includes its subdomains; an IP address matches only itself.
  static let script = EmbeddedAssets.text("authorized-pages.js")
}
