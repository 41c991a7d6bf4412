@testable import Emulator
@testable import System
@testable import IdentityToolkit
@testable import OIDC
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LookupTests {
  @Test func `an id token shows its own account`() async throws {
    try await Fixture.run { emulator in
      let made = try await emulator.signUp("ada@b.example")
      let user = try await emulator.user(made["idToken"])
      #expect(user["email"] == "ada@b.example")
      #expect(user["passwordHash"]?.string != nil)
      #expect(user["createdAt"]?.string.flatMap { Int64($0) } != nil)
      #expect(user["lastRefreshAt"]?.string?.utf8.count == 24)
    }
  }

  @Test func `tokens that prove nothing are refused`() async throws {
    try await Fixture.run { emulator in
      let made = try await emulator.signUp("ada@b.example")
      let token = try #require(made["idToken"]?.string)
      #expect(try await emulator.call(.lookup).error == "MISSING_ID_TOKEN")
      let parts = token.split(separator: ".")
      let unsigned = "eyJhbGciOiJub25lIn0.\(parts[1])."
      let foreign = try SigningKey.generate().sign(try emulator.claims(made["idToken"]))
      for bad in ["x", "a.b.c", "\(token)x", unsigned, foreign] {
        #expect(try await emulator.lookup(.string(bad)).error == "INVALID_ID_TOKEN")
      }
    }
  }

  @Test func `a token ends 300 seconds after its hour, and with its account`() async throws {
    try await Fixture.run { emulator in
      let made = try await emulator.signUp("ada@b.example")
      let other = try await emulator.signUp("bob@b.example")
      emulator.clock.advance(bySeconds: 3898)
      #expect(try await emulator.lookup(made["idToken"]).status == 200)
      _ = try await emulator.admin("accounts:delete", ["localId": other["localId"] ?? .null])
      #expect(try await emulator.lookup(other["idToken"]).error == "USER_NOT_FOUND")
      emulator.clock.advance(bySeconds: 3)
      #expect(try await emulator.lookup(made["idToken"]).error == "INVALID_ID_TOKEN")
    }
  }

  @Test func `an administrator finds accounts by uid and address, each once`() async throws {
    try await Fixture.run { emulator in
      let made = try await emulator.signUp("ada@b.example")
      let reply = try await emulator.admin(
        "accounts:lookup",
        ["localId": [made["localId"] ?? .null, "nobody"], "email": ["ADA@b.example"]])
      #expect(reply["users"]?.array?.count == 1)
      #expect(try await emulator.admin("accounts:lookup", ["localId": ["x"]])["users"] == nil)
    }
  }
}
