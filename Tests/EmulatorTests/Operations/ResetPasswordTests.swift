@testable import Emulator
@testable import System
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ResetPasswordTests {
  private static let both = [Rules.production, .compatible]

  private func resetCode(_ emulator: Fixture, _ email: JSON = "ada@b.example") async throws -> JSON
  {
    let reply = try await emulator.call(
      .sendOobCode, ["requestType": "PASSWORD_RESET", "email": email])
    try #require(reply.status == 200)
    return try await emulator.newestCode()
  }

  @Test(arguments: both)
  func `a code is looked at, survives a weak password, and works once`(rules: Rules) async throws {
    try await Fixture.run(rules: rules) { emulator in
      let made = try await emulator.signUp("ada@b.example")
      let code = try await resetCode(emulator)
      let empty = try await emulator.call(.resetPassword, ["oobCode": code, "newPassword": ""])
      #expect(empty.error == (rules == .compatible ? nil : "WEAK_PASSWORD"))
      let seen = try await emulator.call(.resetPassword, ["oobCode": code])
      #expect(seen["requestType"] == "PASSWORD_RESET" && seen["email"] == "ada@b.example")
      let weak = try await emulator.call(.resetPassword, ["oobCode": code, "newPassword": "12345"])
      #expect(weak.error == "WEAK_PASSWORD")
      emulator.clock.advance(bySeconds: 1)
      let done = try await emulator.call(
        .resetPassword, ["oobCode": code, "newPassword": "a new password"])
      #expect(done.status == 200)
      #expect(try await emulator.letters().isEmpty)
      let again = try await emulator.call(
        .resetPassword, ["oobCode": code, "newPassword": "a new password"])
      #expect(again.error == "INVALID_OOB_CODE")
      // Whoever knew the old password is out.
      #expect(try await emulator.lookup(made["idToken"]).error == "TOKEN_EXPIRED")
      let fresh = try await emulator.call(
        .signInWithPassword, ["email": "ada@b.example", "password": "a new password"])
      #expect(try await emulator.user(fresh["idToken"])["emailVerified"] == true)
    }
  }

  @Test(arguments: both)
  func `a code for something else sets no password`(rules: Rules) async throws {
    try await Fixture.run(rules: rules) { emulator in
      _ = try await emulator.call(
        .sendOobCode,
        [
          "requestType": "EMAIL_SIGNIN", "email": "ada@b.example",
          "continueUrl": "http://localhost/",
        ])
      let code = try await emulator.newestCode()
      let seen = try await emulator.call(.resetPassword, ["oobCode": code])
      #expect(seen["requestType"] == "EMAIL_SIGNIN")
      #expect(seen["email"] == nil)
      let reply = try await emulator.call(.resetPassword, ["oobCode": code, "newPassword": "123"])
      // Google's servers do nothing with it (measured).
      #expect(reply.error == (rules == .compatible ? "INVALID_OOB_CODE" : nil))
      #expect(try await emulator.call(.resetPassword, ["oobCode": code]).status == 200)
      #expect(try await emulator.call(.resetPassword).error == "MISSING_OOB_CODE")
    }
  }

  @Test func `codes expire by the project's clock`() async throws {
    try await Fixture.run { emulator in
      _ = try await emulator.signUp("ada@b.example")
      let code = try await resetCode(emulator)
      emulator.clock.advance(bySeconds: 3599)
      #expect(try await emulator.call(.resetPassword, ["oobCode": code]).status == 200)
      emulator.clock.advance(bySeconds: 1)
      #expect(
        try await emulator.call(.resetPassword, ["oobCode": code]).error == "EXPIRED_OOB_CODE")
    }
    try await Fixture.run(rules: .compatible) { emulator in
      _ = try await emulator.signUp("ada@b.example")
      let code = try await resetCode(emulator)
      emulator.clock.advance(bySeconds: 365 * 86_400)
      #expect(try await emulator.call(.resetPassword, ["oobCode": code]).status == 200)
    }
  }

  @Test func `a code is the account's it was made for, or the address's in Firebase's emulator`()
    async throws
  {
    for rules in Self.both {
      try await Fixture.run(rules: rules) { emulator in
        let made = try await emulator.signUp("ada@b.example")
        let code = try await resetCode(emulator)
        _ = try await emulator.call(.delete, ["idToken": made["idToken"] ?? .null])
        _ = try await emulator.signUp("ada@b.example")
        let reply = try await emulator.call(
          .resetPassword, ["oobCode": code, "newPassword": "somebody else"])
        #expect(reply.error == (rules == .compatible ? nil : "INVALID_OOB_CODE"))
      }
    }
  }

  @Test func `a verified address keeps its providers, except in Firebase's emulator`() async throws
  {
    for rules in Self.both {
      try await Fixture.run(rules: rules) { emulator in
        let uid = try await emulator.signUp("ada@b.example")["localId"] ?? .null
        _ = try await emulator.admin(
          "accounts:update",
          [
            "localId": uid, "emailVerified": true,
            "linkProviderUserInfo": ["providerId": "google.com", "rawId": "g"],
          ])
        let code = try await resetCode(emulator)
        _ = try await emulator.call(
          .resetPassword, ["oobCode": code, "newPassword": "a new password"])
        let users = try await emulator.admin("accounts:lookup", ["localId": [uid]])
        let ids = users["users"]?[0]?["providerUserInfo"]?.array?.compactMap { $0["providerId"] }
        #expect(ids?.contains("google.com") == (rules != .compatible))
        #expect(ids?.contains("password") == true)
      }
    }
  }

  @Test func `a switched-off password provider resets nothing`() async throws {
    try await Fixture.run { emulator in
      _ = try await emulator.signUp("ada@b.example")
      let code = try await resetCode(emulator)
      try await emulator.setConfig(
        "signIn.email.enabled", ["signIn": ["email": ["enabled": false]]])
      let reply = try await emulator.call(
        .resetPassword, ["oobCode": code, "newPassword": "a new password"])
      #expect(reply.error == "PASSWORD_LOGIN_DISABLED")
      // Google's servers send the e-mail all the same.
      let ask = try await emulator.call(
        .sendOobCode, ["requestType": "PASSWORD_RESET", "email": "ada@b.example"])
      #expect(ask.status == 200, "\(ask.message)")
      let newer = try await emulator.newestCode()
      #expect(newer != code)
      let again = try await emulator.call(
        .resetPassword, ["oobCode": newer, "newPassword": "a new password"])
      #expect(again.error == "PASSWORD_LOGIN_DISABLED")
    }
  }
}
