@testable import Client
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1))) struct ActionCodeTests {
  let setup = Recorded.Setup()
  var auth: Auth { setup.auth }
  var backend: RecordedBackend { setup.backend }

  @Test func `settings are spelled as the backend wants them`() async throws {
    var settings = ActionCodeSettings()
    settings.url = "https://p.example/done?a=1"
    settings.handleCodeInApp = true
    settings.iOSBundleID = "i.app"
    settings.androidPackageName = "a.app"
    settings.androidMinimumVersion = "12"
    settings.androidInstallIfNotAvailable = true
    settings.linkDomain = "links.p.example"
    auth.tenantID = "T1"
    auth.languageCode = "fr"
    backend.queue(.sendOobCode, .ok(["email": "a@x.example"]), .ok(["email": "a@x.example"]))
    try await auth.sendSignInLink(email: "a@x.example", settings: settings)
    let body: JSON = [
      "requestType": "EMAIL_SIGNIN", "continueUrl": "https://p.example/done?a=1",
      "iOSBundleId": "i.app", "androidPackageName": "a.app", "androidMinimumVersion": "12",
      "linkDomain": "links.p.example", "canHandleCodeInApp": true, "androidInstallApp": true,
      "email": "a@x.example", "tenantId": "T1",
    ]
    #expect(backend.calls.first?.body == body)
    #expect(backend.calls.first?.headers["X-Firebase-Locale"] == "fr")
    try await auth.sendPasswordReset(email: "a@x.example")
    #expect(
      backend.calls.last?.body
        == ["requestType": "PASSWORD_RESET", "email": "a@x.example", "tenantId": "T1"])
  }

  @Test func `letters of a user carry the user's token`() async throws {
    let user = try await setup.signIn()
    backend.queue(
      .sendOobCode, .ok(["email": "ada@contoso.example"]), .ok(["email": "b@x.example"]))
    try await user.sendEmailVerification()
    try await user.sendEmailVerification(beforeUpdatingEmail: "b@x.example")
    let token = JSON.string(Recorded.token("U1"))
    #expect(
      backend.calls(of: .sendOobCode).map(\.body) == [
        ["requestType": "VERIFY_EMAIL", "idToken": token],
        ["requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "b@x.example", "idToken": token],
      ])
    #expect(backend.calls(of: .lookup).count == 1)
  }

  @Test func `an address that changed elsewhere is read again`() async throws {
    let user = try await setup.signIn()
    backend.account = ["localId": "U1", "email": "new@x.example"]
    backend.queue(.sendOobCode, .ok(["email": "new@x.example"]))
    try await user.sendEmailVerification()
    #expect(user.email == "new@x.example")
  }

  @Test(arguments: [
    ("PASSWORD_RESET", ActionCodeOperation.passwordReset), ("resetPassword", .passwordReset),
    ("VERIFY_EMAIL", .verifyEmail), ("verifyEmail", .verifyEmail),
    ("RECOVER_EMAIL", .recoverEmail), ("recoverEmail", .recoverEmail),
    ("EMAIL_SIGNIN", .emailLink), ("signIn", .emailLink),
    ("VERIFY_AND_CHANGE_EMAIL", .verifyAndChangeEmail),
    ("verifyAndChangeEmail", .verifyAndChangeEmail),
    ("REVERT_SECOND_FACTOR_ADDITION", .revertSecondFactorAddition),
    ("revertSecondFactorAddition", .revertSecondFactorAddition),
    ("SOMETHING_NEW", .unknown), ("", .unknown),
  ])
  func `9.27 both spellings of an operation are known`(
    _ name: String, _ operation: ActionCodeOperation
  ) async throws {
    backend.queue(.resetPassword, .ok(["requestType": .string(name), "email": "a@x.example"]))
    let info = try await auth.checkActionCode(Secret("the-code"))
    #expect(info.operation == operation)
    #expect(info.email == "a@x.example")
    #expect(info.previousEmail == nil)
    #expect(backend.calls.first?.body == ["oobCode": "the-code"])
  }

  @Test func `where an address changes, the answer's email is the old one`() async throws {
    backend.queue(
      .resetPassword,
      .ok([
        "requestType": "VERIFY_AND_CHANGE_EMAIL", "email": "old@x.example",
        "newEmail": "new@x.example",
      ]), .ok(["requestType": "EMAIL_SIGNIN"]))
    let info = try await auth.checkActionCode(Secret("c"))
    #expect(info.email == "new@x.example")
    #expect(info.previousEmail == "old@x.example")
    #expect(try await auth.checkActionCode(Secret("c")).email == nil)
  }

  @Test func `a code that takes a second factor away names it`() async throws {
    backend.queue(
      .resetPassword,
      .ok([
        "requestType": "REVERT_SECOND_FACTOR_ADDITION", "email": "a@x.example",
        "mfaInfo": ["mfaEnrollmentId": "E1", "displayName": "phone", "phoneInfo": "+*******1234"],
      ]))
    let info = try await auth.checkActionCode(Secret("c"))
    #expect(info.operation == .revertSecondFactorAddition)
    #expect(info.multiFactorInfo?.uid == "E1")
    #expect(info.multiFactorInfo?.phoneNumber == "+*******1234")
  }

  @Test func `9.28 applying a code is an update without a token`() async throws {
    _ = try await setup.signIn()
    backend.queue(.update, .ok(["localId": "U1"]))
    try await auth.applyActionCode(Secret("the-code"))
    #expect(backend.calls.last?.body == ["oobCode": "the-code"])
  }

  @Test func `a captcha's token goes with one call, under that call's name for it`() async throws {
    auth.recaptchaToken = Secret("token-of-a-page")
    backend.queue(.sendOobCode, .ok(["email": "a@x.example"]), .ok(["email": "a@x.example"]))
    try await auth.sendPasswordReset(email: "a@x.example")
    try await auth.sendPasswordReset(email: "a@x.example")
    #expect(
      backend.calls.first?.body == [
        "requestType": "PASSWORD_RESET", "email": "a@x.example", "captchaResp": "token-of-a-page",
        "clientType": "CLIENT_TYPE_WEB", "recaptchaVersion": "RECAPTCHA_ENTERPRISE",
      ])
    #expect(backend.calls.last?.body["captchaResp"] == nil)
    auth.recaptchaToken = Secret("token-of-a-page")
    backend.queue(.signInWithPassword, .ok(Recorded.password))
    try await auth.signIn(email: "a@x.example", password: Secret("p4ssword"))
    let body = try #require(backend.calls(of: .signInWithPassword).first?.body)
    #expect(body["captchaResponse"] == "token-of-a-page")
    #expect(auth.recaptchaToken == nil)
  }

  @Test func `Apple's code is revoked in the Apple SDK's words`() async throws {
    _ = try await setup.signIn()
    backend.queue(.revokeToken, .ok([:]))
    try await auth.revokeToken(authorizationCode: Secret("c0de"))
    #expect(
      backend.calls.last?.body == [
        "providerId": "apple.com", "tokenType": "3", "token": "c0de",
        "idToken": .string(Recorded.token("U1")),
      ])
  }
}
