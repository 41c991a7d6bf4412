@testable import Emulator
@testable import System
@testable import IdentityToolkit
@testable import OIDC
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
        .update,
        [
          "idToken": ended["idToken"] ?? .null, "password": "another horse",
          "returnSecureToken": true,
        ])
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

  @Test func `a pending credential works more than once, and for five minutes`() async throws {
    try await Fixture.run { emulator in
      let (_, idToken) = try await emulator.verified("di@app.example")
      let totp = try await emulator.enrollApp(idToken)
      emulator.clock.advance(bySeconds: 30)
      let first = try await emulator.signIn("di@app.example")
      #expect(try await finish(emulator, first, code: emulator.code(of: totp)).status == 200)
      emulator.clock.advance(bySeconds: 30)
      #expect(try await finish(emulator, first, code: emulator.code(of: totp)).status == 200)
      let late = try await emulator.signIn("di@app.example")
      emulator.clock.advance(bySeconds: 301)
      let reply = try await finish(emulator, late, code: emulator.code(of: totp))
      #expect(reply.error == "TOTP_CHALLENGE_TIMEOUT")
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
      #expect(reply.error == "SECOND_FACTOR_LIMIT_EXCEEDED")
    }
  }

  @Test func `an enrolment is looked at in the order session, name, code, and ends`() async throws {
    try await Fixture.run { emulator in
      let (_, idToken) = try await emulator.verified("hal@app.example")
      func finish(_ session: JSON?, _ name: JSON?, _ code: String) async throws -> String? {
        let reply = try await emulator.call(
          .finalizeMfaEnrollment,
          [
            "idToken": idToken, "displayName": name ?? .null,
            "totpVerificationInfo": [
              "sessionInfo": session ?? .null, "verificationCode": .string(code),
            ],
          ])
        return reply.error
      }
      func start() async throws -> (session: JSON?, totp: TOTP) {
        let started = try await emulator.call(
          .startMfaEnrollment, ["idToken": idToken, "totpEnrollmentInfo": [:]])
        let info = try #require(started["totpSessionInfo"], "\(started.message)")
        let secret = try #require(Base32.decode(info["sharedSecretKey"]?.string ?? ""))
        return (info["sessionInfo"], TOTP(secret: SecretBytes(secret)))
      }
      let (session, totp) = try await start()
      #expect(try await finish("unknown", nil, "000000") == "INVALID_SESSION_INFO")
      #expect(try await finish(session, nil, "no code") == "MISSING_DISPLAY_NAME")
      #expect(try await finish(session, "app", "no code") == "INVALID_CODE")
      let old = try await start().session
      #expect(try await finish(session, "app", emulator.code(of: totp)) == nil)
      #expect(
        try await finish(session, "app", emulator.code(of: totp)) == "TOO_MANY_ENROLLMENT_ATTEMPTS")
      // The token from before the app still works.
      #expect(try await emulator.lookup(idToken).status == 200)
      emulator.clock.advance(bySeconds: 930)
      let again = try await emulator.signIn("hal@app.example")
      #expect(again["mfaPendingCredential"] != nil)
      let late = try await emulator.call(
        .finalizeMfaEnrollment,
        [
          "idToken": idToken, "displayName": "app",
          "totpVerificationInfo": ["sessionInfo": old ?? .null, "verificationCode": "000000"],
        ])
      // The token is too old by now as well, which is looked at first.
      #expect(late.error == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
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
