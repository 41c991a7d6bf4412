import IdentityToolkit
import System

extension User {
  /// Links a credential to this user, who can then sign in with it too.
  ///
  /// An anonymous user becomes a permanent one with the same uid.
  public func link(with credential: Credential) async throws(AuthError) -> AuthResult {
    if case .password(_, let password) = credential.content, password.reveal().isEmpty {
      throw AuthError(.weakPassword, "the password to link is empty")
    }
    try credential.checkUsable(by: backend)
    // The local copy of the account may be outdated, so read it again.
    try await reload()
    guard providerData(of: credential.providerID) == nil else {
      throw AuthError(
        .providerAlreadyLinked, "the user already has a credential of \(credential.providerID)",
        hint: "call user:unlink(\"\(credential.providerID)\") first if it is to be replaced")
    }
    switch credential.content {
    case .password(let email, let password):
      try await adopt(try await link(email: email, password: password))
      return AuthResult(user: self)
    case .emailLink(let email, let code):
      try await adopt(try await link(email: email, code: code))
      return AuthResult(user: self)
    case .phone, .phoneProof:
      let answer = try SignInAnswer(
        await call(.signInWithPhoneNumber, credential.phoneRequest(.link)))
      try await adopt(answer)
      return credential.result(self, answer)
    case .tokens, .redirect:
      let answer = try await linkIdentity(credential)
      try await adopt(answer)
      return credential.result(self, answer)
    }
  }

  /// Links a password by signing up as this user; `update` is refused with e-mail enumeration protection.
  private func link(email: String, password: Secret) async throws(AuthError) -> SignInAnswer {
    do {
      return try SignInAnswer(
        await call(
          .signUp,
          [
            "email": .string(email), "password": .string(password.reveal()),
            "returnSecureToken": true,
          ]))
    } catch {
      throw error.code == .emailAlreadyInUse ? error.about(email: email) : error
    }
  }

  /// Links an e-mail address by signing in with its link as this user.
  ///
  /// As in the SDKs, an error here is about the link and leaves the user signed in.
  private func link(email: String, code: Secret) async throws(AuthError) -> SignInAnswer {
    let body: JSONObject = [
      "email": .string(email), "oobCode": .string(code.reveal()),
      "idToken": .string(try await getIDToken().reveal()),
    ]
    do {
      return try SignInAnswer(
        await backend.call(.signInWithEmailLink, body, tenantID: tenantID))
    } catch {
      throw error.code == .emailAlreadyInUse ? error.about(email: email) : error
    }
  }

  private func linkIdentity(_ credential: Credential) async throws(AuthError) -> SignInAnswer {
    let request = credential.identityProviderRequest(
      linkingTo: try await getIDToken(), autoCreate: true)
    do {
      let response = try await credential.send(request, over: backend, tenantID: tenantID)
      return try SignInAnswer(response, to: credential)
    } catch {
      throw endingSession(error)
    }
  }

  private func adopt(_ answer: SignInAnswer) async throws(AuthError) {
    guard answer.userID.map(hasID) ?? true else {
      throw AuthError(.internalError, "the backend linked the credential to another account")
    }
    session.adopt(try Session(answer.response, now: backend.clock.now))
    isAnonymous = false
    try await settle()
  }

  /// Unlinks a provider from this user.
  ///
  /// Unlinking the last one is allowed. Nobody can sign in to the account then.
  @discardableResult
  public func unlink(_ providerID: String) async throws(AuthError) -> User {
    try await reload()
    guard providerData(of: providerID) != nil else {
      throw AuthError(
        .noSuchProvider, "the user has no credential of \(Redaction().clean(providerID))")
    }
    let answer = try await call(
      .update, ["deleteProvider": [.string(providerID)], "returnSecureToken": true])
    try await adoptTokens(of: answer)
    return self
  }

  /// Reauthenticates the user.
  ///
  /// The new tokens count as a recent sign-in. A credential of another user is refused, without changes to this one.
  @discardableResult
  public func reauthenticate(with credential: Credential) async throws(AuthError) -> AuthResult {
    try credential.checkUsable(by: backend)
    let answer: SignInAnswer
    do {
      answer = try await credential.signIn(
        over: backend, tenantID: tenantID, autoCreate: false)
    } catch {
      throw failure(error, of: credential)
    }
    return try await finish(answer, credential)
  }

  /// Adopts the tokens of a sign-in, if it is this user's.
  private func finish(
    _ answer: SignInAnswer, _ credential: Credential
  ) async throws(AuthError) -> AuthResult {
    guard let uid = answer.userID, ExactString(uid) == ExactString(self.uid) else {
      throw mismatch(answer)
    }
    session.adopt(try Session(answer.response, now: backend.clock.now))
    defer { auth?.tokensChanged(of: self) }
    try await session.keep(of: self)
    return credential.result(self, answer)
  }

  /// The error of a failed sign-in, adapted to reauthentication.
  private func failure(_ error: AuthError, of credential: Credential) -> AuthError {
    // An identity without an account is not this user's.
    if error.code == .userNotFound {
      return AuthError(.userMismatch, serverName: error.serverName)
    }
    // Do not ask for the second factor of another account.
    if let uid = error.awaitedFactor?.userID, !hasID(uid) { return AuthError(.userMismatch) }
    return error.resolvable {
      MultiFactorResolver($0, auth: auth, over: backend, tenantID: tenantID) {
        answer throws(AuthError) in try await self.finish(answer, credential)
      }
    }
  }

  /// The error for another user's credential.
  ///
  /// Some emulators ignore `autoCreate` and create an account for an unknown identity. That is reported, because
  /// nobody would look for that account.
  private func mismatch(_ answer: SignInAnswer) -> AuthError {
    guard answer.isNewUser, let uid = answer.userID else { return AuthError(.userMismatch) }
    return AuthError(
      .userMismatch,
      "\(ErrorCode.userMismatch.summary), and the backend made a stray account \(uid) for it",
      hint: "delete the stray account, then reauthenticate with a credential of the current user",
      details: ["strayAccount": .string(uid)])
  }
}
