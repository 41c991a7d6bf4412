@testable import Client
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1))) struct AuthErrorTests {
  let setup = Recorded.Setup()
  var auth: Auth { setup.auth }
  var backend: RecordedBackend { setup.backend }

  @Test(arguments: ServerError.allCases)
  func `every refusal reaches the caller under its code`(_ refused: ServerError) async throws {
    backend.queue(.signInWithPassword, .refused("\(refused.rawValue) : the backend's words"))
    let error = try #require(
      await failure { try await auth.signIn(email: "a@x.example", password: Secret("x")) })
    #expect(error.code == refused.code)
    #expect(error.serverName == refused.rawValue)
    // The code of the two is that of requests which nobody answered, and these were answered.
    let isBusy = refused == .unavailable || refused == .deadlineExceeded
    let summary = isBusy ? "the backend is unavailable" : refused.code.summary
    #expect(error.message == "\(summary): the backend's words")
    #expect(!error.hint.isEmpty)
    #expect(error.description.contains("\(refused.code.number)"))
  }

  @Test func `an unknown name is told as it is`() async throws {
    backend.queue(.signInWithPassword, .refused("SOMETHING_NEW : words"))
    let error = await failure { try await auth.signIn(email: "a@x.example", password: Secret("x")) }
    #expect(error?.code == .internalError)
    #expect(error?.serverName == "SOMETHING_NEW")
    #expect(error?.message.contains("SOMETHING_NEW") == true)
    #expect(error?.message.hasSuffix(": words") == true)
  }

  @Test func `an emulator's wrapping is taken off`() async throws {
    backend.queue(.signInWithPassword, .refused("INVALID_EMAIL : ((no at sign))"))
    let error = await failure { try await auth.signIn(email: "a", password: Secret("x")) }
    #expect(error?.message.hasSuffix(": no at sign") == true)
  }

  /// What must appear in no text: every secret that the answers and requests of these tests hold.
  private static let secrets = [
    "the-api-key", "p4ssword", "refresh-token-1", "google-id-token", "EwB-access-token",
    "eyJ-idp-id-token", "AQc-pending", "mfa-pending-secret", "the-session-id", "M.C5-code",
    "the-state", "raw-nonce-text", "custom-token-text", Recorded.token("U1"),
  ]

  private func expectNoSecret(_ value: Any, sourceLocation: SourceLocation = #_sourceLocation) {
    var dumped = ""
    dump(value, to: &dumped)
    let texts = ["\(value)", String(reflecting: value), dumped]
    for text in texts {
      for secret in Self.secrets {
        #expect(!text.contains(secret), "\(secret)", sourceLocation: sourceLocation)
      }
    }
  }

  @Test func `no text of an error holds a secret, though the backend quotes them all`()
    async throws
  {
    let google = try OAuthProvider.credential(
      providerID: "google.com", idToken: Secret("google-id-token"),
      rawNonce: Secret("raw-nonce-text"))
    let quoted = "INVALID_IDP_RESPONSE : google-id-token raw-nonce-text eyJhbGciOiJub25lIn0.eyJ9.x"
    backend.queue(
      .signInWithIdp, .refused(quoted), .ok(Recorded.conflict), .ok(Recorded.secondFactor),
      .ok(Recorded.linkRefused("EMAIL_EXISTS")))
    for _ in 0..<4 {
      let error = try #require(await failure { try await auth.signIn(with: google) })
      expectNoSecret(error)
      #expect(error.details.map { Self.leaks($0) } != true)
    }
    backend.queue(.signInWithPassword, .refused("INVALID_PASSWORD : p4ssword"))
    expectNoSecret(
      try #require(
        await failure {
          try await auth.signIn(email: "a@x.example", password: Secret("p4ssword"))
        }))
    backend.queue(.signInWithCustomToken, .refused("INVALID_CUSTOM_TOKEN : custom-token-text"))
    expectNoSecret(
      try #require(
        await failure { try await auth.signIn(customToken: Secret("custom-token-text")) }))
    let user = try await setup.signIn()
    backend.queue(.token, .refused("INVALID_REFRESH_TOKEN : refresh-token-1"))
    expectNoSecret(
      try #require(await failure { _ = try await user.getIDToken(forcingRefresh: true) }))
  }

  private static func leaks(_ json: JSON) -> Bool {
    let text = json.encoded()
    return secrets.contains { text.contains($0) }
  }

  @Test func `nothing prints what it holds`() async throws {
    let password = EmailAuthProvider.credential(
      email: "ada@contoso.example", password: Secret("p4ssword"))
    #expect("\(password)" == "password credential")
    expectNoSecret(password)
    expectNoSecret(
      try OAuthProvider.credential(providerID: "oidc.corp", idToken: Secret("google-id-token")))
    let user = try await setup.signIn()
    #expect("\(user)" == "user U1")
    expectNoSecret(user)
    expectNoSecret(try await user.getIDTokenResult().token)
    backend.queue(.createAuthUri, .ok(Recorded.authorization))
    let flow = try await auth.beginSignIn(provider: try OAuthProvider("microsoft.com"))
    let credential = try flow.finish(
      PageAnswer(finalURL: "\(Recorded.handler)?code=M.C5-code&state=the-state"))
    expectNoSecret(credential)
    backend.queue(
      .signInWithIdp,
      .refused("INVALID_IDP_RESPONSE : bad \(Recorded.handler)?code=M.C5-code&state=the-state end"))
    let error = try #require(await failure { try await auth.signIn(with: credential) })
    expectNoSecret(error)
    #expect(error.message.hasSuffix("end"))
  }
}
