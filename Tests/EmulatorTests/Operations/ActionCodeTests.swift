@testable import Emulator
@testable import System
@testable import IdentityToolkit
import Testing

/// What `accounts:update` does with a code from a letter.
@Suite(.timeLimit(.minutes(1)))
struct ActionCodeTests {
  private static let both = [Rules.production, .compatible]

  private func apply(_ emulator: Fixture, _ code: JSON) async throws -> Fixture.Reply {
    try await emulator.call(.update, ["oobCode": code])
  }

  @Test(arguments: both)
  func `a verification code verifies once and issues no tokens`(rules: Rules) async throws {
    try await Fixture.run(rules: rules) { emulator in
      let token = try await emulator.signUp("ada@b.example")["idToken"] ?? .null
      _ = try await emulator.call(.sendOobCode, ["requestType": "VERIFY_EMAIL", "idToken": token])
      let code = try await emulator.newestCode()
      let reply = try await apply(emulator, code)
      #expect(reply["emailVerified"] == true)
      #expect(reply["idToken"] == nil)
      #expect(try await apply(emulator, code).error == "INVALID_OOB_CODE")
      // Nobody is signed out by proving who they are.
      #expect(try await emulator.user(token)["emailVerified"] == true)
    }
  }

  @Test func `an address changes when its new owner answers, and its old owner can take it back`()
    async throws
  {
    try await Fixture.run { emulator in
      let made = try await emulator.signUp("ada@b.example")
      let token = made["idToken"] ?? .null
      _ = try await emulator.call(
        .sendOobCode,
        ["requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": token, "newEmail": "new@b.example"])
      #expect(try await emulator.user(token)["email"] == "ada@b.example")
      let changed = try await apply(emulator, try await emulator.newestCode())
      #expect(changed["email"] == "new@b.example" && changed["newEmail"] == "new@b.example")
      #expect(try await emulator.lookup(token).error == "TOKEN_EXPIRED")
      let recovery = try #require(try await emulator.letters().last)
      #expect(recovery["requestType"] == "RECOVER_EMAIL")
      let code = recovery["oobCode"] ?? .null
      let seen = try await emulator.call(.resetPassword, ["oobCode": code])
      #expect(seen["email"] == "ada@b.example" && seen["newEmail"] == "new@b.example")
      let recovered = try await apply(emulator, code)
      #expect(recovered["email"] == "ada@b.example" && recovered["emailVerified"] == true)
      #expect(recovered["localId"] == made["localId"])
    }
  }

  @Test(arguments: both)
  func `an address that somebody took meanwhile uses the code up`(rules: Rules) async throws {
    try await Fixture.run(rules: rules) { emulator in
      let token = try await emulator.signUp("ada@b.example")["idToken"] ?? .null
      _ = try await emulator.call(
        .sendOobCode,
        ["requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": token, "newEmail": "new@b.example"])
      let code = try await emulator.newestCode()
      _ = try await emulator.signUp("new@b.example")
      #expect(try await apply(emulator, code).error == "EMAIL_EXISTS")
      #expect(try await apply(emulator, code).error == "INVALID_OOB_CODE")
    }
  }

  @Test(arguments: both)
  func `codes of other kinds are refused and stay good`(rules: Rules) async throws {
    try await Fixture.run(rules: rules) { emulator in
      _ = try await emulator.signUp("ada@b.example")
      for type in ["PASSWORD_RESET", "EMAIL_SIGNIN"] {
        _ = try await emulator.call(
          .sendOobCode,
          [
            "requestType": .string(type), "email": "ada@b.example",
            "continueUrl": "http://localhost/",
          ])
        let reply = try await apply(emulator, try await emulator.newestCode())
        #expect(reply.status == (rules == .compatible ? 501 : 400))
        #expect(reply.message == (rules == .compatible ? type : "INVALID_OOB_CODE"))
      }
      #expect(try await emulator.letters().count == 2)
    }
  }

  @Test func `letters outlive the accounts, and tenants have mailboxes of their own`() async throws
  {
    try await Fixture.run(rules: .compatible) { emulator in
      _ = try await emulator.call(
        .sendOobCode,
        ["requestType": "EMAIL_SIGNIN", "email": "ada@b.example", "tenantId": "north"])
      #expect(try await emulator.letters().isEmpty)
      let path = "emulator/v1/projects/demo-luath/tenants/north"
      _ = try await emulator.request("DELETE", "\(path)/accounts")
      let letter = try #require(
        try await emulator.request("GET", "\(path)/oobCodes")["oobCodes"]?[0])
      #expect(letter["oobLink"]?.string?.hasSuffix("&tenantId=north") == true)
      let reply = try await emulator.call(
        .signInWithEmailLink,
        [
          "tenantId": "north", "email": "ada@b.example", "oobCode": letter["oobCode"] ?? .null,
        ])
      #expect(try emulator.claims(reply["idToken"])["firebase"]?["tenant"] == "north")
      #expect(
        try await emulator.request("GET", "\(path)/verificationCodes")["verificationCodes"] == [])
    }
  }
}
