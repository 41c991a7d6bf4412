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
    let answer = try await credential.signIn(over: backend, tenantID: tenantID, autoCreate: true)
    return credential.result(try await complete(answer, tenantID: tenantID), answer)
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
    let answer = try await signIn(
      .signInWithCustomToken,
      ["token": .string(customToken.reveal()), "returnSecureToken": true])
    return AuthResult(
      user: answer.user,
      additionalUserInfo: AdditionalUserInfo(providerID: "", isNewUser: answer.isNewUser))
  }

  /// Signs in without any credential, as a user who can be linked to one later.
  ///
  /// Whoever is anonymous already stays who they are.
  @discardableResult
  public func signInAnonymously() async throws(AuthError) -> AuthResult {
    if let currentUser, currentUser.isAnonymous, currentUser.tenantID == tenantID {
      return AuthResult(user: currentUser)
    }
    let answer = try await signIn(.signUp, ["returnSecureToken": true], isAnonymous: true)
    return AuthResult(
      user: answer.user, additionalUserInfo: AdditionalUserInfo(providerID: "", isNewUser: true))
  }

  /// Makes an account with an e-mail address and a password, and signs in to it.
  @discardableResult
  public func createUser(email: String, password: Secret) async throws(AuthError) -> AuthResult {
    guard !password.reveal().isEmpty else {
      throw AuthError(.weakPassword, "the password is empty")
    }
    guard !email.isEmpty else { throw AuthError(.missingEmail) }
    do {
      let answer = try await signIn(
        .signUp,
        [
          "email": .string(email), "password": .string(password.reveal()),
          "returnSecureToken": true,
        ])
      return AuthResult(
        user: answer.user,
        additionalUserInfo: AdditionalUserInfo(providerID: EmailAuthProvider.id, isNewUser: true))
    } catch {
      throw error.code == .emailAlreadyInUse ? error.about(email: email) : error
    }
  }

  private func signIn(
    _ endpoint: Endpoint, _ body: JSONObject, isAnonymous: Bool = false
  ) async throws(AuthError) -> (user: User, isNewUser: Bool) {
    let tenantID = tenantID
    let answer = try SignInAnswer(await backend.call(endpoint, body, tenantID: tenantID))
    let user = try await complete(answer, tenantID: tenantID, isAnonymous: isAnonymous)
    return (user, answer.isNewUser)
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
