internal import Encoding
internal import IdentityToolkit
internal import OIDC

extension Backend {
  /// `accounts:signInWithIdp`: a sign-in, or with an `idToken` a link, by an identity provider's word.
  func signInWithIdp(_ call: Call) async throws(Refusal) -> JSONObject {
    if !rules[.realProviders] { try Self.refuseUnsupported(call.fields) }
    let request = try IdentityRequest(call.fields)
    let assertion =
      rules[.realProviders]
      ? try await checkedAssertion(for: request) : try believedAssertion(for: request)
    guard let idToken = request.idToken else {
      return try signIn(assertion, request)
    }
    return try link(assertion, to: try verify(idToken: idToken), request)
  }

  /// What nobody can ask for while providers are made up.
  private static func refuseUnsupported(_ fields: Fields) throws(Refusal) {
    if try fields.bool("returnRefreshToken") == true {
      throw .notImplemented("returnRefreshToken is not implemented yet.")
    }
    if fields.text("pendingIdToken") != nil {
      throw .notImplemented("pendingIdToken is not implemented yet.")
    }
  }

  private func checkedAssertion(
    for request: IdentityRequest
  ) async throws(Refusal) -> Assertion {
    // A dead session must not cost the caller its single-use credential. It is verified again
    // afterwards: other requests run while the provider is asked.
    if let idToken = request.idToken { _ = try verify(idToken: idToken) }
    let assertion = try await verifiedAssertion(for: request)
    _ = try federatedProvider(assertion.providerID)
    return assertion
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
    // Firebase's emulator makes the account even for a reauthentication.
    guard request.autoCreates || !rules[.realProviders] else { throw Refusal(.userNotFound) }
    var account = Account(uid: newUID(), now: nowMilliseconds)
    setProfile(of: &account, from: assertion)
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
    if rules[.realProviders] || !owner.providers.isEmpty {
      answer["verifiedProvider"] = .array(owner.identities.map { .string($0.providerID) })
    }
    return answer
  }

  /// Links a trusted identity to the account that has its address.
  ///
  /// If nobody ever proved to own that address, whoever made the account may be somebody else: their
  /// password, their untrusted identities and their sessions go.
  private func takeOver(_ account: inout Account, by assertion: Assertion) {
    if !account.isEmailVerified {
      if rules[.realProviders] {
        account.removeIdentities { !$0.isTrusted }
      } else {
        // Firebase's emulator means to remove the identities and does not; it leaves the salt behind.
        account.phoneNumber = nil
        if let salt = account.password?.salt { account.setFurther("salt", .string(salt)) }
      }
      account.password = nil
      revokeTokens(of: &account)
      account.isEmailVerified = true
    }
    if !rules[.realProviders] { setProfile(of: &account, from: assertion) }
    adopt(assertion, into: &account)
  }

  /// Puts the provider's profile in place of what the account had; what the provider lacks is erased.
  private func setProfile(of account: inout Account, from assertion: Assertion) {
    account.displayName = assertion.displayName
    account.photoURL = assertion.photoURL
    account.setFurther("screenName", assertion.screenName.map { .string($0) })
    account.setFurther("language", nil)
    account.setFurther("dateOfBirth", nil)
  }

  // MARK: Link

  private func link(
    _ assertion: Assertion, to token: VerifiedToken, _ request: IdentityRequest
  ) throws(Refusal) -> JSONObject {
    var account = token.account
    // Google's servers keep one identity per provider, and do not exchange it for another one unasked.
    let isTaken = rules[.realProviders] && account.identity(at: assertion.providerID) != nil
    if isTaken || accounts[assertion.key] != nil {
      return try conflict(.federatedUserIDAlreadyLinked, assertion, request)
    }
    if configuration.oneAccountPerEmail, let email = assertion.email,
      let owner = accounts[email: email],
      ExactString(string: owner.uid) != ExactString(string: account.uid)
    {
      return try conflict(.emailExists, assertion, request)
    }
    adopt(assertion, into: &account)
    guard rules[.realProviders] else { return try finish(&account, assertion, request) }
    // Linking proves who the person is elsewhere, not here, so it does not count as a recent sign-in.
    return try finish(&account, assertion, request, continuing: token.session)
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
    if rules[.realProviders] {
      account.displayName = account.displayName ?? assertion.displayName
      account.photoURL = account.photoURL ?? assertion.photoURL
    }
    // Where several accounts may share an address, federated ones have none of their own.
    if configuration.oneAccountPerEmail, account.email == nil, let email = assertion.email {
      account.email = email
      account.isEmailVerified = assertion.isTrusted
    }
    if configuration.oneAccountPerEmail || !rules[.realProviders] {
      verifyAddress(of: &account, by: assertion)
    }
  }

