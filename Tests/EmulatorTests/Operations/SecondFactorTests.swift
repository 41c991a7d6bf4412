@testable import Emulator
@testable import System
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1))) struct SecondFactorTests {
  @Test func `a telephone is enrolled, asked for, and named in the tokens`() async throws {
    try await Fixture.run { emulator in
      let (_, idToken) = try await emulator.verified("ada@second.example")
      let enrolled = try await emulator.enroll(phone: "+15550100001", idToken)
      #expect(enrolled.status == 200)
      let first = try await emulator.signIn("ada@second.example")
      #expect(first["idToken"] == nil)
      #expect(first["mfaInfo"]?[0]?["phoneInfo"] == "+*******0001")
      let id = first["mfaInfo"]?[0]?["mfaEnrollmentId"] ?? .null
      let pending = first["mfaPendingCredential"] ?? .null
      let started = try await emulator.call(
        .startMfaSignIn,
        ["mfaPendingCredential": pending, "mfaEnrollmentId": id, "phoneSignInInfo": [:]])
      let session = started["phoneResponseInfo"]?["sessionInfo"] ?? .null
      let ended = try await emulator.call(
        .finalizeMfaSignIn,
        [
          "mfaPendingCredential": pending,
          "phoneVerificationInfo": ["sessionInfo": session, "code": try await emulator.lastCode()],
        ])
      let claims = try emulator.claims(ended["idToken"])
      #expect(claims["firebase"]?["sign_in_second_factor"] == "phone")
      #expect(claims["firebase"]?["second_factor_identifier"] == id)
      let refreshed = try await emulator.call(
        .token,
        ["grantType": "refresh_token", "refreshToken": ended["refreshToken"] ?? .null])
      #expect(
        try emulator.claims(refreshed["id_token"])["firebase"]?["second_factor_identifier"] == id)
      // The phone has ended the sessions from before it, and the withdrawal ends all others.
      #expect(try await emulator.lookup(idToken).error == "TOKEN_EXPIRED")
      let factor = try await emulator.user(ended["idToken"])["mfaInfo"]?[0]
      #expect(factor?["unobfuscatedPhoneInfo"] == nil)
      #expect(id.string?.utf8.count == 36)
      let withdrawn = try await emulator.call(
        .withdrawMfaEnrollment, ["idToken": ended["idToken"] ?? .null, "mfaEnrollmentId": id])
      #expect(withdrawn["expiresIn"] == nil)
      #expect(
        try emulator.claims(withdrawn["idToken"])["firebase"]?["sign_in_second_factor"] == nil)
      #expect(try await emulator.lookup(ended["idToken"]).error == "TOKEN_EXPIRED")
      #expect(try await emulator.lookup(withdrawn["idToken"]).status == 200)
    }
  }

  @Test func `the code that the iOS SDK has sent to the masked number finishes the sign-in`()
    async throws
  {
    try await Fixture.run(rules: .compatible) { emulator in
      let (_, idToken) = try await emulator.verified("ida@second.example")
      _ = try await emulator.enroll(phone: "+1 555 010-0031", idToken)
      _ = try await emulator.enroll(phone: "+1 555 010-0032", idToken)
      let first = try await emulator.signIn("ida@second.example")
      let factor = try #require(first["mfaInfo"]?[1])
      #expect(factor["phoneInfo"] == "+* *** ***-0032")
      let sent = try await emulator.call(
        .sendVerificationCode, ["phoneNumber": factor["phoneInfo"] ?? .null])
      let ended = try await emulator.call(
        .finalizeMfaSignIn,
        [
          "mfaPendingCredential": first["mfaPendingCredential"] ?? .null,
          "phoneVerificationInfo": [
            "sessionInfo": sent["sessionInfo"] ?? .null, "code": try await emulator.lastCode(),
          ],
        ])
      #expect(ended.status == 200, "\(ended.message)")
      let claims = try emulator.claims(ended["idToken"])
      #expect(claims["firebase"]?["second_factor_identifier"] == factor["mfaEnrollmentId"])
    }
  }

  @Test func `an unverified address and an anonymous person cannot have a second factor`()
    async throws
  {
    try await Fixture.run { emulator in
      let info: JSON = ["phoneNumber": "+15550100002"]
      let unverified = try await emulator.signUp("bob@second.example")
      let first = try await emulator.call(
        .startMfaEnrollment,
        ["idToken": unverified["idToken"] ?? .null, "phoneEnrollmentInfo": info])
      #expect(first.error == "UNVERIFIED_EMAIL")
      let anonymous = try await emulator.call(.signUp)
      let second = try await emulator.call(
        .startMfaEnrollment,
        ["idToken": anonymous["idToken"] ?? .null, "phoneEnrollmentInfo": info])
      #expect(second.error == "UNSUPPORTED_FIRST_FACTOR")
    }
  }

  @Test func `enrolling needs a recent sign-in`() async throws {
    try await Fixture.run { emulator in
      let (_, idToken) = try await emulator.verified("cy@second.example")
      emulator.clock.advance(bySeconds: 301)
      let reply = try await emulator.call(
        .startMfaEnrollment,
        ["idToken": idToken, "phoneEnrollmentInfo": ["phoneNumber": "+15550100003"]])
      #expect(reply.error == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    }
  }

  @Test func `an account has room for five second factors`() async throws {
    try await Fixture.run { emulator in
      let (uid, idToken) = try await emulator.verified("di@second.example")
      let five = (1...5).map { (number: Int) -> JSON in
        [
          "mfaEnrollmentId": .string("factor-\(number)"),
          "phoneInfo": .string("+1555010010\(number)"),
        ]
      }
      let set = try await emulator.admin(
        "accounts:update", ["localId": uid, "mfa": ["enrollments": .array(five)]])
      #expect(set.status == 200)
      let sixth = try await emulator.call(
        .startMfaEnrollment,
        ["idToken": idToken, "phoneEnrollmentInfo": ["phoneNumber": "+15550100106"]])
      #expect(sixth.error == "SECOND_FACTOR_LIMIT_EXCEEDED")
    }
  }

  @Test func `people cannot set their own factors without proof, nor then change the address`()
    async throws
  {
    try await Fixture.run({ $0.enumerationProtection = false }) { emulator in
      let (_, idToken) = try await emulator.verified("ed@second.example")
      let own = try await emulator.call(
        .update,
        [
          "idToken": idToken,
          "mfa": ["enrollments": [["mfaEnrollmentId": "x", "phoneInfo": "+15550100004"]]],
        ])
      #expect(own.error == "INSUFFICIENT_PERMISSION")
      let enrolled = try await emulator.enroll(phone: "+15550100004", idToken)
      let moved = try await emulator.call(
        .update, ["idToken": enrolled["idToken"] ?? .null, "email": "eddie@second.example"])
      #expect(moved.error == "EMAIL_CHANGE_NEEDS_VERIFICATION")
    }
  }

  @Test func `a code sent for a sign-in by telephone is no second factor`() async throws {
    try await Fixture.run { emulator in
      let (_, idToken) = try await emulator.verified("flo@second.example")
      _ = try await emulator.enroll(phone: "+15550100005", idToken)
      let first = try await emulator.signIn("flo@second.example")
      let sent = try await emulator.call(
        .sendVerificationCode, ["phoneNumber": "+15550100006"])
      let session = try #require(sent["sessionInfo"], "\(sent.message)")
      let ended = try await emulator.call(
        .finalizeMfaSignIn,
        [
          "mfaPendingCredential": first["mfaPendingCredential"] ?? .null,
          "phoneVerificationInfo": ["sessionInfo": session, "code": try await emulator.lastCode()],
        ])
      #expect(ended.error == "INVALID_SESSION_INFO")
    }
  }

  @Test func `the last factor that is withdrawn leaves an empty list`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let (_, idToken) = try await emulator.verified("gus@second.example")
      let enrolled = try await emulator.enroll(phone: "+15550100007", idToken)
      let token = enrolled["idToken"] ?? .null
      let id = try await emulator.user(token)["mfaInfo"]?[0]?["mfaEnrollmentId"] ?? .null
      let ended = try await emulator.call(
        .withdrawMfaEnrollment, ["idToken": token, "mfaEnrollmentId": id])
      #expect(try emulator.claims(ended["idToken"])["firebase"]?["sign_in_second_factor"] == nil)
      #expect(try await emulator.user(ended["idToken"])["mfaInfo"] == [])
      let again = try await emulator.call(
        .withdrawMfaEnrollment, ["idToken": token, "mfaEnrollmentId": id])
      #expect(again.error == "MFA_ENROLLMENT_NOT_FOUND")
    }
  }

  @Test func `another project's pending credential is refused`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let json: JSON = [
        "_AuthEmulatorMfaPendingCredential": "DO NOT MODIFY", "localId": "u",
        "signInProvider": "password", "projectId": "another",
      ]
      let reply = try await emulator.call(
        .startMfaSignIn,
        [
          "mfaPendingCredential": .string(Base64.encode(json.encodedBytes())),
          "mfaEnrollmentId": "x",
        ])
      #expect(
        reply.message
          == "INVALID_PROJECT_ID : Project ID does not match MFA pending credential.")
    }
  }
}
