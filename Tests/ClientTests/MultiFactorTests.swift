@testable import Client
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1))) struct MultiFactorTests {
  let setup = Recorded.Setup()
  var auth: Auth { setup.auth }
  var backend: RecordedBackend { setup.backend }

  /// The answer to a second factor: tokens without a lifetime.
  private func ended(_ uid: String = "U1") -> RecordedBackend.Answer {
    .ok(["idToken": .string(Recorded.token(uid)), "refreshToken": "after-the-second-factor"])
  }

  private func appAssertion() throws -> MultiFactorAssertion {
    try TOTPMultiFactorGenerator.assertionForSignIn(
      withEnrollmentID: "E2", oneTimePassword: Secret("123456"))
  }

  private func resolver(_ body: () async throws -> Void) async throws -> MultiFactorResolver {
    let error = try #require(await failure(body))
    #expect(error.code == .secondFactorRequired)
    return try #require(error.resolver)
  }

  @Test func `a telephone is enrolled in two calls, in the user's tenant`() async throws {
    auth.tenantID = "T1"
    let user = try await setup.signIn()
    backend.queue(
      .startMfaEnrollment, .ok(["phoneSessionInfo": ["sessionInfo": "the-session-info"]]))
    backend.queue(.finalizeMfaEnrollment, ended())
    let session = try await user.multiFactor.session()
    let phone = PhoneAuthProvider(auth: auth)
    auth.tenantID = nil
    let id = try await phone.verifyPhoneNumber(
      "+15555550101", session: session, recaptchaToken: Secret("the-captcha"))
    let started = try #require(backend.calls(of: .startMfaEnrollment).first?.body)
    #expect(started["idToken"] == .string(Recorded.token("U1")))
    #expect(started["tenantId"] == "T1")
    #expect(
      started["phoneEnrollmentInfo"]
        == ["recaptchaToken": "the-captcha", "phoneNumber": "+15555550101"])
    let credential = PhoneAuthProvider.credential(
      verificationID: id, verificationCode: Secret("123456"))
    try await user.multiFactor.enroll(
      with: PhoneMultiFactorGenerator.assertion(with: credential), displayName: "mobile")
    let finished = try #require(backend.calls(of: .finalizeMfaEnrollment).first?.body)
    #expect(finished["idToken"] == .string(Recorded.token("U1")))
    #expect(finished["displayName"] == "mobile")
    #expect(
      finished["phoneVerificationInfo"] == ["sessionInfo": "the-session-info", "code": "123456"])
    #expect(finished["tenantId"] == "T1")
    #expect(user.refreshToken.reveal() == "after-the-second-factor")
  }

  @Test func `an app is enrolled by its secret and code`() async throws {
    let user = try await setup.signIn()
    backend.queue(
      .startMfaEnrollment,
      .ok([
        "totpSessionInfo": [
          "sharedSecretKey": "GEZDGNBVGY3TQOJQ", "verificationCodeLength": 8,
          "hashingAlgorithm": "SHA256", "periodSec": "60", "sessionInfo": "the-session-info",
          "finalizeEnrollmentTime": "2026-01-31T12:00:00.250Z",
        ]
      ]))
    backend.queue(.finalizeMfaEnrollment, ended())
    let secret = try await TOTPMultiFactorGenerator.generateSecret(
      with: user.multiFactor.session())
    #expect(backend.calls(of: .startMfaEnrollment).first?.body["totpEnrollmentInfo"] == [:])
    #expect(secret.digits == 8 && secret.period == 60 && secret.hashingAlgorithm == "SHA256")
    #expect(secret.enrollmentDeadline == 1_769_860_800_250)
    #expect(
      secret.generateQRCodeURL(accountName: "ada", issuer: "Firm").reveal()
        == "otpauth://totp/Firm:ada?secret=GEZDGNBVGY3TQOJQ&issuer=Firm&algorithm=SHA256&digits=8"
        + "&period=60")
    try await user.multiFactor.enroll(
      with: TOTPMultiFactorGenerator.assertionForEnrollment(
        with: secret, oneTimePassword: Secret("12345678")))
    let body = try #require(backend.calls(of: .finalizeMfaEnrollment).first?.body)
    #expect(
      body["totpVerificationInfo"]
        == ["sessionInfo": "the-session-info", "verificationCode": "12345678"])
    #expect(body["displayName"] == nil)
  }

  @Test func `an emulator without apps is told from a mistake`() async throws {
    let user = try await setup.signIn()
    backend.queue(
      .startMfaEnrollment, .refused("INVALID_ARGUMENT : ((Missing phoneEnrollmentInfo.))"),
      .refused("OPERATION_NOT_ALLOWED : TOTP based MFA not enabled."))
    for code in [ErrorCode.notImplemented, .operationNotAllowed] {
      let error = await failure {
        _ = try await TOTPMultiFactorGenerator.generateSecret(with: user.multiFactor.session())
      }
      #expect(error?.code == code)
    }
  }

  @Test func `withdrawing takes the new tokens`() async throws {
    let user = try await setup.signIn()
    backend.queue(.withdrawMfaEnrollment, ended())
    try await user.multiFactor.unenroll(factorUID: "E1")
    let body = try #require(backend.calls(of: .withdrawMfaEnrollment).first?.body)
    #expect(body["mfaEnrollmentId"] == "E1")
    #expect(body["idToken"] == .string(Recorded.token("U1")))
    #expect(user.refreshToken.reveal() == "after-the-second-factor")
  }

  @Test func `factors are read with the account`() async throws {
    var account = try #require(Recorded.account("U1").object)
    account["mfaInfo"] = [
      ["mfaEnrollmentId": "E1", "phoneInfo": "+15555550101", "displayName": "mobile"],
      ["mfaEnrollmentId": "E2", "totpInfo": [:], "enrolledAt": "2026-01-31T12:00:00Z"],
      ["mfaEnrollmentId": "E3", "emailInfo": ["emailAddress": "a@x.example"]],
      ["mfaEnrollmentId": "E4"], ["displayName": "without an identifier"],
    ]
    backend.account = .object(account)
    let factors = try await setup.signIn().enrolledFactors
    #expect(factors.map(\.uid) == ["E1", "E2", "E3", "E4"])
    #expect(factors.map(\.factorID) == ["phone", "totp", "email", "unknown"])
    #expect(factors[0].phoneNumber == "+15555550101" && factors[0].displayName == "mobile")
    #expect(factors[1].enrollmentDate == 1_769_860_800_000 && factors[0].enrollmentDate == nil)
  }

  @Test func `a telephone finishes a sign-in, in the tenant it began in`() async throws {
    auth.tenantID = "T1"
    backend.queue(.signInWithPassword, .ok(Recorded.secondFactor))
    backend.queue(.startMfaSignIn, .ok(["phoneResponseInfo": ["sessionInfo": "the-session-info"]]))
    backend.queue(.finalizeMfaSignIn, ended())
    let resolver = try await resolver {
      try await auth.signIn(email: "a@x.example", password: Secret("x"))
    }
    #expect(resolver.auth === auth)
    #expect(resolver.hints.map(\.phoneNumber) == ["+*******1234"])
    auth.tenantID = "T2"
    let id = try await PhoneAuthProvider(auth: auth).verifyPhoneNumber(
      ofFactor: "E1", session: resolver.session)
    let started = try #require(backend.calls(of: .startMfaSignIn).first?.body)
    #expect(started["mfaPendingCredential"] == "mfa-pending-secret")
    #expect(started["mfaEnrollmentId"] == "E1")
    #expect(started["phoneSignInInfo"] == [:])
    #expect(started["tenantId"] == "T1")
    #expect(started["idToken"] == nil)
    let result = try await resolver.resolveSignIn(
      with: PhoneMultiFactorGenerator.assertion(
        with: PhoneAuthProvider.credential(
          verificationID: id, verificationCode: Secret("123456"))))
    let body = try #require(backend.calls(of: .finalizeMfaSignIn).first?.body)
    #expect(body["mfaPendingCredential"] == "mfa-pending-secret")
    #expect(
      body["phoneVerificationInfo"] == ["sessionInfo": "the-session-info", "code": "123456"])
    #expect(body["tenantId"] == "T1")
    #expect(auth.currentUser === result.user)
    #expect(result.user.tenantID == "T1")
    #expect(result.user.refreshToken.reveal() == "after-the-second-factor")
    #expect(result.additionalUserInfo?.providerID == "password")
  }

  // Number 25 of the list of what is easy to get wrong.
  @Test func `tokens of a second factor live as long as the ID token says`() async throws {
    backend.queue(.signInWithPassword, .ok(Recorded.secondFactor))
    backend.queue(
      .finalizeMfaSignIn,
      .ok(["idToken": .string(Recorded.token("U1", #","exp":1000"#)), "refreshToken": "r"]))
    let resolver = try await resolver {
      try await auth.signIn(email: "a@x.example", password: Secret("x"))
    }
    let user = try await resolver.resolveSignIn(with: appAssertion()).user
    setup.clock.now += 599
    _ = try await user.getIDToken()
    #expect(backend.calls(of: .token).isEmpty)
    setup.clock.now += 1
    backend.queue(
      .token,
      .ok([
        "id_token": .string(Recorded.token("U1")), "refresh_token": "r2", "expires_in": "3600",
      ]))
    _ = try await user.getIDToken()
    #expect(backend.calls(of: .token).count == 1)
  }

  @Test func `an identity provider's tokens and profile survive the second factor`() async throws {
    var first = try #require(Recorded.secondFactor.object)
    first["providerId"] = "oidc.corp"
    first["oauthIdToken"] = "eyJ-idp-id-token"
    first["oauthAccessToken"] = "EwB-access-token"
    first["rawUserInfo"] = #"{"sub":"sub-1"}"#
    first["expiresIn"] = "1"
    backend.queue(.signInWithIdp, .ok(.object(first)))
    backend.queue(.finalizeMfaSignIn, ended())
    let credential = try OAuthProvider.credential(
      providerID: "oidc.corp", idToken: Secret("x"), rawNonce: Secret("raw-nonce-text"))
    let resolver = try await resolver { try await auth.signIn(with: credential) }
    let result = try await resolver.resolveSignIn(with: appAssertion())
    let body = try #require(backend.calls(of: .finalizeMfaSignIn).first?.body)
    #expect(body["mfaEnrollmentId"] == "E2")
    #expect(body["totpVerificationInfo"] == ["verificationCode": "123456"])
    #expect(result.credential?.accessToken?.reveal() == "EwB-access-token")
    #expect(result.additionalUserInfo?.providerID == "oidc.corp")
    #expect(result.additionalUserInfo?.profile["sub"] == "sub-1")
    // The credential can be linked later, which needs the nonce again.
    backend.queue(.signInWithIdp, .ok(Recorded.oidc))
    _ = try await auth.signIn(with: #require(result.credential))
    let sent = backend.calls(of: .signInWithIdp).last?.body["postBody"]?.string
    #expect(sent?.contains("nonce=raw-nonce-text") == true)
  }

  @Test func `every way to sign in can be finished`() async throws {
    backend.queue(.signInWithCustomToken, .ok(Recorded.secondFactor))
    backend.queue(.signInWithEmailLink, .ok(Recorded.secondFactor))
    backend.queue(.signInWithPhoneNumber, .ok(Recorded.secondFactor))
    let link = try EmailAuthProvider.credential(
      email: "a@x.example", link: "https://x.example/?mode=signIn&oobCode=C")
    let ways: [() async throws -> Void] = [
      { [auth] in try await auth.signIn(customToken: Secret("t")) },
      { [auth] in try await auth.signIn(with: link) },
      { [auth] in
        try await auth.signIn(
          with: PhoneAuthProvider.credential(
            verificationID: Secret("v"), verificationCode: Secret("123456")))
      },
    ]
    for way in ways {
      backend.queue(.finalizeMfaSignIn, ended())
      let result = try await resolver(way).resolveSignIn(with: appAssertion())
      #expect(auth.currentUser === result.user)
      try auth.signOut()
    }
  }

  @Test func `a refusal leaves the resolver, success uses it up`() async throws {
    backend.queue(.signInWithPassword, .ok(Recorded.secondFactor))
    backend.queue(.finalizeMfaSignIn, .refused("INVALID_CODE"), ended())
    let resolver = try await resolver {
      try await auth.signIn(email: "a@x.example", password: Secret("x"))
    }
    let wrong = await failure { _ = try await resolver.resolveSignIn(with: appAssertion()) }
    #expect(wrong?.code == .invalidVerificationCode)
    #expect(wrong?.hint.contains("totp.code") == true)
    #expect(auth.currentUser == nil)
    _ = try await resolver.resolveSignIn(with: appAssertion())
    let again = await failure { _ = try await resolver.resolveSignIn(with: appAssertion()) }
    #expect(again?.code == .invalidMultiFactorSession)
    #expect(backend.calls(of: .finalizeMfaSignIn).count == 2)
  }

  @Test func `a reauthentication is finished for its own user only`() async throws {
    let user = try await setup.signIn()
    let credential = EmailAuthProvider.credential(email: "a@x.example", password: Secret("x"))
    backend.queue(
      .signInWithPassword, .ok(Recorded.secondFactor), .ok(Recorded.secondFactor))
    backend.queue(.finalizeMfaSignIn, ended("U2"), ended())
    let resolver = try await resolver { _ = try await user.reauthenticate(with: credential) }
    let error = await failure { _ = try await resolver.resolveSignIn(with: appAssertion()) }
    #expect(error?.code == .userMismatch)
    #expect(user.refreshToken.reveal() == "refresh-token-1")
    let second = try await self.resolver { _ = try await user.reauthenticate(with: credential) }
    let result = try await second.resolveSignIn(with: appAssertion())
    #expect(result.user === user && auth.currentUser === user)
    #expect(user.refreshToken.reveal() == "after-the-second-factor")
    #expect(backend.calls(of: .lookup).count == 1, "nobody was signed in anew")
  }

  @Test func `the second factor of a stranger is not asked for`() async throws {
    let user = try await setup.signIn()
    var stranger = try #require(Recorded.secondFactor.object)
    stranger["localId"] = "U2"
    backend.queue(.signInWithPassword, .ok(.object(stranger)))
    let error = await failure {
      _ = try await user.reauthenticate(
        with: EmailAuthProvider.credential(email: "b@x.example", password: Secret("x")))
    }
    #expect(error?.code == .userMismatch)
    #expect(error?.resolver == nil)
  }

  @Test func `nothing prints what it holds`() async throws {
    let user = try await setup.signIn()
    backend.queue(
      .startMfaEnrollment,
      .ok(["totpSessionInfo": ["sharedSecretKey": "KEY-text", "sessionInfo": "session-text"]]))
    backend.queue(.signInWithPassword, .ok(Recorded.secondFactor))
    backend.queue(.finalizeMfaSignIn, .refused("INVALID_CODE : 123456 of mfa-pending-secret"))
    let session = try await user.multiFactor.session()
    let secret = try await TOTPMultiFactorGenerator.generateSecret(with: session)
    let error = try #require(
      await failure { try await auth.signIn(email: "a@x.example", password: Secret("x")) })
    let resolver = try #require(error.resolver)
    let assertion = try appAssertion()
    let wrong = await failure { _ = try await resolver.resolveSignIn(with: assertion) }
    for value in [session, secret, error, resolver, resolver.session, assertion, wrong] as [Any?] {
      var dumped = ""
      dump(value, to: &dumped)
      for text in ["\(value as Any)", dumped] {
        for hidden in ["KEY-text", "session-text", "mfa-pending", "123456", "p4ssword"] {
          #expect(!text.contains(hidden), "\(text)")
        }
      }
    }
    #expect(wrong?.message.contains("[secret]") == true)
  }
}
