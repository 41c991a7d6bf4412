@testable import System
@testable import HTTP
import Testing

@testable import Emulator

/// How apps end what a person began: the sign-in in a browser, and tokens.
@Suite(.timeLimit(.minutes(1)))
struct IdentityProvidersLogoutTests {
  private func tokens(_ visitor: ProviderVisitor) async throws -> JSON {
    let code = try await visitor.code(["scope": "openid email offline_access"])
    return try await visitor.token(["code": code]).json()
  }

  private func logout(
    _ visitor: ProviderVisitor, _ fields: [(String, String)]
  ) async throws -> HTTPResponse {
    try await visitor.send("/oidc/corp/logout?\(FormFields(fields).encoded)")
  }

  private func isSignedIn(_ visitor: ProviderVisitor) async throws -> Bool {
    let silent = try await visitor.authorize([
      "prompt": "none", "scope": "openid email offline_access",
    ])
    return silent.headers["Location"]?.contains("code=") == true
  }

  @Test func `a token of the person's own signs out and leads back`() async throws {
    let visitor = try await ProviderVisitor()
    let hint = try #require(try await tokens(visitor)["id_token"]?.string)
    #expect(try await isSignedIn(visitor))
    // Also long after the token has expired.
    visitor.clock.advance(bySeconds: 90_000)
    let answer = try await logout(
      visitor,
      [
        ("id_token_hint", hint), ("state", "a b"),
        ("post_logout_redirect_uri", "http://localhost:9/out?x=1"),
      ])
    #expect(answer.headers["Location"] == "http://localhost:9/out?x=1&state=a%20b")
    #expect(answer.headers["Set-Cookie"]?.contains("Max-Age=0") == true)
    #expect(try await !isSignedIn(visitor))
    await visitor.end()
  }

  @Test func `without a token the person is asked`() async throws {
    let visitor = try await ProviderVisitor()
    _ = try await tokens(visitor)
    let page = try await logout(visitor, [("ui_locales", "fr")])
    #expect(page.text.contains("Se déconnecter"))
    #expect(try await isSignedIn(visitor))
    let id = try #require(page.text.matches(of: /name="logout" value="([^"]+)"/).first?.1)
    let token = ProviderVisitor.formToken(page)
    func answer(_ decision: String, token: String) async throws -> HTTPResponse {
      try await visitor.send(
        "/oidc/corp/logout",
        form: FormFields([
          ("logout", String(id)), ("csrf", token), ("decision", decision),
        ]))
    }
    #expect(try await answer("signout", token: "forged").status == 403)
    #expect(try await isSignedIn(visitor))
    #expect(try await answer("signout", token: token).text.contains("Vous êtes déconnecté"))
    #expect(try await !isSignedIn(visitor))
    #expect(try await answer("signout", token: token).status == 400)
    await visitor.end()
  }

  @Test func `a form of another site signs nobody out unasked`() async throws {
    let visitor = try await ProviderVisitor()
    _ = try await tokens(visitor)
    let fields = FormFields([
      ("client_id", "luath-client-oidc.corp"), ("redirect_uri", await visitor.redirect),
      ("response_type", "code"), ("scope", "openid email offline_access"), ("prompt", "none"),
      ("state", "a&b"),
    ])
    // As a browser does with cookies that are SameSite=Lax.
    let answer = try await visitor.send("/oidc/corp/authorize", form: fields, withCookies: false)
    #expect(answer.status == 303)
    #expect(answer.headers["Set-Cookie"] == nil)
    let target = try #require(answer.headers["Location"])
    #expect(WebURL(await visitor.origin + target)?.fields == fields)
    let end = try await visitor.send(target)
    #expect(end.headers["Location"]?.contains("code=") == true)
    #expect(end.headers["Location"]?.contains("state=a%26b") == true)
    #expect(try await isSignedIn(visitor))
    await visitor.end()
  }

  @Test func `staying signed in leads nowhere`() async throws {
    let visitor = try await ProviderVisitor()
    _ = try await tokens(visitor)
    let page = try await logout(
      visitor,
      [
        ("client_id", "luath-client-oidc.corp"),
        ("post_logout_redirect_uri", "http://localhost:9/out"),
      ])
    let id = try #require(page.text.matches(of: /name="logout" value="([^"]+)"/).first?.1)
    let stay = try await visitor.send(
      "/oidc/corp/logout",
      form: FormFields([
        ("logout", String(id)), ("csrf", ProviderVisitor.formToken(page)), ("decision", "stay"),
      ]))
    #expect(stay.text.contains("You are still signed in"))
    #expect(try await isSignedIn(visitor))
    await visitor.end()
  }

