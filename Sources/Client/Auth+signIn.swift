public import System
import IdentityToolkit

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
}
