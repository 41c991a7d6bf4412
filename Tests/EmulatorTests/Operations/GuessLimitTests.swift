@testable import Emulator
@testable import System
@testable import IdentityToolkit
import Testing

/// What production does against guessing.
@Suite(.timeLimit(.minutes(1))) struct GuessLimitTests {
  private func signIn(
    _ emulator: Fixture, _ email: String, _ password: String
  ) async throws -> Fixture.Reply {
    try await emulator.call(
      .signInWithPassword, ["email": .string(email), "password": .string(password)])
  }

  @Test func `many wrong passwords close an account to guesses for five minutes`() async throws {
    try await Fixture.run { emulator in
      _ = try await emulator.signUp("ada@b.example")
      // An address without an account looks the same.
      for email in ["ada@b.example", "nobody@b.example"] {
        for _ in 1...10 {
          #expect(
            try await signIn(emulator, email, "a wrong horse").error == "INVALID_LOGIN_CREDENTIALS")
        }
        let closed = try await signIn(emulator, email, "a wrong horse")
        #expect(closed.error == "TOO_MANY_ATTEMPTS_TRY_LATER")
        #expect(closed.message.contains("resetting your password"))
      }
      #expect(
        try await signIn(emulator, "ada@b.example", "correct horse").error
          == "TOO_MANY_ATTEMPTS_TRY_LATER")
      #expect(try await emulator.signUp("bob@b.example").status == 200)
      #expect(try await signIn(emulator, "bob@b.example", "correct horse").status == 200)
      let verify: JSON = [
        "requestType": "VERIFY_EMAIL", "email": "ada@b.example", "returnOobLink": true,
      ]
      #expect(try await emulator.admin("accounts:sendOobCode", verify).status == 200)
      let second = try await emulator.admin("accounts:sendOobCode", verify)
      #expect(second.message == "TOO_MANY_ATTEMPTS_TRY_LATER")
      emulator.clock.advance(bySeconds: 300)
      #expect(try await emulator.admin("accounts:sendOobCode", verify).status == 200)
      #expect(try await signIn(emulator, "ada@b.example", "correct horse").status == 200)
    }
  }

  @Test func `the right password and a reset start the count anew`() async throws {
    try await Fixture.run { emulator in
      _ = try await emulator.signUp("ada@b.example")
      for _ in 1...3 {
        for _ in 1...9 { _ = try await signIn(emulator, "ada@b.example", "a wrong horse") }
        #expect(try await signIn(emulator, "ada@b.example", "correct horse").status == 200)
      }
      for _ in 1...11 { _ = try await signIn(emulator, "ada@b.example", "a wrong horse") }
      _ = try await emulator.call(
        .sendOobCode, ["requestType": "PASSWORD_RESET", "email": "ada@b.example"])
      let reset = try await emulator.call(
        .resetPassword, ["oobCode": try await emulator.newestCode(), "newPassword": "new horse"])
      #expect(reset.status == 200)
      #expect(try await signIn(emulator, "ada@b.example", "new horse").status == 200)
    }
  }

  @Test func `without the rule everybody may guess`() async throws {
    var rules = Rules.production
    rules[.limitedGuesses] = false
    for rules in [rules, .compatible] {
      try await Fixture.run(rules: rules) { emulator in
        _ = try await emulator.signUp("ada@b.example")
        for _ in 1...12 { _ = try await signIn(emulator, "ada@b.example", "a wrong horse") }
        #expect(try await signIn(emulator, "ada@b.example", "correct horse").status == 200)
      }
    }
  }

  @Test func `the sixth code of an app is refused unread`() async throws {
    try await Fixture.run { emulator in
      let (_, idToken) = try await emulator.verified("ada@app.example")
      let totp = try await emulator.enrollApp(idToken)
      emulator.clock.advance(bySeconds: 30)
      func finish(_ code: String) async throws -> Fixture.Reply {
        let first = try await emulator.signIn("ada@app.example")
        return try await emulator.call(
          .finalizeMfaSignIn,
          [
            "mfaPendingCredential": first["mfaPendingCredential"] ?? .null,
            "mfaEnrollmentId": first["mfaInfo"]?[0]?["mfaEnrollmentId"] ?? .null,
            "totpVerificationInfo": ["verificationCode": .string(code)],
          ])
      }
      for _ in 1...5 { #expect(try await finish("no code").error == "INVALID_CODE") }
      let refused = try await finish(emulator.code(of: totp))
      #expect(refused.message == "QUOTA_EXCEEDED : Exceeded quota.")
      emulator.clock.advance(bySeconds: 300)
      #expect(try await finish(emulator.code(of: totp)).status == 200)
    }
  }

  @Test(arguments: ["PASSWORD_RESET", "EMAIL_SIGNIN", "VERIFY_AND_CHANGE_EMAIL"])
  func `a newer code ends the older one of its kind and address`(_ type: String) async throws {
    for rules in [Rules.production, .compatible] {
      try await Fixture.run(rules: rules) { emulator in
        let made = try await emulator.signUp("ada@b.example")
        _ = try await emulator.signUp("bob@b.example")
        func send(_ email: String, _ type: String) async throws -> JSON {
          var body: JSONObject = [
            "requestType": .string(type), "email": .string(email), "newEmail": "new@b.example",
            "continueUrl": "http://localhost/",
          ]
          if type == "VERIFY_AND_CHANGE_EMAIL" { body["idToken"] = made["idToken"] }
          let sent = try await emulator.call(.sendOobCode, .object(body))
          try #require(sent.status == 200, "\(sent.message)")
          return try await emulator.newestCode()
        }
        let older = try await send("ada@b.example", type)
        let another = try await send("bob@b.example", "PASSWORD_RESET")
        let newer = try await send("ada@b.example", type)
        let seen = try await emulator.call(.resetPassword, ["oobCode": older])
        #expect(seen.error == (rules == .production ? "INVALID_OOB_CODE" : nil))
        for code in [another, newer] {
          #expect(try await emulator.call(.resetPassword, ["oobCode": code]).status == 200)
        }
      }
    }
  }

  @Test func `a code of a state file is ended by a newer one, too`() async throws {
    let scratch = try StateScratch()
    let before = try await scratch.open()
    _ = try await before.signUp("ada@b.example")
    func send(_ emulator: Fixture) async throws -> JSON {
      _ = try await emulator.call(
        .sendOobCode, ["requestType": "PASSWORD_RESET", "email": "ada@b.example"])
      return try await emulator.newestCode()
    }
    let older = try await send(before)
    await before.emulator.stop()
    let after = try await scratch.open()
    _ = try await send(after)
    #expect(try await after.call(.resetPassword, ["oobCode": older]).error == "INVALID_OOB_CODE")
    #expect(try await after.letters().count == 1)
    await after.emulator.stop()
  }

  @Test func `a pending second step outlives a reset and a revocation, as in production`()
    async throws
  {
    try await Fixture.run { emulator in
      let (uid, idToken) = try await emulator.verified("ada@app.example")
      let totp = try await emulator.enrollApp(idToken)
      emulator.clock.advance(bySeconds: 30)
      let first = try await emulator.signIn("ada@app.example")
      _ = try await emulator.admin(
        "accounts:update",
        [
          "localId": uid, "password": "another horse",
          "validSince": .string("\(emulator.clock.seconds)"),
        ])
      let ended = try await emulator.call(
        .finalizeMfaSignIn,
        [
          "mfaPendingCredential": first["mfaPendingCredential"] ?? .null,
          "mfaEnrollmentId": first["mfaInfo"]?[0]?["mfaEnrollmentId"] ?? .null,
          "totpVerificationInfo": ["verificationCode": .string(emulator.code(of: totp))],
        ])
      #expect(ended.status == 200, "\(ended.message)")
    }
  }

  @Test func `a tenant's token makes a cookie at the project's path too`() async throws {
    try await Fixture.run { emulator in
      let tenant = try await emulator.makeTenant([
        "displayName": "north", "allowPasswordSignup": true,
      ])
      let made = try await emulator.call(
        .signUp,
        ["tenantId": .string(tenant), "email": "ada@b.example", "password": "correct horse"])
      let body: JSON = ["idToken": made["idToken"] ?? .null]
      for place in ["", "/tenants/\(tenant)"] {
        let cookie = try await emulator.asAdmin(
          "POST", "v1/projects/demo-luath\(place):createSessionCookie", body)
        let claims = try emulator.claims(cookie["sessionCookie"])
        #expect(claims["firebase"]?["tenant"] == .string(tenant))
      }
    }
  }
}
