@testable import Client
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1))) struct ConflictTests {
  let setup = Recorded.Setup()
  var auth: Auth { setup.auth }
  var backend: RecordedBackend { setup.backend }
  let google = Result { try GoogleAuthProvider.credential(idToken: Secret("google-id-token")) }

  @Test func `a conflict carries all that the merge needs`() async throws {
    backend.queue(.signInWithIdp, .ok(Recorded.conflict))
    let error = try #require(await failure { try await auth.signIn(with: google.get()) })
    #expect(error.code == .accountExistsWithDifferentCredential)
    #expect(error.code.number == 17012)
    #expect(error.email == "a@x.example")
    #expect(error.verifiedProviders == ["google.com"])
    #expect(error.details?["localId"] == "existing-uid")
    #expect(error.hint.contains("google.com"))
    #expect(error.hint.contains("currentUser:link(err.pendingCredential)"))
    let pending = try #require(error.pendingCredential)
    #expect(pending.providerID == "microsoft.com")
    #expect(pending.accessToken?.reveal() == "EwB-access-token")
    #expect(pending.accessTokenLifetime == 3599)
    #expect(auth.currentUser == nil)

    // The merge: sign in with the existing way, link what is pending.
    let user = try await setup.signIn()
    backend.queue(.signInWithIdp, .ok(Recorded.tokens("U1", ["providerId": "microsoft.com"])))
    _ = try await user.link(with: pending)
    let body = try #require(backend.calls(of: .signInWithIdp).last?.body)
    #expect(
      body["postBody"]
        == "providerId=microsoft.com&id_token=eyJ-idp-id-token&access_token=EwB-access-token")
    #expect(body["pendingToken"] == "AQc-pending")
    #expect(body["idToken"]?.string == Recorded.token("U1"))
  }

  @Test(arguments: [
    (JSON.string(#"["google.com"]"#), ["google.com"]), (.array([]), []), (.null, []),
    (.string("nonsense"), []),
  ])
  func `the providers may come as text, or not at all`(
    _ value: JSON, _ expected: [String]
  ) async throws {
    var answer = try #require(Recorded.conflict.object)
    answer["verifiedProvider"] = value
    backend.queue(.signInWithIdp, .ok(.object(answer)))
    let error = await failure { try await auth.signIn(with: google.get()) }
    #expect(error?.verifiedProviders == expected)
    #expect(error?.hint.contains("link(err.pendingCredential)") == true)
  }

  @Test func `a pending token alone makes a credential`() async throws {
    backend.queue(
      .signInWithIdp,
      .ok(["providerId": "saml.corp", "needConfirmation": true, "pendingToken": "P"]))
    let error = await failure { try await auth.signIn(with: google.get()) }
    #expect(error?.pendingCredential?.providerID == "saml.corp")
  }

  @Test func `without any token there is no pending credential, and the hint says so`() async {
    backend.queue(.signInWithIdp, .ok(["providerId": "google.com", "needConfirmation": true]))
    let error = await failure { try await auth.signIn(with: google.get()) }
    #expect(error?.pendingCredential == nil)
    #expect(error?.hint.contains("provider:getCredential()") == true)
  }

  @Test(arguments: [
    ("FEDERATED_USER_ID_ALREADY_LINKED", ErrorCode.credentialAlreadyInUse),
    ("EMAIL_EXISTS", .emailAlreadyInUse),
  ])
  func `a refused link carries the e-mail and the credential`(
    _ name: String, _ code: ErrorCode
  ) async throws {
    let user = try await setup.signIn()
    backend.queue(.signInWithIdp, .ok(Recorded.linkRefused(name)))
    let error = await failure { _ = try await user.link(with: google.get()) }
    #expect(error?.code == code)
    #expect(error?.serverName == name)
    #expect(error?.email == "a@x.example")
    #expect(error?.pendingCredential?.accessToken?.reveal() == "EwB-access-token")
    #expect(auth.currentUser === user)
  }

  @Test func `a credential is checked without an account, and continues with the response`()
    async throws
  {
    var answer = try #require(Recorded.linkRefused("USER_NOT_FOUND").object)
    backend.queue(.signInWithIdp, .ok(.object(answer)))
    let checked = try await auth.raisingConflict(google.get())
    #expect(checked.accessToken?.reveal() == "EwB-access-token")
    let body = try #require(backend.calls(of: .signInWithIdp).last?.body)
    #expect(body["autoCreate"] == false)
    #expect(body["idToken"] == nil)
    #expect(auth.currentUser == nil)

    backend.queue(.signInWithIdp, .ok(Recorded.conflict))
    let conflict = await failure { _ = try await auth.raisingConflict(google.get()) }
    #expect(conflict?.code == .accountExistsWithDifferentCredential)
    #expect(conflict?.pendingCredential != nil)

    // Without the provider's tokens there is nothing to continue with.
    for name in ["oauthIdToken", "oauthAccessToken", "oauthTokenSecret", "pendingToken"] {
      answer[name] = nil
    }
    backend.queue(.signInWithIdp, .ok(.object(answer)))
    let none = await failure { _ = try await auth.raisingConflict(google.get()) }
    #expect(none?.hint.contains("leave raisesConflict out") == true)
    backend.queue(.signInWithIdp, .refused("USER_NOT_FOUND"))
    let refused = await failure { _ = try await auth.raisingConflict(google.get()) }
    #expect(refused?.hint.contains("leave raisesConflict out") == true)
  }

  @Test func `a link can meet a conflict too`() async throws {
    let user = try await setup.signIn()
    backend.queue(.signInWithIdp, .ok(Recorded.conflict))
    let error = await failure { _ = try await user.link(with: google.get()) }
    #expect(error?.code == .accountExistsWithDifferentCredential)
    #expect(error?.pendingCredential != nil)
  }

  @Test func `a link refused with an error body has no credential to go on with`() async throws {
    let user = try await setup.signIn()
    backend.queue(.signInWithIdp, .refused("FEDERATED_USER_ID_ALREADY_LINKED"))
    let error = await failure { _ = try await user.link(with: google.get()) }
    #expect(error?.code == .credentialAlreadyInUse)
    #expect(error?.pendingCredential == nil)
    #expect(error?.hint.contains("fresh credential") == true)
  }

  @Test func `an unknown failure of status 200 keeps its name`() async throws {
    var answer = try #require(Recorded.oidc.object)
    answer["errorMessage"] = "SOMETHING_NEW : words"
    backend.queue(.signInWithIdp, .ok(.object(answer)))
    let error = await failure { try await auth.signIn(with: google.get()) }
    #expect(error?.code == .internalError)
    #expect(error?.serverName == "SOMETHING_NEW")
    #expect(error?.message.contains("words") == true)
    #expect(auth.currentUser == nil)
  }

  @Test func `a second factor is asked for, by provider and by password`() async throws {
    backend.queue(.signInWithIdp, .ok(Recorded.secondFactor))
    backend.queue(.signInWithPassword, .ok(Recorded.secondFactor))
    let errors = [
      await failure { try await auth.signIn(with: google.get()) },
      await failure { try await auth.signIn(email: "a@x.example", password: Secret("x")) },
    ]
    for error in errors {
      #expect(error?.code == .secondFactorRequired)
      #expect(error?.code.number == 17078)
      #expect(error?.details?["mfaInfo"]?[0]?["mfaEnrollmentId"] == "E1")
      #expect(error?.details?.encoded().contains("mfa-pending-secret") == false)
    }
  }

  @Test func `an OpenID Connect answer without a pending token keeps the nonce`() async throws {
    var answer = try #require(Recorded.conflict.object)
    answer["providerId"] = "oidc.corp"
    answer["pendingToken"] = nil
    backend.queue(.signInWithIdp, .ok(.object(answer)))
    let credential = try OAuthProvider.credential(
      providerID: "oidc.corp", idToken: Secret("x"), rawNonce: Secret("raw-nonce"))
    let error = await failure { try await auth.signIn(with: credential) }
    let pending = try #require(error?.pendingCredential)

    let user = try await setup.signIn()
    backend.queue(.signInWithIdp, .ok(Recorded.oidc))
    _ = try await user.link(with: pending)
    #expect(
      backend.calls(of: .signInWithIdp).last?.body["postBody"]?.string?
        .contains("&nonce=raw-nonce&") == true)
  }
}
