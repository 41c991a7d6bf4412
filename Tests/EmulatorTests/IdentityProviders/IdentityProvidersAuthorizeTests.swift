@testable import System
@testable import HTTP
import Testing

@testable import Emulator

@Suite(.timeLimit(.minutes(1)))
struct IdentityProvidersAuthorizeTests {
  @Test func `an unknown client or redirect address gets a page and no redirect`() async throws {
    let visitor = try await ProviderVisitor()
    let bad: [[String: String?]] = [
      ["client_id": "other"], ["client_id": nil], ["redirect_uri": nil],
      ["redirect_uri": "https://evil.example/__/auth/handler"],
      ["redirect_uri": "https://127.0.0.1.evil.example/"],
      ["redirect_uri": "http://127.0.0.1:80@evil.example/"],
      ["redirect_uri": "http://127.0.0.1/#fragment"],
      ["redirect_uri": "http://127.0.0.1\\@evil.example/"],
      ["redirect_uri": "javascript:alert(1)"], ["redirect_uri": "//evil.example"],
    ]
    for changes in bad {
      let answer = try await visitor.authorize(changes)
      #expect(answer.status == 400)
      #expect(answer.headers["Location"] == nil)
      #expect(answer.text.contains("role=\"alert\""))
    }
    await visitor.end()
  }

  @Test func `the handler of the configured domain and loopback addresses are registered`()
    async throws
  {
    var project = ProjectConfiguration.demo
    project.authDomain = "app.example"
    let visitor = try await ProviderVisitor(project)
    let good = [
      "https://app.example/__/auth/handler", "http://localhost:5000/cb?x=1", "http://[::1]:7/",
      await visitor.redirect,
    ]
    for address in good {
      #expect(try await visitor.authorize(["redirect_uri": address]).status == 303)
    }
    for address in ["http://app.example/__/auth/handler", "https://app.example/__/auth/handler/x"] {
      #expect(try await visitor.authorize(["redirect_uri": address]).status == 400)
    }
    await visitor.end()
  }

  @Test(
    arguments: [
      ("response_type", nil, "invalid_request"),
      ("response_type", "token", "unsupported_response_type"),
      ("response_type", "code token", "unsupported_response_type"),
      ("response_mode", "web_message", "invalid_request"), ("scope", "profile", "invalid_scope"),
      ("scope", nil, "invalid_scope"), ("prompt", "dance", "invalid_request"),
      ("prompt", "none login", "invalid_request"), ("max_age", "-1", "invalid_request"),
      ("max_age", "soon", "invalid_request"), ("code_challenge", "short", "invalid_request"),
      ("code_challenge_method", "S256", "invalid_request"),
      ("request", "x.y.z", "request_not_supported"),
      ("request_uri", "https://x.example", "request_uri_not_supported"),
      ("prompt", "none", "login_required"),
    ] as [(String, String?, String)])
  func `a bad parameter goes back to the app with the state`(
    name: String, value: String?, error: String
  ) async throws {
    let visitor = try await ProviderVisitor()
    let answer = try await visitor.authorize([name: value])
    let url = try #require(answer.headers["Location"].flatMap { WebURL($0) })
    #expect(url.path == "/__/auth/handler")
    // A response type with a token in it is answered in the fragment, errors too.
    let fields = url.query == nil ? url.fragmentFields : url.fields
    #expect(fields["error"] == error)
    #expect(fields["state"] == "s")
    await visitor.end()
  }

  @Test func `an ID token is never sent in a query, and needs a nonce`() async throws {
    let visitor = try await ProviderVisitor()
    for changes in [
      ["response_type": "id_token", "response_mode": "query"],
      ["response_type": "id_token", "nonce": nil], ["response_type": "code id_token", "nonce": ""],
    ] as [[String: String?]] {
      let answer = try await visitor.authorize(changes)
      let url = try #require(answer.headers["Location"].flatMap { WebURL($0) })
      #expect(url.query == nil)
      #expect(url.fragmentFields["error"] == "invalid_request")
    }
    await visitor.end()
  }

  @Test func `a parameter may not be repeated`() async throws {
    let visitor = try await ProviderVisitor()
    let query = "client_id=luath-client-oidc.corp&response_type=code&scope=openid&scope=email"
    let redirect = PercentEncoding.encode(await visitor.redirect)
    let answer = try await visitor.send("/oidc/corp/authorize?\(query)&redirect_uri=\(redirect)")
    #expect(answer.headers["Location"]?.contains("error=invalid_request") == true)
    let twice = try await visitor.send(
      "/oidc/corp/authorize?\(query)&redirect_uri=\(redirect)&redirect_uri=\(redirect)")
    #expect(twice.status == 400)
    await visitor.end()
  }

