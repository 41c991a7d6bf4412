@testable import Emulator
@testable import System
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DeleteTests {
  @Test func `a recent sign-in can delete its account`() async throws {
    try await Fixture.run { emulator in
      let made = try await emulator.signUp("ada@b.example")
      #expect(try await emulator.call(.delete, ["idToken": made["idToken"] ?? .null]).status == 200)
      #expect(try await emulator.lookup(made["idToken"]).error == "USER_NOT_FOUND")
      let refresh = try await emulator.call(
        .token, ["grantType": "refresh_token", "refreshToken": made["refreshToken"] ?? .null])
      #expect(refresh.error == "USER_NOT_FOUND")
      _ = try await emulator.signUp("ada@b.example")
    }
  }

  @Test func `an old sign-in cannot, even with a fresh token`() async throws {
    try await Fixture.run { emulator in
      let made = try await emulator.signUp("ada@b.example")
      emulator.clock.advance(bySeconds: 301)
      let refresh = try await emulator.call(
        .token, ["grantType": "refresh_token", "refreshToken": made["refreshToken"] ?? .null])
      let reply = try await emulator.call(.delete, ["idToken": refresh["id_token"] ?? .null])
      #expect(reply.error == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    }
  }

  @Test func `a request without a token is refused`() async throws {
    try await Fixture.run { emulator in
      #expect(try await emulator.call(.delete).error == "MISSING_ID_TOKEN")
      #expect(try await emulator.admin("accounts:delete").error == "MISSING_LOCAL_ID")
      let unknown = try await emulator.admin("accounts:delete", ["localId": "x"])
      #expect(unknown.error == "USER_NOT_FOUND")
    }
  }
}
