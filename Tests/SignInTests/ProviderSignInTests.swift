@testable import System
@testable import Emulator
@testable import HTTP
@testable import OIDC
import Testing

@testable import SignIn

/// Sign-ins through the emulator's own pages, over HTTP.
@Suite(.timeLimit(.minutes(1)))
struct ProviderSignInTests {
  @Test(arguments: ["microsoft.com", "yahoo.com", "google.com", "oidc.corp"])
  func `a person signs in with a code, which buys signed tokens`(provider: String) async throws {
    let providers = try await Providers.open()
    let arrival = try await providers.signIn(provider)
    #expect(arrival.url.fields["state"] == "st&te")
    let answer = try await providers.exchange(provider, code: arrival.url.fields["code"] ?? "")
    #expect(answer.status == 200)
    #expect(answer.headers["Cache-Control"] == "no-store")
    let tokens = try answer.json()
    let token = try JWT(decoding: tokens["id_token"]?.string ?? "")
    #expect(token.claims["aud"] == .string("luath-client-\(provider)"))
    #expect(token.claims["nonce"] == "n0nce")
    #expect(token.claims["email"]?.string == Providers.people[provider])

    let discovery =
      [
        "microsoft.com": "/login.microsoftonline.com/common/v2.0/.well-known/openid-configuration",
        "yahoo.com": "/api.login.yahoo.com/.well-known/openid-configuration",
        "google.com": "/accounts.google.com/.well-known/openid-configuration",
        "oidc.corp": "/oidc/corp/.well-known/openid-configuration",
      ][provider] ?? ""
    let metadata = try await providers.get(discovery).json()
    #expect(
      metadata["authorization_endpoint"]?.string
        == providers.origin + (Providers.paths[provider] ?? ""))
    if provider != "microsoft.com" { #expect(metadata["issuer"] == token.claims["iss"]) }
    let keys = try await providers.browser.send("GET", metadata["jwks_uri"]?.string ?? "").json()
    try token.verify(try KeySet(json: keys))

    let userinfo = try await providers.browser.send(
      "GET", metadata["userinfo_endpoint"]?.string ?? "",
      headers: ["Authorization": "Bearer \(tokens["access_token"]?.string ?? "")"])
    #expect(try userinfo.json()["sub"] == token.claims["sub"])
    await providers.stop()
  }

  @Test func `providers sign with keys of their own`() async throws {
    let providers = try await Providers.open()
    var keys: Set<String> = []
    for path in [
      "/login.microsoftonline.com/common/discovery/v2.0/keys",
      "/api.login.yahoo.com/openid/v1/certs",
      "/www.googleapis.com/oauth2/v3/certs", "/oidc/corp/jwks", "/oidc/implicit/jwks",
    ] {
      keys.insert(try await providers.get(path).json()["keys"]?[0]?["kid"]?.string ?? "")
    }
    #expect(keys.count == 5)
    await providers.stop()
  }

  @Test func `the implicit flow answers in the fragment, or as a form when asked`() async throws {
    let providers = try await Providers.open()
    let implicit = try await providers.signIn("oidc.implicit", ["response_type": "id_token"])
    #expect(implicit.url.query == nil)
    #expect(implicit.url.fragmentFields["state"] == "st&te")
    let claims = try Providers.claims(
      implicit.url.fragmentFields["id_token"].map { .string($0) })
    #expect(claims["name"] == "Barbara Liskov")

    let posted = try await providers.signIn(
      "oidc.corp", ["response_type": "id_token code", "response_mode": "form_post"])
    #expect(posted.posted?["code"]?.isEmpty == false)
    let hybrid = try Providers.claims(posted.posted?["id_token"].map { .string($0) })
    let hash = Digest.sha256(Array((posted.posted?["code"] ?? "").utf8)).prefix(16)
    #expect(hybrid["c_hash"]?.string == Base64URL.encode(Array(hash)))
    await providers.stop()
  }

