internal import Encoding
internal import IdentityToolkit
internal import OIDC

extension Backend {
  /// `accounts:signInWithIdp`: a sign-in, or with an `idToken` a link, by an identity provider's word.
  func signInWithIdp(_ call: Call) async throws(Refusal) -> JSONObject {
    let request = try IdentityRequest(call.fields)
    // A dead session must not cost the caller its single-use credential.
    if let idToken = request.idToken { _ = try verify(idToken: idToken) }
    let assertion = try await assertion(for: request)
    _ = try federatedProvider(assertion.providerID)
    guard let idToken = request.idToken else {
      return try signIn(assertion, request)
    }
    // Verified again: other requests ran while the provider was asked.
    return try link(assertion, to: try verify(idToken: idToken), request)
  }

  // MARK: Sign-in

  private func signIn(
    _ assertion: Assertion, _ request: IdentityRequest
  ) throws(Refusal) -> JSONObject {
    if var known = accounts[assertion.key] {
      refreshIdentity(of: &known, with: assertion)
      return try finish(&known, assertion, request)
    }
    if configuration.oneAccountPerEmail, let email = assertion.email,
      var owner = accounts[email: email]
    {
      guard assertion.isTrusted else { return needConfirmation(owner, assertion, request) }
      let isRecycled = owner.identity(at: assertion.providerID) != nil
      takeOver(&owner, by: assertion)
      var answer = try finish(&owner, assertion, request)
      if isRecycled { answer["emailRecycled"] = true }
      return answer
    }
    guard request.autoCreates else { throw Refusal(.userNotFound) }
    var account = Account(uid: newUID(), now: nowMilliseconds)
    adopt(assertion, into: &account)
    return try finish(&account, assertion, request, isNew: true)
  }

  /// The account exists, but nobody vouches that the two people are one.
  private func needConfirmation(
    _ owner: Account, _ assertion: Assertion, _ request: IdentityRequest
  ) -> JSONObject {
    var answer = describe(assertion, request)
    answer["localId"] = .string(owner.uid)
    answer["needConfirmation"] = true
    // Identity providers only: an empty list means a password.
    answer["verifiedProvider"] = .array(owner.identities.map { .string($0.providerID) })
    return answer
  }

  /// Links a trusted identity to the account that has its address.
  ///
  /// If nobody ever proved to own that address, whoever made the account may be somebody else: their
  /// password, their untrusted identities and their sessions go.
  private func takeOver(_ account: inout Account, by assertion: Assertion) {
    if !account.isEmailVerified {
      account.password = nil
      account.removeIdentities { !$0.isTrusted }
      revokeTokens(of: &account)
      account.isEmailVerified = true
    }
    adopt(assertion, into: &account)
  }

  // MARK: Link

  private func link(
    _ assertion: Assertion, to token: VerifiedToken, _ request: IdentityRequest
  ) throws(Refusal) -> JSONObject {
    var account = token.account
    if accounts[assertion.key] != nil {
      return try conflict(.federatedUserIDAlreadyLinked, assertion, request)
    }
    if configuration.oneAccountPerEmail, let email = assertion.email,
      let owner = accounts[email: email],
      ExactString(string: owner.uid) != ExactString(string: account.uid)
    {
      return try conflict(.emailExists, assertion, request)
    }
    adopt(assertion, into: &account)
    // Linking proves who the person is elsewhere, not here, so it does not count as a recent sign-in.
    return try finish(
      &account, assertion, request, authTime: token.session.authTime,
      extraClaims: token.session.extraClaims)
  }

  /// With `returnIdpCredential` these two refusals are answers, so that the credential can come along.
  private func conflict(
    _ error: ServerError, _ assertion: Assertion, _ request: IdentityRequest
  ) throws(Refusal) -> JSONObject {
    guard request.returnsIdPCredential else { throw Refusal(error) }
    var answer = describe(assertion, request)
    answer["errorMessage"] = .string(error.rawValue)
    return answer
  }

  // MARK: Both

  /// Adds the identity, and takes from it what the account does not have yet.
  private func adopt(_ assertion: Assertion, into account: inout Account) {
    account.link(assertion.identity)
    account.displayName = account.displayName ?? assertion.displayName
    account.photoURL = account.photoURL ?? assertion.photoURL
    // Where several accounts may share an address, federated ones have none of their own.
    guard configuration.oneAccountPerEmail, let email = assertion.email else { return }
    if account.email == nil {
      account.email = email
      account.isEmailVerified = assertion.isTrusted
    } else if assertion.isTrusted,
      account.email.map({ ExactString(string: $0) }) == ExactString(string: email)
    {
      account.isEmailVerified = true
    }
  }

  private func refreshIdentity(of account: inout Account, with assertion: Assertion) {
    account.link(assertion.identity)
    if assertion.isTrusted, let email = assertion.email,
      account.email.map({ ExactString(string: $0) }) == ExactString(string: email)
    {
      account.isEmailVerified = true
    }
  }

  private func finish(
    _ account: inout Account, _ assertion: Assertion, _ request: IdentityRequest,
    isNew: Bool = false, authTime: Int64? = nil, extraClaims: JSONObject = JSONObject()
  ) throws(Refusal) -> JSONObject {
    let tokens = try signIn(
      &account, provider: assertion.providerID, authTime: authTime, extraClaims: extraClaims)
    var answer = describe(assertion, request)
    answer["localId"] = .string(account.uid)
    if isNew { answer["isNewUser"] = true }
    for (name, value) in tokens.entries { answer[name] = value }
    return answer
  }

  /// What every answer tells of the identity, with a pending token that can repeat the sign-in once.
  private func describe(_ assertion: Assertion, _ request: IdentityRequest) -> JSONObject {
    var answer: JSONObject = ["kind": "identitytoolkit#VerifyAssertionResponse"]
    answer["providerId"] = .string(assertion.providerID)
    answer["federatedId"] = .string(assertion.federatedID)
    answer.set("email", assertion.email)
    if assertion.email != nil { answer["emailVerified"] = .bool(assertion.isTrusted) }
    answer.set("displayName", assertion.displayName)
    answer.set("fullName", assertion.displayName)
    answer.set("firstName", assertion.firstName)
    answer.set("lastName", assertion.lastName)
    answer.set("photoUrl", assertion.photoURL)
    answer.set("screenName", assertion.screenName)
    answer["rawUserInfo"] = .string(JSON.object(assertion.profile).encoded())
    answer.set("oauthIdToken", assertion.idToken?.reveal())
    answer.set("oauthAccessToken", assertion.accessToken?.reveal())
    if let seconds = assertion.expiresIn { answer["oauthExpireIn"] = .integer(seconds) }
    if request.returnsRefreshToken {
      answer.set("oauthRefreshToken", assertion.refreshToken?.reveal())
    }
    answer["context"] = .string(assertion.context ?? "")
    let pending = SecureRandom.token(bytes: 48)
    pendingAssertions.put(
      assertion, under: pending, expires: now + Assertion.pendingLifetime, now: now)
    answer["pendingToken"] = .string(pending)
    return answer
  }
}
