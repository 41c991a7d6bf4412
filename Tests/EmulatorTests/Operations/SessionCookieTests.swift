@testable import Emulator
@testable import System
@testable import IdentityToolkit
@testable import OIDC
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SessionCookieTests {
  private func cookie(
    _ emulator: Fixture, _ idToken: JSON?, _ duration: JSON? = nil
  ) async throws -> Fixture.Reply {
    var body: JSONObject = ["idToken": idToken ?? .null]
    body["validDuration"] = duration
    return try await emulator.asAdmin(
      "POST", "v1/projects/demo-luath:createSessionCookie", .object(body))
  }

  @Test func `a cookie is the token under another issuer, signed with keys of its own`()
    async throws
  {
    try await Fixture.run { emulator in
      let made = try await emulator.signUp("a@b.example")
      let reply = try await cookie(emulator, made["idToken"], "3600")
      let jwt = try JWT(decoding: try #require(reply["sessionCookie"]?.string))
      #expect(jwt.claims["iss"] == "https://session.firebase.google.com/demo-luath")
      #expect(jwt.claims["sub"] == made["localId"] && jwt.header["typ"] == nil)
      let issued = try #require(jwt.claims["iat"]?.integer)
      #expect(jwt.claims["exp"]?.integer == issued + 3600)
      let keys = try await emulator.request(
        "GET", "identitytoolkit.googleapis.com/v1/sessionCookiePublicKeys")
      try jwt.verify(try KeySet(json: keys.json), algorithms: [.rs256])
      let old = try await emulator.request(
        "GET", "www.googleapis.com/identitytoolkit/v3/relyingparty/publicKeys")
      #expect(old.json.object?.keys == keys["keys"]?.array?.compactMap { $0["kid"]?.string })
      // It is no ID token.
      #expect(try await emulator.lookup(reply["sessionCookie"]).error == "INVALID_ID_TOKEN")
    }
  }

  @Test(
    arguments: [
      ("299", nil), ("300", 300), ("1209600", 1_209_600), ("1209601", nil), ("0", 1_209_600),
      ("soon", 1_209_600), (" 0x200 ", 512),
    ] as [(String, Int64?)])
  func `its life is between five minutes and two weeks`(
    _ text: String, _ seconds: Int64?
  ) async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let made = try await emulator.call(.signUp)
      let reply = try await cookie(emulator, made["idToken"], .string(text))
      guard let seconds else {
        #expect(reply.error == "INVALID_DURATION")
        return
      }
      let claims = try emulator.claims(reply["sessionCookie"])
      #expect(claims["exp"]?.integer == claims["iat"]?.integer.map { $0 + seconds })
    }
  }

  @Test func `it needs a token that is alive`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let missing = try await cookie(emulator, "")
      #expect(missing.error == "MISSING_ID_TOKEN")
      #expect(try await cookie(emulator, "x").error == "INVALID_ID_TOKEN")
      #expect(try await cookie(emulator, "x", "1").error == "INVALID_DURATION")
    }
  }
}
