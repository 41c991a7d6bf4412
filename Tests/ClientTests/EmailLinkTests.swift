@testable import Client
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1))) struct EmailLinkTests {
  let setup = Recorded.Setup()
  var auth: Auth { setup.auth }
  var backend: RecordedBackend { setup.backend }

  private func credential(_ email: String = "ada@contoso.example") throws -> Credential {
    try EmailAuthProvider.credential(
      email: email, link: "https://p.example/__/auth/action?mode=signIn&oobCode=the%2Bcode&apiKey=k"
    )
  }

  @Test func `a link signs in with its code, and tells whether the account is new`() async throws {
    backend.queue(.signInWithEmailLink, .ok(Recorded.tokens("U1", ["isNewUser": true])))
    let credential = try credential()
    #expect(credential.providerID == "password")
    #expect(credential.signInMethod == "emailLink")
    let result = try await auth.signIn(with: credential)
    #expect(
      backend.calls.first?.body == ["email": "ada@contoso.example", "oobCode": "the+code"])
    #expect(result.additionalUserInfo?.providerID == "password")
    #expect(result.additionalUserInfo?.isNewUser == true)
    #expect(result.credential == nil)
    #expect(auth.currentUser === result.user)
  }

  @Test func `a link is linked by signing in with it as the user`() async throws {
    let user = try await setup.signIn()
    backend.queue(.signInWithEmailLink, .ok(Recorded.tokens("U1", ["refreshToken": "new"])))
    let result = try await user.link(with: credential())
    let body = try #require(backend.calls(of: .signInWithEmailLink).first?.body)
    #expect(body["idToken"]?.string == Recorded.token("U1"))
    #expect(body["oobCode"] == "the+code")
    #expect(result.user === user)
    #expect(result.additionalUserInfo == nil)
    #expect(user.refreshToken.reveal() == "new")
  }

  @Test func `a refused link names the address and leaves the user signed in`() async throws {
    let user = try await setup.signIn()
    backend.queue(.signInWithEmailLink, .refused("EMAIL_EXISTS"), .refused("TOKEN_EXPIRED"))
    let taken = await failure { _ = try await user.link(with: credential("b@x.example")) }
    #expect(taken?.code == .emailAlreadyInUse)
    #expect(taken?.email == "b@x.example")
    let expired = await failure { _ = try await user.link(with: credential()) }
    #expect(expired?.code == .userTokenExpired)
    #expect(auth.currentUser === user)
  }

  @Test func `a link of somebody else does not reauthenticate`() async throws {
    let user = try await setup.signIn()
    backend.queue(
      .signInWithEmailLink, .ok(Recorded.tokens("U2", ["isNewUser": true])),
      .ok(Recorded.tokens("U1", ["refreshToken": "recent"])))
    let error = await failure { try await user.reauthenticate(with: credential("b@x.example")) }
    #expect(error?.code == .userMismatch)
    #expect(error?.details?["strayAccount"] == "U2")
    #expect(user.refreshToken.reveal() == "refresh-token-1")
    try await user.reauthenticate(with: credential())
    #expect(user.refreshToken.reveal() == "recent")
  }

  @Test func `what is no sign-in link makes no credential`() async throws {
    for link in ["", "not a link", "https://p.example/?mode=verifyEmail&oobCode=c"] {
      let error = await failure {
        _ = try EmailAuthProvider.credential(email: "a@x.example", link: link)
      }
      #expect(error?.code == .invalidActionCode)
    }
    let empty = try credential("")
    #expect(await failure { try await auth.signIn(with: empty) }?.code == .missingEmail)
    #expect(backend.calls.isEmpty)
  }

  @Test(arguments: [
    "https://p.example/action?mode=signIn&oobCode=C&continueUrl=https%3A%2F%2Fx.example%2F%3Fa&lang=fr&apiKey=K&tenantId=T",
    "https://x.page.link/?link=https%3A%2F%2Fp.example%2Faction%3Fmode%3DsignIn%26oobCode%3DC%26continueUrl%3Dhttps%253A%252F%252Fx.example%252F%253Fa%26lang%3Dfr%26apiKey%3DK%26tenantId%3DT",
    "app.scheme://google/link?deep_link_id=https%3A%2F%2Fp.example%2F%3Flink%3Dhttps%253A%252F%252Fp.example%252F%253Fmode%253DsignIn%2526oobCode%253DC%2526continueUrl%253Dhttps%25253A%25252F%25252Fx.example%25252F%25253Fa%2526lang%253Dfr%2526apiKey%253DK%2526tenantId%253DT",
    "https://x.example/?https://p.example/action?mode=signIn&oobCode=C&continueUrl=https%3A%2F%2Fx.example%2F%3Fa&lang=fr&apiKey=K&tenantId=T#top",
  ]) func `a link is read through what is wrapped around it`(_ link: String) throws {
    let url = try #require(ActionCodeURL(link))
    #expect(url.code.reveal() == "C")
    #expect(url.operation == .emailLink)
    #expect(url.continueURL == "https://x.example/?a")
    #expect(url.languageCode == "fr")
    #expect(url.apiKey?.reveal() == "K")
    #expect(url.tenantID == "T")
  }

  @Test func `a link without a code is none`() {
    for link in [
      "", "?", "https://p.example/", "https://p.example/?mode=signIn&oobCode=",
      "https://p.example/?oobCode=C", "https://p.example/#mode=signIn&oobCode=C",
      "https://a/?link=https://b/?link=https://c/?link=https://d/?link=https://e/?link=https://f",
    ] {
      #expect(ActionCodeURL(link) == nil, "\(link)")
    }
    #expect(ActionCodeURL("https://p.example/?mode=fly&oobCode=C")?.operation == .unknown)
  }
}
