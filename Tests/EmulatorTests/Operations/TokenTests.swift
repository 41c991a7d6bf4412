@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import OIDC
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TokenTests {
  @Test func `a refresh token buys a new id token of the same sign-in`() async throws {
    try await Fixture.run { emulator in
      let made = try await emulator.signUp("ada@b.example")
      let old = try emulator.claims(made["idToken"])
      emulator.clock.advance(bySeconds: 4000)
      let reply = try await emulator.call(
        .token, ["grantType": "refresh_token", "refreshToken": made["refreshToken"] ?? .null])
      #expect(reply.status == 200)
      #expect(reply["access_token"] == reply["id_token"])
      #expect(reply["user_id"] == made["localId"])
      #expect(reply["token_type"] == "Bearer")
      let new = try emulator.claims(reply["id_token"])
      #expect(new["auth_time"] == old["auth_time"])
      #expect(new["iat"] != old["iat"])
      #expect(try await emulator.lookup(reply["id_token"]).status == 200)
    }
  }

  @Test func `a form is understood as well as JSON`() async throws {
    try await Fixture.run { emulator in
      let made = try await emulator.signUp("ada@b.example")
      let url = try #require(
        WebURL("\(emulator.origin)/securetoken.googleapis.com/v1/token?key=fake-key"))
      let form = FormFields([
        ("grant_type", "refresh_token"), ("refresh_token", made["refreshToken"]?.string ?? ""),
      ])
      #expect(try await emulator.send(.post(url, form: form)).status == 200)
    }
  }

  @Test(
    arguments: [
      ([:], "MISSING_GRANT_TYPE"), (["grantType": "password"], "INVALID_GRANT_TYPE"),
      (["grantType": "refresh_token"], "MISSING_REFRESH_TOKEN"),
      (["grant_type": "refresh_token", "refresh_token": "made up"], "INVALID_REFRESH_TOKEN"),
    ] as [(JSON, String)])
  func `bad fields are refused by name`(body: JSON, error: String) async throws {
    try await Fixture.run { emulator in
      let reply = try await emulator.call(.token, body)
      #expect(reply.error == error)
    }
  }

  @Test func `id tokens verify with the published keys`() async throws {
    try await Fixture.run { emulator in
      let made = try await emulator.signUp("ada@b.example")
      let signer = "securetoken@system.gserviceaccount.com"
      let keys = try await emulator.request(
        "GET", "www.googleapis.com/service_accounts/v1/jwk/\(signer)")
      let jwt = try JWT(decoding: try #require(made["idToken"]?.string))
      try jwt.verify(try KeySet(json: keys.json), algorithms: [.rs256])
      #expect(jwt.claims["iss"] == "https://securetoken.google.com/demo-luath")
      #expect(jwt.claims["aud"] == "demo-luath")
      #expect(jwt.claims["sub"] == made["localId"])
      #expect(jwt.claims["user_id"] == made["localId"])
      #expect(jwt.claims["firebase"]?["identities"]?["email"] == ["ada@b.example"])
      #expect(jwt.claims["firebase"]?["sign_in_provider"] == "password")
      let certificates = try await emulator.request(
        "GET", "www.googleapis.com/robot/v1/metadata/x509/\(signer)")
      let certificate = certificates[jwt.keyID ?? ""]?.string
      #expect(certificate?.hasPrefix("-----BEGIN CERTIFICATE-----") == true)
    }
  }
}