  private func refreshIdentity(of account: inout Account, with assertion: Assertion) {
    account.link(assertion.identity)
    if rules[.realProviders] { verifyAddress(of: &account, by: assertion) }
  }

  /// A trusted provider's word settles whose the address is.
  private func verifyAddress(of account: inout Account, by assertion: Assertion) {
    guard assertion.email != nil, assertion.isTrusted, assertion.hasAddress(of: account) else {
      return
    }
    account.isEmailVerified = true
  }

  /// Signs in; a link under the rules of Google's servers continues the session of its ID token.
  private func finish(
    _ account: inout Account, _ assertion: Assertion, _ request: IdentityRequest,
    isNew: Bool = false, continuing earlier: SignInSession? = nil
  ) throws(Refusal) -> JSONObject {
    var session = SignInSession(
      provider: assertion.providerID, authTime: earlier?.authTime ?? now)
    session.extraClaims = earlier?.extraClaims ?? JSONObject()
    session.attributes = assertion.attributes
    if earlier == nil { account.lastLoginAt = nowMilliseconds }
    // Firebase's emulator looks whether the account is disabled when all else is done and kept.
    if account.isDisabled, !rules[.realProviders] { accounts.save(&account) }
    let tokens = try issueTokens(for: &account, session)
    var answer = describe(assertion, request)
    answer["localId"] = .string(account.uid)
    answer.set("tenantId", tenantID)
    if isNew { answer["isNewUser"] = true }
    if !rules[.realProviders], assertion.hasAddress(of: account) {
      answer["emailVerified"] = account.emailVerified.map { .bool($0) }
    }
    for (name, value) in tokens.entries { answer[name] = value }
    return answer
  }

  /// What every answer tells of the identity, with a pending token that can repeat the sign-in once.
  private func describe(_ assertion: Assertion, _ request: IdentityRequest) -> JSONObject {
    var answer: JSONObject = ["kind": "identitytoolkit#VerifyAssertionResponse"]
    answer["providerId"] = .string(assertion.providerID)
    answer["federatedId"] = .string(assertion.federatedID)
    answer.set("email", assertion.email)
    if assertion.email != nil || !rules[.realProviders] {
      answer["emailVerified"] = .bool(assertion.isTrusted)
    }
    answer.set("displayName", assertion.displayName)
    answer.set("fullName", assertion.displayName)
    answer.set("firstName", assertion.firstName)
    answer.set("lastName", assertion.lastName)
    answer.set("photoUrl", assertion.photoURL)
    answer.set("screenName", assertion.screenName)
    answer.set("rawUserInfo", assertion.profile?.encoded())
    answer.set("oauthIdToken", assertion.idToken?.reveal())
    answer.set("oauthAccessToken", assertion.accessToken?.reveal())
    if let seconds = assertion.expiresIn { answer["oauthExpireIn"] = .integer(seconds) }
    if request.returnsRefreshToken {
      answer.set("oauthRefreshToken", assertion.refreshToken?.reveal())
    }
    answer["context"] = .string(assertion.context ?? "")
    guard rules[.realProviders] else { return answer }
    let pending = SecureRandom.token(bytes: 48)
    pendingAssertions.put(
      assertion, under: pending, expires: now + Assertion.pendingLifetime, now: now)
    answer["pendingToken"] = .string(pending)
    return answer
  }
}
