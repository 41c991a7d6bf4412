@testable import Emulator
@testable import System
@testable import IdentityToolkit
@testable import OIDC
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

  @Test func `an expired or wrong token is refused in Google's words`() async throws {
    let length =
      "INVALID_IDENTIFIER : Invalid user ID length. Expect to have length between 1 and 128."
    let changes: [(String, @Sendable (inout JSONObject) -> Void)] = [
      ("INVALID_CUSTOM_TOKEN", { $0["aud"] = "demo-luath" }),
      ("INVALID_CUSTOM_TOKEN", { $0["exp"] = 1 }),
      ("INVALID_CUSTOM_TOKEN", { $0["exp"] = .integer(.max) }),
      ("INVALID_CUSTOM_TOKEN", { $0["iat"] = .integer(.min) }),
      ("INVALID_CUSTOM_TOKEN", { $0["iat"] = "now" }),
      ("MISSING_IDENTIFIER", { $0["uid"] = nil }), (length, { $0["uid"] = "" }),
      (length, { $0["uid"] = .string(String(repeating: "x", count: 129)) }),
      ("INVALID_CUSTOM_TOKEN", { $0["iss"] = "other@project.iam.gserviceaccount.com" }),
      (
        "CREDENTIAL_MISMATCH",
        {
          $0["iss"] = "other@project.iam.gserviceaccount.com"
          $0["sub"] = $0["iss"]
        }
      ),
      ("INVALID_CLAIMS", { $0["claims"] = "admin" }),
      ("FORBIDDEN_CLAIM : firebase", { $0["claims"] = ["firebase": [:]] }),
    ]
    try await Fixture.run { emulator in
      for (error, change) in changes {
        let bad = try await token(emulator, change)
        #expect(try await signIn(emulator, bad).message == error)
      }
      let now = emulator.clock.seconds
      for (age, isGood) in [(3899, true), (3900, false)] {
        let old = try await token(emulator) {
          $0["iat"] = .integer(now - Int64(age))
          $0["exp"] = .integer(now - Int64(age) + 3600)
        }
        #expect(try await (signIn(emulator, old).status == 200) == isGood)
      }
      let forged = try await token(emulator, key: try SigningKey.generate())
      #expect(try await signIn(emulator, forged).error == "INVALID_CUSTOM_TOKEN")
      let form =
        "INVALID_CUSTOM_TOKEN : Invalid assertion format. 3 dot separated segments required."
      for words in ["nonsense", "", "{}"] {
        #expect(try await signIn(emulator, .string(words)).message == form)
      }
      let number = try await signIn(emulator, try await token(emulator) { $0["uid"] = 42 })
      #expect(try emulator.claims(number["idToken"])["sub"] == "42")
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

  @Test func `without returnSecureToken there is a legacy token alone, which takes part`()
    async throws
  {
    try await Fixture.run { emulator in
      let mint = try await token(emulator) {
        $0["claims"] = ["long": .string(String(repeating: "x", count: 1000))]
      }
      let reply = try await emulator.call(.signInWithCustomToken, ["token": mint])
      #expect(reply["refreshToken"] == nil && reply["expiresIn"] == nil)
      let claims = try emulator.claims(reply["idToken"])
      #expect(claims["iss"] == "https://identitytoolkit.google.com/")
      #expect(claims["firebase"] == nil && claims["extra_claims"]?["long"] != nil)
      #expect(try await emulator.lookup(reply["idToken"]).status == 200)
      let upgraded = try await emulator.call(
        .signUp,
        [
          "idToken": reply["idToken"] ?? .null, "email": "ada@b.example",
          "password": "correct horse",
        ])
      #expect(upgraded["localId"] == "custom-1" && upgraded["refreshToken"] != nil)
      let cookie = try await emulator.asAdmin(
        "POST", "v1/projects/demo-luath:createSessionCookie",
        ["idToken": reply["idToken"] ?? .null])
      #expect(cookie.error == "INVALID_ID_TOKEN")
    }
  }

  @Test func `a token for a tenant does not sign in to the project`() async throws {
    try await Fixture.run { emulator in
      let token = try await token(emulator) { $0["tenant_id"] = "t" }
      let reply = try await signIn(emulator, token)
      #expect(
        reply.message
          == "TENANT_ID_MISMATCH : Specified tenant ID does not match the custom token.")
    }
  }
}
