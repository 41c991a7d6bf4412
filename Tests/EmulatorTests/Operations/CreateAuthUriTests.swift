@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import OIDC
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CreateAuthUriTests {
  private func ask(_ emulator: Fixture, _ body: JSONObject) async throws -> Fixture.Reply {
    var full: JSONObject = ["continueUri": "http://localhost/cb"]
    for (name, value) in body.entries { full[name] = value == .null ? nil : value }
    return try await emulator.call(.createAuthUri, .object(full))
  }

  // MARK: The ways an address can sign in

  @Test func `with enumeration protection nothing is told about an address`() async throws {
    try await Fixture.run { emulator in
      _ = try await emulator.signUp("ada@b.example")
      for address in ["ada@b.example", "nobody@b.example"] {
        let reply = try await ask(emulator, ["identifier": .string(address)])
        #expect(reply.status == 200)
        #expect(reply.json.object?.keys.sorted() == ["kind", "sessionId"])
      }
    }
  }

  @Test func `without it the sign-in methods are told`() async throws {
    try await Fixture.run({ $0.enumerationProtection = false }) { emulator in
      _ = try await emulator.signUp("ada@b.example")
      let known = try await ask(emulator, ["identifier": "ADA@b.example"])
      #expect(known["registered"] == true)
      #expect(known["signinMethods"] == ["password"])
      #expect(known["allProviders"] == ["password"])
      let unknown = try await ask(emulator, ["identifier": "nobody@b.example"])
      #expect(unknown["registered"] == false)
    }
  }

  @Test(
    arguments: [
      ([:], "MISSING_IDENTIFIER"), (["identifier": "x"], "INVALID_IDENTIFIER"),
      (["identifier": "a@b.example", "continueUri": nil], "MISSING_CONTINUE_URI"),
      (["identifier": "a@b.example", "continueUri": "x"], "INVALID_CONTINUE_URI"),
    ] as [(JSONObject, String)])
  func `a bad question about an address is refused by name`(
    body: JSONObject, error: String
  ) async throws {
    try await Fixture.run { emulator in
      let reply = try await ask(emulator, body)
      #expect(reply.error == error)
    }
  }

  // MARK: Where to send the browser

  @Test func `a Microsoft URL has the tenant in its path and everything the flow needs`()
    async throws
  {
    try await Fixture.run { emulator in
      let reply = try await ask(
        emulator,
        [
          "providerId": "microsoft.com",
          "oauthScope": "{\"microsoft.com\":\"mail.read,calendars.read\"}",
          "customParameter": [
            "tenant": "contoso.example", "prompt": "consent", "login_hint": "a&b=c@x.example",
          ],
        ])
      #expect(reply.status == 200)
      let url = try #require(reply["authUri"]?.string.flatMap { WebURL($0) })
      #expect(url.origin == emulator.origin)
      #expect(url.path == "/login.microsoftonline.com/contoso.example/oauth2/v2.0/authorize")
      let fields = url.fields
      #expect(fields["response_type"] == "code")
      #expect(fields["redirect_uri"] == "http://localhost/cb")
      #expect(fields["scope"] == "openid profile email User.Read mail.read calendars.read")
      #expect(fields["prompt"] == "consent")
      #expect(fields["login_hint"] == "a&b=c@x.example")
      #expect(fields["tenant"] == nil)
      #expect(fields["code_challenge_method"] == "S256")
      #expect(fields["state"]?.utf8.count ?? 0 >= 32)
      let sessionID = try #require(reply["sessionId"]?.string)
      #expect(fields["nonce"] == Digest.sha256Hex(sessionID))
      #expect(fields["client_secret"] == nil)
    }
  }

  @Test(arguments: [
    ("yahoo.com", "/api.login.yahoo.com/oauth2/request_auth"),
    ("google.com", "/accounts.google.com/o/oauth2/v2/auth"),
    ("microsoft.com", "/login.microsoftonline.com/common/oauth2/v2.0/authorize"),
  ])
  func `each provider has its own page`(provider: String, path: String) async throws {
    try await Fixture.run { emulator in
      let reply = try await ask(
        emulator, ["providerId": .string(provider), "oauthScope": "extra other"])
      let url = try #require(reply["authUri"]?.string.flatMap { WebURL($0) })
      #expect(url.path == path)
      #expect(url.fields["scope"]?.hasSuffix("extra other") == true)
      #expect(reply["providerId"] == .string(provider))
    }
  }

  @Test(
    arguments: [
      (["providerId": "password"], "INVALID_PROVIDER_ID"),
      (["providerId": "nonsense"], "INVALID_PROVIDER_ID"),
      (["providerId": "github.com"], "OPERATION_NOT_ALLOWED"),
      (["providerId": "oidc.unknown"], "OPERATION_NOT_ALLOWED"),
      (["providerId": "google.com", "continueUri": nil], "MISSING_CONTINUE_URI"),
      (["providerId": "google.com", "continueUri": "cb"], "INVALID_CONTINUE_URI"),
      (["providerId": "google.com", "continueUri": "http://localhost/#x"], "INVALID_CONTINUE_URI"),
      (
        ["providerId": "google.com", "continueUri": "http://localhost/?state=x"],
        "INVALID_CONTINUE_URI"
      ),
      (
        ["providerId": "google.com", "continueUri": "https://evil.example/cb"],
        "UNAUTHORIZED_DOMAIN"
      ),
      (
        ["providerId": "microsoft.com", "customParameter": ["tenant": "a/../b"]], "INVALID_ARGUMENT"
      ),
      (["providerId": "google.com", "customParameter": ["state": "x"]], "INVALID_ARGUMENT"),
      (["providerId": "google.com", "customParameter": ["redirect_uri": "x"]], "INVALID_ARGUMENT"),
      (
        ["providerId": "microsoft.com", "customParameter": ["response_mode": "query"]],
        "INVALID_ARGUMENT"
      ),
      (["providerId": "google.com", "oauthScope": "{\"google.com\""], "INVALID_ARGUMENT"),
    ] as [(JSONObject, String)])
  func `a bad question about a provider is refused by name`(
    body: JSONObject, error: String
  ) async throws {
    try await Fixture.run { emulator in
      let reply = try await ask(emulator, body)
      #expect(reply.error == error)
    }
  }

  @Test(
    arguments: [
      (["customParameter": "prompt"], #"Invalid value at 'custom_parameter' (map), "prompt""#),
      (
        ["customParameter": ["prompt": true]],
        "Invalid value at 'custom_parameter[0].value' (TYPE_STRING), true"
      ),
      (
        ["oauthScope": ["a"]],
        #"Invalid JSON payload received. Unknown name "oauthScope": Proto field is not repeating, "#
          + "cannot start list."
      ),
      (
        ["oauthScope": "{\"google.com\":1}"],
        "Invalid JSON payload received. /oauthScope/google.com must be string"
      ),
    ] as [(JSONObject, String)])
  func `parameters that are no text are refused`(body: JSONObject, message: String) async throws {
    try await Fixture.run { emulator in
      var body = body
      body["providerId"] = "google.com"
      let reply = try await ask(emulator, body)
      #expect(reply.status == 400)
      #expect(reply.message == message)
    }
  }

  @Test func `a number among the parameters counts as its digits`() async throws {
    try await Fixture.run { emulator in
      let reply = try await ask(
        emulator, ["providerId": "google.com", "customParameter": ["prompt": 1]])
      #expect(reply.status == 200)
      let url = try #require(reply["authUri"]?.string.flatMap { WebURL($0) })
      #expect(url.fields["prompt"] == "1")
    }
  }

  @Test func `a provider that is off is refused`() async throws {
    try await Fixture.run({ $0.providers["yahoo.com"]?.isEnabled = false }) { emulator in
      let reply = try await ask(emulator, ["providerId": "yahoo.com"])
      #expect(reply.error == "OPERATION_NOT_ALLOWED")
    }
  }

  @Test func `OIDC providers need Identity Platform`() async throws {
    try await Fixture.run({ $0.identityPlatform = false }) { emulator in
      let reply = try await ask(emulator, ["providerId": "oidc.corp"])
      #expect(reply.error == "OPERATION_NOT_ALLOWED")
      #expect(reply.message.contains("Identity Platform"))
      #expect(try await ask(emulator, ["providerId": "google.com"]).status == 200)
    }
  }

  @Test func `an issuer that cannot be reached is named`() async throws {
    try await Fixture.run({
      $0.providers["oidc.corp"]?.issuer = "http://127.0.0.1:1"
    }) { emulator in
      let reply = try await ask(emulator, ["providerId": "oidc.corp"])
      #expect(reply.error == "INVALID_IDP_RESPONSE")
      #expect(reply.message.contains("discovery"))
    }
  }

  @Test func `a discovered authorization endpoint keeps its own query`() async throws {
    try await FederatedFixture.run { federation in
      let flow = try await federation.begin()
      #expect(flow.query["kept"] == "1")
      #expect(flow.query["client_id"] == "client-1")
    }
  }

  @Test func `the implicit flow asks for an id token in the fragment`() async throws {
    try await FederatedFixture.run({ $0.providers["oidc.corp"]?.flow = .idToken }) { federation in
      let flow = try await federation.begin()
      #expect(flow.query["response_type"] == "id_token")
      #expect(flow.query["code_challenge"] == nil)
    }
  }
}
