@testable import Emulator
@testable import System
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1))) struct PasskeyTests {
  private func call(
    _ emulator: Fixture, _ path: String, _ body: JSON
  ) async throws -> Fixture.Reply {
    try await emulator.post("identitytoolkit.googleapis.com/v2/accounts/passkey\(path)", body)
  }

  @Test(arguments: [Rules.compatible, .production])
  func `a passkey is kept by its id and signs in`(rules: Rules) async throws {
    try await Fixture.run(rules: rules) { emulator in
      let new = try await emulator.signUp("ada@passkey.example")
      let token = new["idToken"] ?? .null
      let options = try await call(emulator, "Enrollment:start", ["idToken": token])
      #expect(
        options["credentialCreationOptions"]?["user"]?["id"]
          == .string(Base64.encode(Array((new["localId"]?.string ?? "").utf8))))
      let kept = try await call(
        emulator, "Enrollment:finalize",
        ["idToken": token, "authenticatorRegistrationResponse": ["id": "c1"]])
      #expect(kept["localId"] == new["localId"])
      #expect(try await emulator.user(token)["passkeyInfo"]?[0]?["name"] == "Unnamed Passkey")
      let ended = try await call(
        emulator, "SignIn:finalize", ["authenticatorAuthenticationResponse": ["id": "c1"]])
      #expect(try emulator.claims(ended["idToken"])["sub"] == new["localId"])
      #expect(
        try emulator.claims(ended["idToken"])["firebase"]?["sign_in_provider"] == "passkey")
    }
  }

  @Test func `what is missing or known is refused by name`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let token = try await emulator.signUp("bob@passkey.example")["idToken"] ?? .null
      let response: JSON = ["id": "c2"]
      #expect(
        try await call(
          emulator, "Enrollment:finalize", ["authenticatorRegistrationResponse": response]
        ).error == "MISSING_ID_TOKEN")
      #expect(
        try await call(emulator, "Enrollment:finalize", ["idToken": "x"]).error
          == "MISSING_AUTHENTICATOR_RESPONSE")
      #expect(
        try await call(
          emulator, "Enrollment:finalize",
          ["idToken": token, "authenticatorRegistrationResponse": [:]]
        ).error == "INVALID_CREDENTIAL_ID")
      for expected in [200, 400] {
        let reply = try await call(
          emulator, "Enrollment:finalize",
          ["idToken": token, "authenticatorRegistrationResponse": response])
        #expect(reply.status == expected)
        if expected == 400 { #expect(reply.error == "CREDENTIAL_ALREADY_IN_USE") }
      }
      #expect(
        try await call(
          emulator, "SignIn:finalize", ["authenticatorAuthenticationResponse": ["id": "c3"]]
        ).error == "PASSKEY_CREDENTIAL_NOT_FOUND")
    }
  }
}
