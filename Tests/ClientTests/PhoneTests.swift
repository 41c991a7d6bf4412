@testable import Client
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1))) struct PhoneTests {
  let setup = Recorded.Setup()
  var auth: Auth { setup.auth }
  var backend: RecordedBackend { setup.backend }
  let credential = PhoneAuthProvider.credential(
    verificationID: Secret("verification-id"), verificationCode: Secret("123456"))

  private static let taken: JSON = [
    "phoneNumber": "+15555550101", "temporaryProof": "the-proof", "temporaryProofExpiresIn": "3600",
  ]

  private func sent(_ index: Int = 0) throws -> JSON {
    let calls = backend.calls(of: .signInWithPhoneNumber)
    return try #require(calls.indices.contains(index) ? calls[index].body : nil)
  }

  @Test func `a code is asked for with the proof that was given, and no other`() async throws {
    backend.queue(
      .sendVerificationCode, .ok(["sessionInfo": "one"]), .ok(["sessionInfo": "two"]),
      .ok(["sessionInfo": "three"]), .ok([:]))
    auth.tenantID = "T1"
    auth.languageCode = "fr"
    let phone = PhoneAuthProvider(auth: auth)
    #expect(try await phone.verifyPhoneNumber("+15555550101").reveal() == "one")
    _ = try await phone.verifyPhoneNumber("+15555550101", recaptchaToken: Secret("answer"))
    auth.recaptchaToken = Secret("token")
    _ = try await phone.verifyPhoneNumber("+15555550101")
    #expect(auth.recaptchaToken == nil)
    let calls = backend.calls(of: .sendVerificationCode)
    #expect(calls[0].body == ["phoneNumber": "+15555550101", "tenantId": "T1"])
    #expect(calls[0].headers["X-Firebase-Locale"] == "fr")
    #expect(calls[1].body["recaptchaToken"] == "answer")
    #expect(calls[1].body["captchaResponse"] == nil)
    #expect(calls[2].body["captchaResponse"] == "token")
    #expect(calls[2].body["recaptchaVersion"] == "RECAPTCHA_ENTERPRISE")
    #expect(calls[2].body["clientType"] != nil)
    #expect(calls[2].body["recaptchaToken"] == nil)
    let nothing = await failure { _ = try await phone.verifyPhoneNumber("+15555550101") }
    #expect(nothing?.code == .internalError)
  }

  @Test func `each use of a code names its operation`() async throws {
    let user = try await setup.signIn()
    let answer = RecordedBackend.Answer.ok(
      Recorded.tokens("U1", ["phoneNumber": "+15555550101", "isNewUser": true]))
    backend.queue(.signInWithPhoneNumber, answer, answer, answer, answer)
    _ = try await user.link(with: credential)
    _ = try await user.reauthenticate(with: credential)
    try await user.updatePhoneNumber(credential)
    let result = try await auth.signIn(with: credential)
    #expect(result.additionalUserInfo?.providerID == "phone")
    #expect(result.additionalUserInfo?.isNewUser == true)
    #expect(result.credential == nil)
    for (index, operation) in ["LINK", "REAUTH", "UPDATE", "SIGN_UP_OR_IN"].enumerated() {
      let body = try sent(index)
      #expect(body["operation"] == .string(operation))
      #expect(body["sessionInfo"] == "verification-id" && body["code"] == "123456")
      // Only what changes the user carries the user's token.
      #expect((body["idToken"] != nil) == ["LINK", "UPDATE"].contains(operation))
    }
  }

  // Number 2 of the list of what is easy to get wrong.
  @Test func `a number of another account is a failure with status 200`() async throws {
    let user = try await setup.signIn()
    backend.queue(.signInWithPhoneNumber, .ok(Self.taken), .ok(Self.taken))
    for use in [{ _ = try await user.link(with: $0) }, { try await user.updatePhoneNumber($0) }]
      as [(Credential) async throws -> Void]
    {
      let error = try #require(await failure { try await use(credential) })
      #expect(error.code == .credentialAlreadyInUse)
      #expect(error.details?["phoneNumber"] == "+15555550101")
      #expect(!"\(error)".contains("the-proof"))
      let pending = try #require(error.pendingCredential)
      #expect(pending.providerID == "phone")
    }
    #expect(auth.currentUser === user)
  }

  @Test func `the proof of a taken number signs in there`() async throws {
    let user = try await setup.signIn()
    backend.queue(.signInWithPhoneNumber, .ok(Self.taken), .ok(Recorded.tokens("U1")))
    let error = try #require(await failure { _ = try await user.link(with: credential) })
    _ = try await auth.signIn(with: #require(error.pendingCredential))
    #expect(
      try sent(1)
        == [
          "phoneNumber": "+15555550101", "temporaryProof": "the-proof",
          "operation": "SIGN_UP_OR_IN",
        ])
  }

  @Test func `a telephone nobody has reauthenticates nobody`() async throws {
    let user = try await setup.signIn()
    backend.queue(.signInWithPhoneNumber, .refused("USER_NOT_FOUND"), .ok(Recorded.tokens("U2")))
    for _ in 0..<2 {
      let error = await failure { _ = try await user.reauthenticate(with: credential) }
      #expect(error?.code == .userMismatch)
    }
    #expect(user.refreshToken.reveal() == "refresh-token-1")
  }

  @Test func `a change that meets an ended session signs the user out`() async throws {
    let user = try await setup.signIn()
    backend.queue(.signInWithPhoneNumber, .refused("TOKEN_EXPIRED"))
    let error = await failure { try await user.updatePhoneNumber(credential) }
    #expect(error?.code == .userTokenExpired)
    #expect(auth.currentUser == nil)
  }

  @Test func `no text shows a code or what belongs to it`() async throws {
    backend.queue(
      .signInWithPhoneNumber, .refused("INVALID_CODE : 123456 is wrong for verification-id"))
    let error = try #require(await failure { _ = try await auth.signIn(with: credential) })
    #expect(error.message.contains("[secret]"))
    var dumped = ""
    dump((error, credential), to: &dumped)
    for text in ["\(error)", "\(credential)", dumped] {
      #expect(!text.contains("123456") && !text.contains("verification-id"), "\(text)")
    }
  }
}
