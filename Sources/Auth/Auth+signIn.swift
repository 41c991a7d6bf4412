public import Encoding
import IdentityToolkit

extension Auth {
  /// Signs in with a credential of any kind.
  ///
  /// The first sign-in of an identity makes its account; later ones find it.
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

  /// Signs in with an e-mail address and its password.
  @discardableResult
  public func signIn(email: String, password: Secret) async throws(AuthError) -> AuthResult {
    try await signIn(with: EmailAuthProvider.credential(email: email, password: password))
  }

  /// Signs in with a token that the project's own server made.
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

  /// Signs in without any credential, as a user who can be linked to one later.
  ///
  /// Whoever is anonymous already stays who they are.
  @discardableResult
  public func signInAnonymously() async throws(AuthError) -> AuthResult {
    if let currentUser, currentUser.isAnonymous, currentUser.tenantID == tenantID {
      return AuthResult(user: currentUser)
    }
    return try await signIn(.signUp, ["returnSecureToken": true], isAnonymous: true) { _ in
      AdditionalUserInfo(providerID: "", isNewUser: true)
    }
  }

  /// Makes an account with an e-mail address and a password, and signs in to it.
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

  /// Emulators that ignore `autoCreate` make the account all the same: that is reported, since
  /// nobody would look for it.
  private func strayAccount(_ answer: SignInAnswer) -> AuthError {
    let uid = answer.userID ?? "without identifier"
    return AuthError(
      .userNotFound,
      "\(ErrorCode.userNotFound.summary), and the backend made a stray account \(uid) for it",
      hint: "delete the stray account, and sign in with a way that the person's account has",
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

  /// Goes on with the answer to a first factor, at once or when a second one has been proved.
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

  /// Makes the user of an answer the current one, once the account was read.
  ///
  /// Until then nothing changes, so a sign-in that fails late leaves the current user alone.
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
}
