@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

/// The pages SDKs send the browser to, and the frame they listen to.
@Suite(.timeLimit(.minutes(1)))
struct SignInHandlerTests {
  private static let query = "apiKey=k&appName=a&authType=signInViaPopup&eventId=e"

  private func page(_ emulator: Fixture, _ path: String) async throws -> HTTPResponse {
    let url = try #require(WebURL("\(emulator.origin)/\(path)"))
    return try await emulator.exchange(HTTPRequest(url: url))
  }

  @Test func `the widget offers the people who have signed in before, with nothing unescaped`()
    async throws
  {
    try await Fixture.run(rules: .compatible) { emulator in
      let claims: JSON = [
        "sub": "s", "email": "a@b.test", "name": "<b>\"Ada\" & co</b>", "picture": "http://p/'x'",
      ]
      let form = FormFields([("providerId", "google.com"), ("id_token", claims.encoded())])
      _ = try await emulator.call(
        .signInWithIdp, ["requestUri": "http://localhost", "postBody": .string(form.encoded)])
      let other = FormFields([("providerId", "github.com"), ("id_token", #"{"sub":"gh"}"#)])
      _ = try await emulator.call(
        .signInWithIdp, ["requestUri": "http://localhost", "postBody": .string(other.encoded)])
      let page = try await page(
        emulator, "emulator/auth/handler?\(Self.query)&providerId=google.com")
      #expect(page.status == 200)
      #expect(page.headers["Content-Type"] == "text/html; charset=utf-8")
      #expect(page.text.contains("&lt;b&gt;&quot;Ada&quot; &amp; co&lt;/b&gt;"))
      #expect(!page.text.contains("<b>\"Ada\""))
      #expect(page.text.contains("a@b.test"))
      #expect(page.text.contains("<h1>Sign in with Google</h1>"))
      #expect(!page.text.contains("&quot;gh&quot;"))
    }
  }

  @Test(arguments: [
    "emulator/auth/handler?\(query)&providerId=saml.corp",
    "emulator/auth/iframe?apiKey=k&appName=a",
    "__/auth/handler?code=c&state=s",
  ])
  func `a page loads nothing and runs no script but its own`(_ path: String) async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let page = try await page(emulator, path)
      #expect(page.status == 200)
      #expect(!page.text.contains("src="))
      #expect(!page.text.contains("<link"))
      let policy = try #require(page.headers["Content-Security-Policy"])
      #expect(policy.hasPrefix("default-src 'none';"))
      #expect(policy.contains("script-src 'sha256-"))
      #expect(!policy.contains("unsafe"))
    }
  }

  @Test func `a SAML provider's people can be given attributes`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let saml = try await page(
        emulator, "emulator/auth/handler?\(Self.query)&providerId=saml.corp")
      #expect(saml.text.contains("id=\"attributes\""))
      let google = try await page(
        emulator, "emulator/auth/handler?\(Self.query)&providerId=google.com")
      #expect(!google.text.contains("id=\"attributes\""))
    }
  }

  @Test(arguments: ["", "apiKey=k", "providerId=google.com", "apiKey=&providerId=google.com"])
  func `without key and provider there is no widget`(_ query: String) async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let page = try await page(emulator, "emulator/auth/handler?\(query)")
      #expect(page.status == 400)
      #expect(
        page.text == #"{"authEmulator":{"error":"missing apiKey or providerId query parameters"}}"#)
      #expect(page.headers["Content-Type"] == "text/html; charset=utf-8")
    }
  }

  @Test func `a tenant's people are its own`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      _ = try await emulator.call(
        .signInWithIdp,
        [
          "requestUri": "http://localhost", "tenantId": "t",
          "postBody": "providerId=google.com&id_token={\"sub\":\"tenant-person\"}",
        ])
      let path = "emulator/auth/handler?\(Self.query)&providerId=google.com"
      #expect(try await page(emulator, path).text.contains("tenant-person") == false)
      #expect(try await page(emulator, "\(path)&tid=t").text.contains("tenant-person"))
    }
  }

  @Test(arguments: [Rules.compatible, Rules.production])
  func `an answer by form post reaches the page`(_ rules: Rules) async throws {
    try await Fixture.run(rules: rules) { emulator in
      let url = try #require(WebURL("\(emulator.origin)/__/auth/handler"))
      var request = HTTPRequest(method: "POST", url: url)
      request.headers.set("Content-Type", "application/x-www-form-urlencoded")
      request.body = Array("state=s&id_token=\"><i>".utf8)
      let response = try await emulator.exchange(request)
      #expect(response.status == 200)
      #expect(response.text.contains("state=s&amp;id_token=&quot;&gt;&lt;i&gt;"))
    }
  }

  @Test func `under the rules of Google's servers the handler asks the provider`() async throws {
    try await Fixture.run { emulator in
      let page = try await page(
        emulator, "emulator/auth/handler?\(Self.query)&providerId=google.com")
      #expect(page.status == 200)
      #expect(page.text.contains("accounts:createAuthUri"))
      #expect(!page.text.contains("a new user"))
    }
  }

  @Test(arguments: [
    "emulator/auth/handler?\(query)&providerId=google.com", "__/auth/handler?code=c&state=s",
    "emulator/auth/iframe?apiKey=k&appName=a",
  ])
  func `under the rules of Google's servers a page has the domains that a sign-in may go to`(
    _ path: String
  ) async throws {
    func domains(_ rules: Rules) async throws -> String? {
      var found: String?
      try await Fixture.run(
        rules: rules,
        {
          $0.authorizedDomains = ["App.example"]
          $0.authDomain = "login.example"
        }
      ) { emulator in
        let text = try await page(emulator, path).text
        found = text.firstMatch(of: /<meta name="authorized-domains" content="([^"]*)">/)
          .map { String($0.output.1) }
      }
      return found
    }
    #expect(
      try await domains(.production) == "[&quot;app.example&quot;,&quot;login.example&quot;]")
    #expect(try await domains(.compatible) == nil)
  }

  @Test func `no SAML provider can be asked`() async throws {
    try await Fixture.run { emulator in
      let start = try await emulator.call(
        .createAuthUri, ["providerId": "saml.corp", "continueUri": "http://localhost/"])
      #expect(start.error == "OPERATION_NOT_ALLOWED")
      let end = try await emulator.call(
        .signInWithIdp,
        [
          "requestUri": "http://localhost",
          "postBody": "providerId=saml.corp&id_token={\"sub\":\"s\"}",
        ])
      #expect(end.error == "OPERATION_NOT_ALLOWED")
    }
  }
}
