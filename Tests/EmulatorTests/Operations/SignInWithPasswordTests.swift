@testable import Emulator
@testable import System
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct SignInWithPasswordTests {
  @Test func `the right password signs in, whatever the case of the address`() async throws {
    try await Fixture.run { emulator in
      let made = try await emulator.signUp("ada@b.example")
      let reply = try await emulator.call(
        .signInWithPassword, ["email": "ADA@b.example", "password": "correct horse"])
      #expect(reply.status == 200)
      #expect(reply["registered"] == true)
      #expect(reply["localId"] == made["localId"])
      #expect(try emulator.claims(reply["idToken"])["email"] == "ada@b.example")
    }
  }

  @Test(
    arguments: [
      (["password": "123456"], "MISSING_EMAIL"), (["email": "ada@b.example"], "MISSING_PASSWORD"),
      (["email": "nonsense", "password": "123456"], "INVALID_EMAIL"),
      (["email": "ada@b.example", "password": "wrong"], "INVALID_LOGIN_CREDENTIALS"),
      (["email": "nobody@b.example", "password": "wrong"], "INVALID_LOGIN_CREDENTIALS"),
    ] as [(JSON, String)])
  func `with enumeration protection a refusal tells nothing`(body: JSON, error: String) async throws
  {
    try await Fixture.run { emulator in
      _ = try await emulator.signUp("ada@b.example")
      #expect(try await emulator.call(.signInWithPassword, body).error == error)
    }
  }

  @Test func `without enumeration protection a refusal tells what is wrong`() async throws {
    try await Fixture.run({ $0.enumerationProtection = false }) { emulator in
      _ = try await emulator.signUp("ada@b.example")
      let wrong: JSON = ["email": "ada@b.example", "password": "wrong one"]
      #expect(try await emulator.call(.signInWithPassword, wrong).error == "INVALID_PASSWORD")
      let unknown: JSON = ["email": "nobody@b.example", "password": "wrong one"]
      #expect(try await emulator.call(.signInWithPassword, unknown).error == "EMAIL_NOT_FOUND")
    }
  }

  @Test func `passwords that differ only in Unicode form are different`() async throws {
    try await Fixture.run { emulator in
      _ = try await emulator.signUp("ada@b.example", "caf\u{E9} au lait")
      let reply = try await emulator.call(
        .signInWithPassword, ["email": "ada@b.example", "password": "cafe\u{301} au lait"])
      #expect(reply.error == "INVALID_LOGIN_CREDENTIALS")
    }
  }

  @Test func `a disabled account is refused only with the right password`() async throws {
    try await Fixture.run { emulator in
      let made = try await emulator.signUp("ada@b.example")
      let uid = made["localId"] ?? .null
      _ = try await emulator.admin("accounts:update", ["localId": uid, "disableUser": true])
      let right: JSON = ["email": "ada@b.example", "password": "correct horse"]
      #expect(try await emulator.call(.signInWithPassword, right).error == "USER_DISABLED")
      #expect(try await emulator.lookup(made["idToken"]).error == "USER_DISABLED")
    }
  }
}