  @Test func `nobody is led to an address the app has not registered`() async throws {
    var project = ProjectConfiguration.demo
    project.providers["oidc.corp"]?.postLogoutRedirectURIs = ["https://app.example/out"]
    let visitor = try await ProviderVisitor(project)
    let hint = try #require(try await tokens(visitor)["id_token"]?.string)
    let bad: [[(String, String)]] = [
      [("id_token_hint", hint), ("post_logout_redirect_uri", "https://app.example/out/")],
      [("id_token_hint", hint), ("post_logout_redirect_uri", "http://localhost:9/out")],
      [("post_logout_redirect_uri", "https://app.example/out")],
      [("client_id", "other"), ("post_logout_redirect_uri", "https://app.example/out")],
      [("id_token_hint", hint + "x"), ("post_logout_redirect_uri", "https://app.example/out")],
      [("id_token_hint", "x"), ("state", "1")], [("state", "1"), ("state", "2")],
    ]
    for fields in bad {
      let answer = try await logout(visitor, fields)
      #expect(answer.status == 400)
      #expect(answer.headers["Location"] == nil)
      #expect(answer.text.contains("did not sign you out"))
    }
    #expect(try await isSignedIn(visitor))
    let good = try await logout(
      visitor,
      [("id_token_hint", hint), ("post_logout_redirect_uri", "https://app.example/out")])
    #expect(good.headers["Location"] == "https://app.example/out")
    // By a form of another site the browser brings no cookie; the redirect repairs that.
    let posted = try await visitor.send(
      "/oidc/corp/logout", form: FormFields([("id_token_hint", hint)]))
    #expect(posted.status == 303)
    #expect(posted.headers["Location"]?.hasPrefix("/oidc/corp/logout?id_token_hint=") == true)
    await visitor.end()
  }

  @Test func `a revoked refresh token takes all tokens of its family along`() async throws {
    let visitor = try await ProviderVisitor()
    let tokens = try await tokens(visitor)
    func revoke(_ token: String?, secret: String = "luath-secret-oidc.corp") async throws
      -> HTTPResponse
    {
      var form = FormFields([
        ("client_id", "luath-client-oidc.corp"), ("client_secret", secret),
      ])
      if let token { form.append("token", token) }
      return try await visitor.send("/oidc/corp/revoke", form: form)
    }
    func userinfo() async throws -> Int {
      try await visitor.send(
        "/oidc/corp/userinfo",
        headers: ["Authorization": "Bearer \(tokens["access_token"]?.string ?? "")"]
      ).status
    }
    #expect(try await revoke("x", secret: "wrong").status == 401)
    #expect(try await revoke(nil).status == 400)
    #expect(try await revoke("unknown").status == 200)
    #expect(try await userinfo() == 200)
    #expect(try await revoke(tokens["refresh_token"]?.string).status == 200)
    #expect(try await userinfo() == 401)
    let refresh = try await visitor.token([
      "grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]?.string,
      "redirect_uri": nil,
    ])
    #expect(try refresh.json()["error"] == "invalid_grant")
    await visitor.end()
  }

  @Test func `a refresh token that comes twice ends its successors`() async throws {
    let visitor = try await ProviderVisitor()
    let first = try await tokens(visitor)
    func refresh(_ tokens: JSON) async throws -> JSON {
      try await visitor.token([
        "grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]?.string,
        "redirect_uri": nil,
      ]).json()
    }
    let second = try await refresh(first)
    #expect(second["refresh_token"] != nil)
    #expect(try await refresh(first)["error"] == "invalid_grant")
    #expect(try await refresh(second)["error"] == "invalid_grant")
    await visitor.end()
  }

  @Test func `without rotation a refresh token stays`() async throws {
    var project = ProjectConfiguration.demo
    project.providers["oidc.corp"]?.keepsRefreshTokens = true
    let visitor = try await ProviderVisitor(project)
    let first = try await tokens(visitor)
    for _ in 0..<2 {
      let next = try await visitor.token([
        "grant_type": "refresh_token", "refresh_token": first["refresh_token"]?.string,
        "redirect_uri": nil,
      ]).json()
      #expect(next["access_token"] != nil)
      #expect(next["refresh_token"] == nil)
    }
    await visitor.end()
  }
}
