import Emulator
import Encoding
import IdentityToolkit
import OIDC
import Testing

@Suite(.timeLimit(.minutes(1))) struct AuthenticatorAppTests {
  private func finish(
    _ emulator: Fixture, _ first: Fixture.Reply, code: String
  ) async throws -> Fixture.Reply {
    try await emulator.call(
      .finalizeMfaSignIn,
      [
        "mfaPendingCredential": first["mfaPendingCredential"] ?? .null,
        "mfaEnrollmentId": first["mfaInfo"]?[0]?["mfaEnrollmentId"] ?? .null,
        "totpVerificationInfo": ["verificationCode": .string(code)],
      ])
  }

  @Test func `an app's code signs in once`() async throws {
    try await Fixture.run { emulator in
      let (_, idToken) = try await emulator.verified("ada@app.example")
      let totp = try await emulator.enrollApp(idToken)
      emulator.clock.advance(bySeconds: 30)
      let first = try await emulator.signIn("ada@app.example")
      #expect(first["mfaInfo"]?[0]?["totpInfo"] == [:])
      let code = emulator.code(of: totp)
      let ended = try await finish(emulator, first, code: code)
      #expect(
        try emulator.claims(ended["idToken"])["firebase"]?["sign_in_second_factor"] == "totp")
      let changed = try await emulator.call(
        .update, ["idToken": ended["idToken"] ?? .null, "password": "another horse"])
      #expect(
        try emulator.claims(changed["idToken"])["firebase"]?["sign_in_second_factor"] == "totp")
      let second = try await emulator.call(
        .signInWithPassword, ["email": "ada@app.example", "password": "another horse"])
      #expect(try await finish(emulator, second, code: code).error == "INVALID_CODE")
    }
  }

  @Test func `the code that enrolled an app does not sign in`() async throws {
    try await Fixture.run { emulator in
      let (_, idToken) = try await emulator.verified("bob@app.example")
      let totp = try await emulator.enrollApp(idToken)
      let first = try await emulator.signIn("bob@app.example")
      let reply = try await finish(emulator, first, code: emulator.code(of: totp))
      #expect(reply.error == "INVALID_CODE")
    }
  }

  @Test func `a code may be as late as the project allows, and no later`() async throws {
    try await Fixture.run { emulator in
      try await emulator.configure(
        "mfa",
        [
          "mfa": [
            "state": "ENABLED",
            "providerConfigs": [
              ["state": "ENABLED", "totpProviderConfig": ["adjacentIntervals": 1]]
            ],
          ]
        ])
      let (_, idToken) = try await emulator.verified("cy@app.example")
      let totp = try await emulator.enrollApp(idToken)
      emulator.clock.advance(bySeconds: 300)
      let step = totp.step(at: emulator.clock.seconds)
      let first = try await emulator.signIn("cy@app.example")
      #expect(
        try await finish(emulator, first, code: totp.code(at: step - 2)).error == "INVALID_CODE")
      #expect(try await finish(emulator, first, code: totp.code(at: step - 1)).status == 200)
    }
  }

  @Test func `a pending credential works once, and for ten minutes`() async throws {
    try await Fixture.run { emulator in
      let (_, idToken) = try await emulator.verified("di@app.example")
      let totp = try await emulator.enrollApp(idToken)
      emulator.clock.advance(bySeconds: 30)
      let first = try await emulator.signIn("di@app.example")
      #expect(try await finish(emulator, first, code: emulator.code(of: totp)).status == 200)
      emulator.clock.advance(bySeconds: 30)
      let again = try await finish(emulator, first, code: emulator.code(of: totp))
      #expect(again.error == "INVALID_MFA_PENDING_CREDENTIAL")
      let late = try await emulator.signIn("di@app.example")
      emulator.clock.advance(bySeconds: 601)
      let reply = try await finish(emulator, late, code: emulator.code(of: totp))
      #expect(reply.error == "INVALID_MFA_PENDING_CREDENTIAL")
    }
  }

  @Test func `a project without apps refuses them`() async throws {
    try await Fixture.run({
      $0.settings["mfa"] = ["state": "ENABLED", "enabledProviders": ["PHONE_SMS"]]
    }) { emulator in
      let (_, idToken) = try await emulator.verified("ed@app.example")
      let reply = try await emulator.call(
        .startMfaEnrollment, ["idToken": idToken, "totpEnrollmentInfo": [:]])
      #expect(reply.message == "OPERATION_NOT_ALLOWED : TOTP based MFA not enabled.")
    }
  }

  @Test func `an account has one app`() async throws {
    try await Fixture.run { emulator in
      let (_, idToken) = try await emulator.verified("flo@app.example")
      _ = try await emulator.enrollApp(idToken)
      let reply = try await emulator.call(
        .startMfaEnrollment, ["idToken": idToken, "totpEnrollmentInfo": [:]])
      #expect(reply.error == "SECOND_FACTOR_EXISTS")
    }
  }

  @Test func `Firebase's emulator knows no apps`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let (_, idToken) = try await emulator.verified("gus@app.example")
      let start = try await emulator.call(
        .startMfaEnrollment, ["idToken": idToken, "totpEnrollmentInfo": [:]])
      #expect(start.message == "INVALID_ARGUMENT : ((Missing phoneEnrollmentInfo.))")
      let end = try await emulator.call(
        .finalizeMfaSignIn,
        ["mfaPendingCredential": "x", "totpVerificationInfo": ["verificationCode": "123456"]])
      #expect(end.message == "INVALID_ARGUMENT : MFA provider not supported!")
    }
  }
}