  @Test func `a known browser is asked which account, and consent is not asked twice`() async throws
  {
    let providers = try await Providers.open()
    let again = providers.authorize("google.com")
    let arrivals = try await providers.browser.drive(
      providers.answers("google.com"), through: [again, again], until: providers.redirect)
    #expect(arrivals.allSatisfy { $0.url.fields["code"]?.isEmpty == false })
    await providers.stop()
  }

  @Test func `prompt none answers without a page`() async throws {
    let providers = try await Providers.open()
    let silent = providers.authorize("google.com", ["prompt": "none"])
    let stranger = try await providers.signIn("google.com", ["prompt": "none"])
    #expect(stranger.providerError == "login_required")
    let wider = providers.authorize(
      "google.com",
      ["prompt": "none", "scope": "openid https://www.googleapis.com/auth/calendar.readonly"])
    let arrivals = try await providers.browser.drive(
      providers.answers("google.com"),
      through: [providers.authorize("google.com"), silent, wider], until: providers.redirect)
    #expect(arrivals[1].url.fields["code"]?.isEmpty == false)
    #expect(arrivals[2].providerError == "consent_required")
    await providers.stop()
  }

  @Test func `a denied consent goes back as access_denied`() async throws {
    let providers = try await Providers.open()
    for provider in ["microsoft.com", "yahoo.com", "google.com", "oidc.corp"] {
      let error = try await providers.refusal(
        provider, ["prompt": "consent"], consent: false)
      #expect(error?.code == .consentDenied)
      #expect(error?.field == "decision")
    }
    await providers.stop()
  }

  @Test(arguments: ["en", "fr", "it", "ja", "ru", "vi"])
  func `the driver finds its way in every language`(language: String) async throws {
    let providers = try await Providers.open()
    let parameter = language == "ja" ? "language" : "ui_locales"
    let arrival = try await providers.signIn("yahoo.com", [parameter: language])
    #expect(arrival.url.fields["code"]?.isEmpty == false)
    let error = try await providers.refusal(
      "microsoft.com", [parameter: language, "prompt": "consent"], consent: false)
    #expect(error?.code == .consentDenied)
    await providers.stop()
  }

  @Test func `a wrong password and an unknown address are told on the page`() async throws {
    let providers = try await Providers.open()
    for provider in ["microsoft.com", "google.com"] {
      var answers = providers.answers(provider)
      answers.password = Secret("not this one")
      let wrong = try await providers.browser.failure(
        answers, from: providers.authorize(provider), until: providers.redirect)
      #expect(wrong?.code == .passwordRefused)
      #expect(wrong?.pageMessage?.contains("not right") == true)
    }
    let unknown = try await providers.refusal("microsoft.com", as: "nobody@contoso.example")
    #expect(unknown?.code == .usernameRefused)
    #expect(unknown?.pageMessage?.contains("nobody@contoso.example") == true)
    // Barbara has no account at Yahoo, which does not say so.
    let elsewhere = try await providers.refusal("yahoo.com", as: "barbara@corp.example")
    #expect(elsewhere?.code == .passwordRefused)
    await providers.stop()
  }

  @Test func `login_hint fills in the address, and shows in the page`() async throws {
    let providers = try await Providers.open()
    let browser = providers.browser
    let first = try await browser.send(
      "GET", providers.authorize("google.com", ["login_hint": "someone@x.example"]))
    let cookie = first.headers["Set-Cookie"] ?? ""
    #expect(cookie.contains("HttpOnly; SameSite=Lax"))
    #expect(cookie.contains("Path=/accounts.google.com;"))
    let page = try await browser.send(
      "GET", providers.origin + (first.headers["Location"] ?? ""),
      headers: ["Cookie": String(cookie.prefix { $0 != ";" })])
    #expect(page.text.contains("value=\"someone@x.example\""))
    #expect(page.headers["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
    #expect(!page.text.contains("<script"))
    await providers.stop()
  }
}