  @Test func `what the app sends is escaped on the pages`() async throws {
    let visitor = try await ProviderVisitor()
    let attack = "\"><script>alert(1)</script>"
    let start = try await visitor.authorize(["login_hint": attack])
    let page = try await visitor.send(try #require(start.headers["Location"]))
    #expect(!page.text.contains("<script"))
    #expect(page.text.contains("&quot;&gt;&lt;script&gt;"))
    let notice = try await visitor.authorize(["client_id": attack])
    #expect(!notice.text.contains("<script"))
    await visitor.end()
  }

  @Test func `a form without its token, or from another browser, changes nothing`() async throws {
    let visitor = try await ProviderVisitor()
    let start = try await visitor.authorize()
    let pages = try #require(start.headers["Location"])
    let login = FormFields([
      ("email", "barbara@corp.example"), ("password", ProjectConfiguration.demoPassword),
    ])
    #expect(try await visitor.send(pages, form: login).status == 403)
    await visitor.forgetCookies()
    let stranger = try await visitor.send(pages)
    #expect(stranger.status == 400)
    #expect(stranger.text.contains("another browser"))
    await visitor.end()
  }

  @Test func `the session gets a new name after the login`() async throws {
    let visitor = try await ProviderVisitor()
    let start = try await visitor.authorize()
    let pages = try #require(start.headers["Location"])
    let page = try await visitor.send(pages)
    let login = try await visitor.send(
      pages,
      form: FormFields([
        ("csrf", ProviderVisitor.formToken(page)), ("email", "BARBARA@corp.example"),
        ("password", ProjectConfiguration.demoPassword),
      ]))
    #expect(login.status == 303)
    #expect(login.headers["Set-Cookie"] != start.headers["Set-Cookie"])
    await visitor.end()
  }

  @Test func `a login that needs no consent page is remembered too`() async throws {
    let visitor = try await ProviderVisitor()
    _ = try await visitor.signIn()
    await visitor.forgetCookies()
    let start = try await visitor.authorize()
    let pages = try #require(start.headers["Location"])
    let page = try await visitor.send(pages)
    let login = try await visitor.send(
      pages,
      form: FormFields([
        ("csrf", ProviderVisitor.formToken(page)), ("email", "barbara@corp.example"),
        ("password", ProjectConfiguration.demoPassword),
      ]))
    #expect(login.headers["Location"]?.contains("code=") == true)
    let silent = try await visitor.authorize(["prompt": "none"])
    #expect(silent.headers["Location"]?.contains("code=") == true)
    await visitor.end()
  }

  @Test func `ten wrong passwords end the sign-in`() async throws {
    let visitor = try await ProviderVisitor()
    let start = try await visitor.authorize()
    let pages = try #require(start.headers["Location"])
    for _ in 0..<10 {
      let page = try await visitor.send(pages)
      try await visitor.send(
        pages,
        form: FormFields([
          ("csrf", ProviderVisitor.formToken(page)), ("email", "barbara@corp.example"),
          ("password", "guess"),
        ]))
    }
    #expect(try await visitor.send(pages).status == 429)
    await visitor.end()
  }

  @Test func `prompt and max_age ask for the password again`() async throws {
    let visitor = try await ProviderVisitor()
    _ = try await visitor.signIn()
    let silent = try await visitor.authorize(["login_hint": "barbara@corp.example"])
    #expect(silent.headers["Location"]?.contains("code=") == true)
    for changes in [["prompt": "login"], ["max_age": "0"], ["prompt": "consent"]] {
      var changes = changes as [String: String?]
      changes["login_hint"] = "barbara@corp.example"
      let answer = try await visitor.authorize(changes)
      let page = try await visitor.send(try #require(answer.headers["Location"]))
      let wanted = changes["prompt"] == "consent" ? "name=\"decision\"" : "name=\"password\""
      #expect(page.text.contains(wanted))
    }
    visitor.clock.advance(bySeconds: 600)
    let old = try await visitor.authorize(["prompt": "none", "max_age": "300"])
    #expect(old.headers["Location"]?.contains("error=login_required") == true)
    let fine = try await visitor.authorize(["prompt": "none", "max_age": "900"])
    #expect(fine.headers["Location"]?.contains("code=") == true)
    await visitor.end()
  }

  @Test func `the language asked for is the page's`() async throws {
    let visitor = try await ProviderVisitor()
    for (name, value, language) in [
      ("ui_locales", "xx fr-CA en", "fr"), ("hl", "it", "it"), ("language", "vi", "vi"),
      ("ui_locales", "xx", "en"),
    ] {
      let start = try await visitor.authorize([name: value])
      let page = try await visitor.send(try #require(start.headers["Location"]))
      #expect(page.text.contains("<html lang=\"\(language)\">"))
    }
    await visitor.end()
  }

  @Test func `every language has every phrase`() {
    for language in Wording.Language.allCases {
      #expect(Set(Wording.table(language).keys) == Set(Phrase.allCases))
    }
  }

  @Test func `a server of an OIDC name is there only when the project has it here`() async throws {
    var project = ProjectConfiguration.demo
    project.providers["oidc.corp"]?.issuer = "https://idp.example"
    let visitor = try await ProviderVisitor(project)
    #expect(try await visitor.send("/oidc/corp/jwks").status == 404)
    #expect(try await visitor.send("/oidc/unknown/jwks").status == 404)
    #expect(try await visitor.send("/oidc/implicit/jwks").status == 200)
    #expect(try await visitor.send("/oidc/implicit/token").status == 405)
    await visitor.end()
  }
}
