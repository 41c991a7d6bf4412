import Emulator
import Encoding
import IdentityToolkit
import OIDC
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SignInWithCustomTokenTests {
  static let audience =
    "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

  /// A token of the project's service account, changed as the test needs.
  func token(
    _ emulator: Fixture, key: SigningKey? = nil, _ change: (inout JSONObject) -> Void = { _ in }
  ) async throws -> JSON {
    let account = try await emulator.request(
      "GET", "emulator/v1/projects/demo-luath/serviceAccount")
    let email = account["client_email"] ?? .null
    let now = emulator.clock.seconds
    var claims: JSONObject = [
      "iss": email, "sub": email, "aud": .string(Self.audience), "iat": .integer(now),
      "exp": .integer(now + 3600), "uid": "custom-1",
    ]
    change(&claims)
    let signer = try key ?? SigningKey(pem: Secret(try #require(account["private_key"]?.string)))
    return .string(try signer.sign(claims))
  }

  func signIn(_ emulator: Fixture, _ token: JSON) async throws -> Fixture.Reply {
    try await emulator.call(.signInWithCustomToken, ["token": token, "returnSecureToken": true])
  }

  @Test func `a signed token makes the account and later finds it`() async throws {
    try await Fixture.run { emulator in
      let token = try await token(emulator) { $0["claims"] = ["role": "admin"] }
      let first = try await signIn(emulator, token)
      #expect(first["isNewUser"] == true)
      let claims = try emulator.claims(first["idToken"])
      #expect(claims["sub"] == "custom-1")
      #expect(claims["role"] == "admin")
      #expect(claims["firebase"]?["sign_in_provider"] == "custom")
      #expect(try await emulator.user(first["idToken"])["customAuth"] == true)
      #expect(try await signIn(emulator, token)["isNewUser"] == false)
      // The claims belong to the session, so refreshing keeps them.
      let refreshed = try await emulator.call(
        .token, ["grantType": "refresh_token", "refreshToken": first["refreshToken"] ?? .null])
      #expect(try emulator.claims(refreshed["id_token"])["role"] == "admin")
    }
  }

  @Test func `an expired or wrong token is refused by name`() async throws {
    let changes: [(String, @Sendable (inout JSONObject) -> Void)] = [
      ("INVALID_CUSTOM_TOKEN", { $0["aud"] = "demo-luath" }),
      ("INVALID_CUSTOM_TOKEN", { $0["exp"] = 1 }),
      ("INVALID_CUSTOM_TOKEN", { $0["exp"] = .integer(.max) }),
      ("INVALID_CUSTOM_TOKEN", { $0["iat"] = .integer(.min) }),
      ("INVALID_CUSTOM_TOKEN", { $0["iat"] = "now" }),
      ("INVALID_CUSTOM_TOKEN", { $0["uid"] = nil }),
      ("INVALID_CUSTOM_TOKEN", { $0["uid"] = "" }),
      ("INVALID_CUSTOM_TOKEN", { $0["uid"] = .string(String(repeating: "x", count: 129)) }),
      ("CREDENTIAL_MISMATCH", { $0["iss"] = "other@project.iam.gserviceaccount.com" }),
      ("INVALID_CLAIMS", { $0["claims"] = "admin" }),
      ("FORBIDDEN_CLAIM", { $0["claims"] = ["firebase": [:]] }),
    ]
    try await Fixture.run { emulator in
      for (error, change) in changes {
        let bad = try await token(emulator, change)
        #expect(try await signIn(emulator, bad).error == error)
      }
      let forged = try await token(emulator, key: try SigningKey.generate())
      #expect(try await signIn(emulator, forged).error == "INVALID_CUSTOM_TOKEN")
      #expect(try await signIn(emulator, "nonsense").error == "INVALID_CUSTOM_TOKEN")
      #expect(try await signIn(emulator, .null).error == "MISSING_CUSTOM_TOKEN")
    }
  }
}

extension SignInWithCustomTokenTests {
  @Test func `a token of another tenant, or of none, is refused in a tenant`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      // Plain JSON says no tenant and is let in all the same.
      let plain = try await emulator.call(
        .signInWithCustomToken, ["token": #"{"uid":"u"}"#, "tenantId": "t"])
      #expect(plain.status == 200)
      let garbage = try await emulator.call(
        .signInWithCustomToken, ["token": "garbage", "tenantId": "t"])
      #expect(garbage.message == "TENANT_ID_MISMATCH")
    }
  }

  @Test func `claims that are null are no claims`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let reply = try await emulator.call(
        .signInWithCustomToken, ["token": #"{"uid":1e3,"claims":null}"#])
      #expect(reply.message == "INVALID_CLAIMS")
    }
  }

  @Test func `claims beyond a thousand bytes are too large for Google's servers`() async throws {
    try await Fixture.run { emulator in
      let token = try await token(emulator) {
        $0["claims"] = ["long": .string(String(repeating: "x", count: 1000))]
      }
      #expect(try await signIn(emulator, token).message == "CLAIMS_TOO_LARGE")
    }
  }

  @Test func `a token for a tenant does not sign in to the project`() async throws {
    try await Fixture.run { emulator in
      let token = try await token(emulator) { $0["tenant_id"] = "t" }
      #expect(try await signIn(emulator, token).message == "TENANT_ID_MISMATCH")
    }
  }
}
