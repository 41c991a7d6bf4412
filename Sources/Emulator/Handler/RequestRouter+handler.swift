internal import System
internal import HTTP
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
    return WidgetPage(providerID: providerID, people: people, pages: authorizedPages).response
  }

  /// `/__/auth/handler`: providers send the browser back here, by redirect or by form post.
  func answerCallback(_ request: HTTPRequest) -> ServerResponse {
    guard request.method == "POST" else { return HandlerPage.response(pages: authorizedPages) }
    return HandlerPage.response(
      posted: String(decoding: request.body, as: UTF8.self), pages: authorizedPages)
  }
}

extension RequestRouter {
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
}

extension RequestRouter {
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
    var found: [LinkedIdentity] = []
    var last: String?
    while found.count < limit {
      let page = accounts.page(after: last, limit: 1000)
      guard let end = page.last else { break }
      last = end.uid
      found += page.compactMap { $0.identity(at: providerID) }
    }
    return Array(found.prefix(limit))
  }
}
