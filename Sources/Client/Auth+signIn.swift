import IdentityToolkit
public import System

extension Auth {
  /// Signs in with a credential of any kind.
  ///
  /// The first sign-in of an identity creates its account; later ones find it.
  @discardableResult
  public func signIn(with credential: Credential) async throws(AuthError) -> AuthResult {
    try credential.checkUsable(by: backend)
    let tenantID = tenantID
    let creates = createsAccounts
    return try await finish(tenantID: tenantID) { () async throws(AuthError) in
      try await credential.signIn(over: backend, tenantID: tenantID, autoCreate: creates)
    } then: { answer async throws(AuthError) in
      if !creates, answer.isNewUser { throw self.strayAccount(answer) }
      return credential.result(try await self.complete(answer, tenantID: tenantID), answer)
    }
  }

  /// Signs in with an e-mail address and password.
  @discardableResult
  public func signIn(email: String, password: Secret) async throws(AuthError) -> AuthResult {
    try await signIn(with: EmailAuthProvider.credential(email: email, password: password))
  }

  /// Signs in with a custom token, which the project's own server created.
  @discardableResult
  public func signIn(customToken: Secret) async throws(AuthError) -> AuthResult {
    guard !customToken.reveal().isEmpty else {
      throw AuthError(.invalidCustomToken, "the custom token is empty")
    }
    return try await signIn(
      .signInWithCustomToken,
      ["token": .string(customToken.reveal()), "returnSecureToken": true]
    ) { AdditionalUserInfo(providerID: "", isNewUser: $0.isNewUser) }
  }

  /// Signs in anonymously.
  ///
  /// A credential can be linked to the user later. If the current user is anonymous already, nothing changes.
  @discardableResult
  public func signInAnonymously() async throws(AuthError) -> AuthResult {
    if let currentUser, currentUser.isAnonymous, currentUser.tenantID == tenantID {
      return AuthResult(user: currentUser)
    }
    return try await signIn(.signUp, ["returnSecureToken": true], isAnonymous: true) { _ in
      AdditionalUserInfo(providerID: "", isNewUser: true)
    }
  }

  /// Creates an account with an e-mail address and password, and signs in to it.
  @discardableResult
  public func createUser(email: String, password: Secret) async throws(AuthError) -> AuthResult {
    guard !password.reveal().isEmpty else {
      throw AuthError(.weakPassword, "the password is empty")
    }
    guard !email.isEmpty else { throw AuthError(.missingEmail) }
    do {
      return try await signIn(
        .signUp,
        [
          "email": .string(email), "password": .string(password.reveal()),
          "returnSecureToken": true,
        ]
      ) { _ in AdditionalUserInfo(providerID: EmailAuthProvider.id, isNewUser: true) }
    } catch {
      throw error.code == .emailAlreadyInUse ? error.about(email: email) : error
    }
  }

  /// The error for an account that was created despite `autoCreate`, which some emulators ignore.
  ///
  /// Without the error, nobody would notice that account.
  private func strayAccount(_ answer: SignInAnswer) -> AuthError {
    let uid = answer.userID ?? "without identifier"
    return AuthError(
      .userNotFound,
      "\(ErrorCode.userNotFound.summary), and the backend made a stray account \(uid) for it",
      hint: "delete the stray account, and sign in with a method that the user's account has",
      details: ["strayAccount": .string(uid)])
  }

  private func signIn(
    _ endpoint: Endpoint, _ body: JSONObject, isAnonymous: Bool = false,
    _ tell: @escaping (SignInAnswer) -> AdditionalUserInfo
  ) async throws(AuthError) -> AuthResult {
    let tenantID = tenantID
    return try await finish(tenantID: tenantID) { () async throws(AuthError) in
      try SignInAnswer(await backend.call(endpoint, body, tenantID: tenantID))
    } then: { answer async throws(AuthError) in
      let user = try await self.complete(answer, tenantID: tenantID, isAnonymous: isAnonymous)
      return AuthResult(user: user, additionalUserInfo: tell(answer))
    }
  }

