@testable import Client
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1))) struct SignInTests {
  let setup = Recorded.Setup()
  var auth: Auth { setup.auth }
  var backend: RecordedBackend { setup.backend }

  @Test func `a manual credential is sent as the provider gave it`() async throws {
    backend.queue(.signInWithIdp, .ok(Recorded.oidc))
    let credential = try OAuthProvider.credential(
      providerID: "oidc.corp", idToken: Secret("a+b/c=&d%"), rawNonce: Secret("RAW nonce"))
    let result = try await auth.signIn(with: credential)

    let body = try #require(backend.calls(of: .signInWithIdp).first?.body)
    #expect(
      body["postBody"] == "providerId=oidc.corp&id_token=a%2Bb%2Fc%3D%26d%25&nonce=RAW%20nonce")
    #expect(body["requestUri"] == "http://localhost")
    #expect(body["returnSecureToken"] == true)
    #expect(body["returnIdpCredential"] == true)
    #expect(body["autoCreate"] == true)
    #expect(body["idToken"] == nil)
    #expect(body["pendingToken"] == nil)
    #expect(body["tenantId"] == nil)

    #expect(result.user.uid == "U1")
    #expect(auth.currentUser === result.user)
    #expect(result.additionalUserInfo?.providerID == "oidc.corp")
    #expect(result.additionalUserInfo?.isNewUser == true)
    #expect(result.additionalUserInfo?.profile["sub"] == "sub-1")
    #expect(result.credential?.idToken?.reveal() == "eyJ-idp-id-token")
  }

  @Test func `without a raw nonce there is no nonce key`() async throws {
    backend.queue(.signInWithIdp, .ok(Recorded.oidc))
    let credential = try OAuthProvider.credential(
      providerID: "oidc.corp", idToken: Secret("x"), rawNonce: Secret(""), accessToken: Secret("y"))
    _ = try await auth.signIn(with: credential)
    #expect(
      backend.calls.first?.body["postBody"] == "providerId=oidc.corp&id_token=x&access_token=y")
  }

  @Test func `a token of OAuth 1 is sent with its secret`() async throws {
    backend.queue(
      .signInWithIdp,
      .ok(Recorded.tokens("U1", ["providerId": "twitter.com", "screenName": "ada"])))
    let result = try await auth.signIn(
      with: TwitterAuthProvider.credential(token: Secret("t"), secret: Secret("s")))
    #expect(
      backend.calls.first?.body["postBody"]
        == "providerId=twitter.com&access_token=t&oauth_token_secret=s")
    #expect(result.additionalUserInfo?.username == "ada")
    #expect(result.credential == nil)
  }

  @Test func `the account is read after the sign-in`() async throws {
    backend.account = Recorded.account("U1", providers: "google.com", "password")
    let user = try await setup.signIn()
    #expect(user.email == "ada@contoso.example")
    #expect(user.displayName == "Ada")
    #expect(!user.isAnonymous)
    #expect(user.hasPassword)
    #expect(user.metadata.creationDate == 1_500_000_000_000)
    #expect(user.metadata.lastSignInDate == 1_600_000_000_000)
    #expect(user.providerData(of: "google.com")?.uid == "raw-google.com")
    #expect(backend.calls.map(\.endpoint) == [.signInWithPassword, .lookup])
    #expect(backend.calls.last?.body["idToken"]?.string == Recorded.token("U1"))
  }

  @Test func `a password sign-in tells its provider`() async throws {
    backend.queue(.signInWithPassword, .ok(Recorded.password))
    let result = try await auth.signIn(
      email: "ada@contoso.example", password: Secret("p4ssword"))
    #expect(result.additionalUserInfo?.providerID == "password")
    #expect(result.additionalUserInfo?.isNewUser == false)
    #expect(result.credential == nil)
    let body = backend.calls.first?.body
    #expect(body?["email"] == "ada@contoso.example")
    #expect(body?["password"] == "p4ssword")
  }

  @Test func `a custom token signs in`() async throws {
    backend.queue(.signInWithCustomToken, .ok(Recorded.tokens("U1", ["isNewUser": true])))
    let result = try await auth.signIn(customToken: Secret("custom"))
    #expect(result.additionalUserInfo?.isNewUser == true)
    #expect(result.additionalUserInfo?.providerID == "")
    #expect(backend.calls.first?.body["token"] == "custom")
  }

  @Test func `whoever is anonymous stays who they are`() async throws {
    backend.account = ["localId": "A1"]
    backend.queue(.signUp, .ok(Recorded.tokens("A1")))
    let first = try await auth.signInAnonymously()
    #expect(first.user.isAnonymous)
    #expect(first.additionalUserInfo?.isNewUser == true)
    #expect(backend.calls.first?.body == ["returnSecureToken": true])
    let second = try await auth.signInAnonymously()
    #expect(second.user === first.user)
    #expect(second.additionalUserInfo == nil)
    #expect(backend.calls.count == 2)
  }

  @Test func `creating a user signs in to it`() async throws {
    backend.queue(.signUp, .ok(Recorded.tokens()))
    let result = try await auth.createUser(email: "a@x.example", password: Secret("p4ssword"))
    #expect(result.additionalUserInfo?.isNewUser == true)
    #expect(auth.currentUser?.uid == "U1")
    #expect(result.user.isAnonymous == false)
  }

  @Test func `a taken address is named in the error`() async throws {
    backend.queue(.signUp, .refused("EMAIL_EXISTS"))
    let error = await failure {
      try await auth.createUser(email: "a@x.example", password: Secret("p4ssword"))
    }
    #expect(error?.code == .emailAlreadyInUse)
    #expect(error?.email == "a@x.example")
  }

  @Test(arguments: [
    ("", "x", ErrorCode.missingEmail), ("a@x.example", "", .weakPassword),
  ])
  func `an empty argument is refused before it is sent`(
    _ email: String, _ password: String, _ code: ErrorCode
  ) async {
    let error = await failure {
      try await auth.createUser(email: email, password: Secret(password))
    }
    #expect(error?.code == code)
    let signIn = await failure { try await auth.signIn(email: email, password: Secret(password)) }
    #expect(signIn?.code == (email.isEmpty ? .missingEmail : .wrongPassword))
    let custom = await failure { try await auth.signIn(customToken: Secret("")) }
    #expect(custom?.code == .invalidCustomToken)
    #expect(backend.calls.isEmpty)
  }

  @Test func `the tenant goes along, but not to lookup`() async throws {
    auth.tenantID = "T1"
    auth.languageCode = "fr"
    let user = try await setup.signIn()
    #expect(backend.calls[0].body["tenantId"] == "T1")
    #expect(backend.calls[0].headers["X-Firebase-Locale"] == "fr")
    #expect(backend.calls[1].body["tenantId"] == nil)
    #expect(user.tenantID == "T1")
  }

  @Test func `a sign-in that fails late leaves the current user`() async throws {
    let user = try await setup.signIn()
    backend.queue(.signInWithPassword, .ok(Recorded.tokens("U2")))
    backend.queue(.lookup, .refused("USER_DISABLED"))
    let error = await failure { try await auth.signIn(email: "b@x.example", password: Secret("x")) }
    #expect(error?.code == .userDisabled)
    #expect(auth.currentUser === user)
  }

  @Test func `an answer without tokens is an error`() async {
    backend.queue(.signInWithPassword, .ok(["localId": "U1"]))
    let error = await failure { try await auth.signIn(email: "b@x.example", password: Secret("x")) }
    #expect(error?.code == .invalidUserToken)
  }

  @Test(
    arguments: [
      ["localId": 7, "idToken": 7, "refreshToken": 7, "expiresIn": [:]],
      ["idToken": ["a"], "refreshToken": "r"], ["idToken": .null, "refreshToken": .null],
      ["idToken": "", "refreshToken": ""], ["users": []],
    ] as [JSON])
  func `an answer with content of another kind signs nobody in`(_ answer: JSON) async {
    setup.backend.queue(.signInWithPassword, .ok(answer))
    let error = await failure {
      _ = try await setup.auth.signIn(email: "a@x.example", password: Secret("x"))
    }
    #expect(error?.code == .invalidUserToken)
    #expect(setup.auth.currentUser == nil)
  }

  @Test func `each sign-in makes a new user, and signing out forgets it`() async throws {
    let first = try await setup.signIn()
    let second = try await setup.signIn()
    #expect(first !== second)
    try auth.signOut()
    #expect(auth.currentUser == nil)
    try auth.signOut()
  }

  @Test func `the ways of an address are told apart`() async throws {
    let answer: JSON = [
      "registered": true, "allProviders": ["password", "google.com"],
      "signinMethods": ["emailLink", "google.com"], "sessionId": "s",
    ]
    backend.queue(.createAuthUri, .ok(answer), .ok(answer), .ok(["kind": "k", "sessionId": "s"]))
    #expect(try await auth.fetchProviders(email: "a@x.example") == ["password", "google.com"])
    #expect(
      try await auth.fetchSignInMethods(email: "a@x.example") == ["emailLink", "google.com"])
    #expect(try await auth.fetchProviders(email: "a@x.example") == [])
    #expect(backend.calls.first?.body["identifier"] == "a@x.example")
    #expect(backend.calls.first?.body["continueUri"] == "http://localhost")
    let error = await failure { _ = try await auth.fetchProviders(email: "") }
    #expect(error?.code == .missingEmail)
  }
}
