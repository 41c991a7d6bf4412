@testable import Client
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1))) struct LinkTests {
  let setup = Recorded.Setup()
  var auth: Auth { setup.auth }
  var backend: RecordedBackend { setup.backend }
  let google = Result { try GoogleAuthProvider.credential(idToken: Secret("google-id-token")) }

  @Test func `a link keeps the user and takes the new tokens`() async throws {
    let user = try await setup.signIn()
    backend.queue(
      .signInWithIdp,
      .ok(
        Recorded.tokens(
          "U1", ["providerId": "google.com", "oauthAccessToken": "A", "refreshToken": "new"])))
    let result = try await user.link(with: google.get())
    #expect(result.user === user)
    #expect(result.additionalUserInfo?.providerID == "google.com")
    #expect(result.credential?.accessToken?.reveal() == "A")
    #expect(user.refreshToken.reveal() == "new")
    #expect(auth.currentUser === user)
  }

  @Test func `the tokens of another account are not taken for those of a link`() async throws {
    let user = try await setup.signIn()
    let before = user.refreshToken
    backend.queue(
      .signInWithIdp,
      .ok(Recorded.tokens("U2", ["providerId": "google.com", "refreshToken": "foreign"])))
    let error = await failure { _ = try await user.link(with: google.get()) }
    #expect(error?.code == .internalError)
    #expect(user.refreshToken == before)
  }

  @Test func `an anonymous user stops being one and keeps the uid`() async throws {
    backend.account = ["localId": "A1"]
    backend.queue(.signUp, .ok(Recorded.tokens("A1")))
    let user = try await auth.signInAnonymously().user
    backend.queue(.signInWithIdp, .ok(Recorded.tokens("A1", ["providerId": "google.com"])))
    _ = try await user.link(with: google.get())
    #expect(!user.isAnonymous)
    #expect(user.uid == "A1")
  }

  @Test func `what is linked on the server is refused though this machine did not know`()
    async throws
  {
    let user = try await setup.signIn()
    #expect(user.providerData.isEmpty)
    backend.account = Recorded.account("U1", providers: "google.com")
    let error = await failure { _ = try await user.link(with: google.get()) }
    #expect(error?.code == .providerAlreadyLinked)
    #expect(error?.hint.contains(#"user:unlink("google.com")"#) == true)
    #expect(backend.calls(of: .signInWithIdp).isEmpty)
  }

  @Test func `what was unlinked elsewhere can be linked again`() async throws {
    backend.account = Recorded.account("U1", providers: "google.com")
    let user = try await setup.signIn()
    backend.account = Recorded.account("U1")
    backend.queue(.signInWithIdp, .ok(Recorded.tokens("U1", ["providerId": "google.com"])))
    _ = try await user.link(with: google.get())
  }

  @Test func `a password is linked by signing up as the user`() async throws {
    let user = try await setup.signIn()
    backend.queue(.signUp, .ok(Recorded.tokens("U1", ["refreshToken": "new"])))
    let result = try await user.link(
      with: EmailAuthProvider.credential(email: "a@x.example", password: Secret("p4ssword")))
    #expect(result.additionalUserInfo == nil)
    let body = try #require(backend.calls(of: .signUp).first?.body)
    #expect(body["email"] == "a@x.example")
    #expect(body["password"] == "p4ssword")
    #expect(body["idToken"]?.string == Recorded.token("U1"))
    #expect(user.refreshToken.reveal() == "new")
  }

  @Test func `linking a password fails with the address, or before it is sent`() async throws {
    let user = try await setup.signIn()
    backend.queue(.signUp, .refused("EMAIL_EXISTS"))
    let taken = EmailAuthProvider.credential(email: "a@x.example", password: Secret("p4ssword"))
    let error = await failure { _ = try await user.link(with: taken) }
    #expect(error?.code == .emailAlreadyInUse)
    #expect(error?.email == "a@x.example")
    let empty = EmailAuthProvider.credential(email: "a@x.example", password: Secret(""))
    #expect(await failure { _ = try await user.link(with: empty) }?.code == .weakPassword)
  }

  @Test func `unlinking asks the server and reads the account`() async throws {
    backend.account = Recorded.account("U1", providers: "google.com", "password")
    let user = try await setup.signIn()
    backend.queue(.update, .ok(["localId": "U1"]))
    backend.queue(
      .lookup, .ok(["users": [backend.account]]),
      .ok(["users": [Recorded.account("U1", providers: "password")]]))
    #expect(try await user.unlink("google.com") === user)
    #expect(backend.calls(of: .update).first?.body["deleteProvider"] == ["google.com"])
    #expect(user.providerData.map(\.providerID) == ["password"])
    #expect(user.email == "ada@contoso.example")
  }

  @Test func `a provider the user has not cannot be unlinked`() async throws {
    let user = try await setup.signIn()
    let error = await failure { try await user.unlink("yahoo.com") }
    #expect(error?.code == .noSuchProvider)
    #expect(backend.calls(of: .update).isEmpty)
  }
}
