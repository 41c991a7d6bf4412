@testable import Client
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1))) struct ReauthenticateTests {
  let setup = Recorded.Setup()
  var backend: RecordedBackend { setup.backend }
  let google = Result { try GoogleAuthProvider.credential(idToken: Secret("google-id-token")) }

  @Test func `the same user gets fresh tokens, and no account may be made`() async throws {
    let user = try await setup.signIn()
    backend.queue(
      .signInWithIdp,
      .ok(Recorded.tokens("U1", ["providerId": "google.com", "refreshToken": "fresh"])))
    let result = try await user.reauthenticate(with: google.get())
    #expect(result.user === user)
    #expect(user.refreshToken.reveal() == "fresh")
    let body = try #require(backend.calls(of: .signInWithIdp).first?.body)
    #expect(body["autoCreate"] == false)
    #expect(body["idToken"] == nil)
  }

  @Test func `another user's credential changes nothing`() async throws {
    let user = try await setup.signIn()
    backend.queue(.signInWithIdp, .ok(Recorded.tokens("U2", ["providerId": "google.com"])))
    let error = await failure { _ = try await user.reauthenticate(with: google.get()) }
    #expect(error?.code == .userMismatch)
    #expect(error?.details == nil)
    #expect(user.refreshToken.reveal() == "refresh-token-1")
    #expect(try await user.getIDToken().reveal() == Recorded.token("U1"))
    #expect(setup.auth.currentUser === user)
  }

  @Test func `a uid that only looks the same is another user`() async throws {
    backend.account = Recorded.account("U\u{E9}")
    let user = try await setup.signIn()
    backend.queue(.signInWithIdp, .ok(Recorded.tokens("Ue\u{301}", ["providerId": "google.com"])))
    let error = await failure { _ = try await user.reauthenticate(with: google.get()) }
    #expect(error?.code == .userMismatch)
  }

  @Test func `a stray account made by an emulator is reported`() async throws {
    let user = try await setup.signIn()
    backend.queue(
      .signInWithIdp,
      .ok(Recorded.tokens("stray", ["providerId": "google.com", "isNewUser": true])))
    let error = await failure { _ = try await user.reauthenticate(with: google.get()) }
    #expect(error?.code == .userMismatch)
    #expect(error?.details?["strayAccount"] == "stray")
    #expect(error?.message.contains("stray account stray") == true)
  }

  @Test func `an identity without an account is a mismatch, by body or by status`() async throws {
    let user = try await setup.signIn()
    backend.queue(
      .signInWithIdp, .refused("USER_NOT_FOUND"),
      .ok(["errorMessage": "USER_NOT_FOUND", "providerId": "google.com"]))
    for _ in 0..<2 {
      let error = await failure { _ = try await user.reauthenticate(with: google.get()) }
      #expect(error?.code == .userMismatch)
      #expect(error?.serverName == "USER_NOT_FOUND")
    }
    #expect(setup.auth.currentUser === user)
  }

  @Test func `a password proves the user as well`() async throws {
    let user = try await setup.signIn()
    backend.queue(
      .signInWithPassword, .ok(Recorded.tokens("U1")), .refused("INVALID_LOGIN_CREDENTIALS"))
    let credential = EmailAuthProvider.credential(
      email: "ada@contoso.example", password: Secret("p4ssword"))
    let result = try await user.reauthenticate(with: credential)
    #expect(result.additionalUserInfo?.providerID == "password")
    #expect(user.refreshToken.reveal() == "refresh-of-U1")
    let error = await failure { _ = try await user.reauthenticate(with: credential) }
    #expect(error?.code == .invalidCredential)
    #expect(error?.hint.contains("does not report which") == true)
  }

  @Test func `the user is known by the token when the answer names nobody`() async throws {
    let user = try await setup.signIn()
    backend.queue(
      .signInWithIdp, .ok(Recorded.tokens("U1", ["providerId": "google.com", "localId": ""])))
    _ = try await user.reauthenticate(with: google.get())
  }
}
