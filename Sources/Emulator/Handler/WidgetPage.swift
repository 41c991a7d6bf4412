internal import System
internal import HTTP

/// The page on which a tester chooses the identity at a provider; no provider is contacted.
struct WidgetPage {
  let providerID: String
  /// Identities at the provider that accounts are linked with.
  let people: [LinkedIdentity]
  let pages: AuthorizedPages

  /// The maximum number of identities on one page.
  static let limit = 100

  var response: ServerResponse {
    HandlerShell.response(
      title: "Sign in with \(providerID)", kind: kind,
      content: """
        <h1>Sign in with \(providerID)</h1>
        <p class="lead">Nobody is asked at \(providerID): choose who the app shall believe it is.</p>
        <p class="notice" id="problem" role="alert" tabindex="-1" hidden></p>
        <noscript><p class="notice">This page needs its script to reach the app.</p></noscript>
        \(known)
        <h2>Somebody new</h2>
        <form id="new">
        <label for="email">E-mail address</label>
        <input id="email" type="email" required autocomplete="off" autocapitalize="none" \
        spellcheck="false">
        <label for="name">Display name (optional)</label>
        <input id="name" autocomplete="off">
        <label for="screenName">Screen name (optional)</label>
        <input id="screenName" autocomplete="off">
        <label for="picture">Address of a photo (optional)</label>
        <input id="picture" type="url" autocomplete="off">
        <div class="row"><button class="quiet" type="button" id="generate">Make somebody up</button>
        <button type="submit">Sign in</button></div>
        </form>
        <h2>What the provider says</h2>
        <p class="check"><input type="checkbox" id="verified" checked>
        <label for="verified">It has verified the address. Without this, an address that another account \
        has ends in “account exists with different credential”.</label></p>
        \(attributes)
        <div class="row">\(refusal)</div>
        """,
      pages: pages, script: SignInScripts.widget)
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
      ? "<p>There are more than these \(String(Self.limit)).</p>" : .nothing
    return """
      <h2>Somebody who has signed in before</h2>
      <ul class="accounts">
      \(rows)</ul>
      \(more)
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

  private var refusal: Markup {
    "<button class=\"quiet\" type=\"button\" id=\"refuse\">Refuse to sign in</button>"
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