  /// Completes a sign-in after the first factor, at once or after the second factor.
  private func finish(
    tenantID: String?, after send: () async throws(AuthError) -> SignInAnswer,
    then goOn: @escaping (SignInAnswer) async throws(AuthError) -> AuthResult
  ) async throws(AuthError) -> AuthResult {
    let answer: SignInAnswer
    do {
      answer = try await send()
    } catch {
      throw error.resolvable {
        MultiFactorResolver($0, auth: self, over: backend, tenantID: tenantID, finish: goOn)
      }
    }
    return try await goOn(answer)
  }

  /// Makes the user of a response the current one, after reading the account.
  ///
  /// Until then nothing changes, so a late failure does not affect the current user.
  private func complete(
    _ answer: SignInAnswer, tenantID: String?, isAnonymous: Bool = false
  ) async throws(AuthError) -> User {
    let session = try Session(answer.response, now: backend.clock.now)
    let account = try await backend.call(
      .lookup, ["idToken": .string(session.idToken.reveal())], tenantID: tenantID
    ).account()
    let user = try User(
      session: session, account: account, isAnonymous: isAnonymous, tenantID: tenantID, auth: self)
    makeCurrent(user)
    return user
  }

  /// The ids of the providers that an e-mail address can sign in with.
  ///
  /// With e-mail enumeration protection the list is always empty: it does not mean that there is no account.
  public func fetchProviders(email: String) async throws(AuthError) -> [String] {
    try await ways(of: email, "allProviders")
  }

  /// The sign-in methods of an e-mail address, which distinguish password and e-mail link.
  ///
  /// With e-mail enumeration protection the list is always empty.
  public func fetchSignInMethods(email: String) async throws(AuthError) -> [String] {
    try await ways(of: email, "signinMethods")
  }

  private func ways(of email: String, _ member: String) async throws(AuthError) -> [String] {
    guard !email.isEmpty else { throw AuthError(.missingEmail) }
    let answer = try await backend.call(
      .createAuthUri, ["identifier": .string(email), "continueUri": "http://localhost"],
      tenantID: tenantID)
    return (answer[member]?.array ?? []).compactMap(\.string)
  }
}

/// The result of a successful sign-in, link or reauthentication.
public struct AuthResult {
  /// The user.
  public let user: User

  /// Further results of the sign-in.
  public let additionalUserInfo: AdditionalUserInfo?

  /// The identity provider's tokens; nil for sign-in methods without any.
  public let credential: Credential?

  init(user: User, additionalUserInfo: AdditionalUserInfo? = nil, credential: Credential? = nil) {
    self.user = user
    self.additionalUserInfo = additionalUserInfo
    self.credential = credential
  }
}

/// Further results of a sign-in, which are not stored anywhere else.
public struct AdditionalUserInfo: Sendable {
  /// The provider's id; empty for anonymous and custom-token sign-in.
  public let providerID: String

  /// Whether this sign-in created the account.
  public let isNewUser: Bool

  /// The user's profile in the identity provider's format.
  public let profile: JSONObject

  /// The user name at the provider.
  public let username: String?

  init(providerID: String, isNewUser: Bool) {
    self.providerID = providerID
    self.isNewUser = isNewUser
    self.profile = [:]
    self.username = nil
  }

  init(_ answer: SignInAnswer) {
    let response = answer.response
    providerID = answer.providerID
    isNewUser = answer.isNewUser
    let raw = response["rawUserInfo"]
    // Normally JSON as text; an object is accepted too.
    let profile = raw?.object ?? raw?.string.flatMap { (try? JSON.parse($0))?.object } ?? [:]
    self.profile = profile
    let named = [
      response["screenName"], response["username"], profile["login"],
      profile["screen_name"],
    ]
    username = named.lazy.compactMap { $0?.string }.first { !$0.isEmpty }
  }
}
