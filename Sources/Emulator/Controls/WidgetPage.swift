internal import System
internal import HTTP

/// The page on which a tester chooses the identity at a provider; no provider is contacted.
///
/// It fits the pop-up of the web SDK, 500 by 600 pixels.
struct WidgetPage {
  let providerID: String
  /// The provider's name, such as "Google".
  let provider: String
  /// The name of the tenant; nil for the project's own users.
  let tenant: String?
  /// Identities at the provider that accounts are linked with.
  let people: [LinkedIdentity]
  let pages: AuthorizedPages

  /// The maximum number of identities on one page.
  static let limit = 100

  var response: ServerResponse {
    HandlerShell.response(
      title: "Sign in with \(provider)", kind: kind,
      content: """
        <h1>Sign in with \(provider)</h1>
        <p class="lead">The emulator does not contact \(provider). Choose the user that signs in\
        \(place).</p>
        <p class="notice" id="problem" role="alert" tabindex="-1" hidden></p>
        <noscript><p class="notice">This page needs its script to reach the app.</p></noscript>
        \(known)
        <form id="new">
        <label for="email">E-mail address of a new user</label>
        <input id="email" type="email" required autocomplete="off" autocapitalize="none" \
        spellcheck="false">
        <details><summary>Name, photo and other data</summary>
        <label for="name">Display name (optional)</label>
        <input id="name" autocomplete="off">
        <label for="screenName">Screen name (optional)</label>
        <input id="screenName" autocomplete="off">
        <label for="picture">URL of a photo (optional)</label>
        <input id="picture" type="url" autocomplete="off">
        \(attributes)</details>
        <p class="check"><input type="checkbox" id="verified" checked aria-describedby="verified-hint">
        <label for="verified">\(provider) has verified the address \
        <small id="verified-hint">If not, an address of another account ends in \
        “account exists with different credential”.</small></label></p>
        <div class="row"><button class="quiet" type="button" id="refuse">Deny</button>
        <button class="quiet" type="button" id="generate">Random user</button>
        <button type="submit" id="sign-in">Sign in</button></div>
        </form>
        """,
      pages: pages, script: SignInScripts.widget, style: EmbeddedAssets.text("widget.css"))
  }

  private var place: Markup {
    tenant.map { " to the tenant <bdi>\($0)</bdi>" } ?? .nothing
  }

  private var known: Markup {
    guard !people.isEmpty else { return .nothing }
    let rows = people.prefix(Self.limit).map { person -> Markup in
      let name = person.displayName ?? person.screenName ?? person.email ?? person.rawID
      return """
        <li><button type="button" data-person="\(Self.claims(of: person).encoded())">\
        <span class="sign" aria-hidden="true">\(name.prefix(1).uppercased())</span>\
        <span><b>\(name)</b> <small>\(person.email ?? person.rawID)</small></span></button></li>

        """
    }
    let more: Markup =
      people.count > Self.limit
      ? "<li><small>Only the first \(String(Self.limit)) users are listed.</small></li>" : .nothing
    return """
      <h2>Users who have signed in before</h2>
      <ul class="accounts">
      \(rows)\(more)</ul>
      """
  }

  private static func claims(of person: LinkedIdentity) -> JSON {
    var claims: JSONObject = ["sub": .string(person.rawID)]
    claims.set("email", person.email)
    claims.set("name", person.displayName)
    claims.set("screenName", person.screenName)
    claims.set("picture", person.photoURL)
    return .object(claims)
  }

  private var attributes: Markup {
    guard providerID.utf8.starts(with: "saml.".utf8) else { return .nothing }
    return """
      <label for="attributes">SAML attributes, as a JSON object (optional)</label>
      <input id="attributes" autocomplete="off" spellcheck="false">

      """
  }

  private var kind: IdentityProvider.Kind {
    switch providerID {
    case "microsoft.com": .microsoft
    case "yahoo.com": .yahoo
    case "google.com": .google
    default: .oidc
    }
  }
}
