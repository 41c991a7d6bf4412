internal import System
internal import HTTP
internal import OIDC
internal import IdentityToolkit

extension Backend {
  /// `accounts:signInWithIdp`: signs in with an identity provider, or with an `idToken` links its identity.
  func signInWithIdp(_ call: Call) async throws(Refusal) -> JSONObject {
    if !rules[.realProviders] { try Self.refuseUnsupported(call.fields) }
    var request = try IdentityRequest(call.fields)
    let assertion =
      rules[.realProviders]
      ? try await checkedAssertion(for: request) : try believedAssertion(for: request)
    request.caller = call.caller
    guard let idToken = request.idToken else {
      return try await signIn(assertion, request)
    }
    return try await link(assertion, to: try verify(idToken: idToken), request)
  }

  /// Refuses options that made-up providers do not support.
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
    // An ended session must not use up the caller's single-use credential, so the token is checked first. It is
    // verified again afterwards: other requests run while the provider is called.
    if let idToken = request.idToken { _ = try verify(idToken: idToken) }
    let assertion = try await verifiedAssertion(for: request)
    _ = try federatedProvider(assertion.providerID)
    return assertion
  }

  // MARK: Sign-in

  private func signIn(
    _ assertion: Assertion, _ request: IdentityRequest
  ) async throws(Refusal) -> JSONObject {
    if let known = accounts[assertion.key] {
      let ended = try await finishFirstFactor(factor(assertion, request), of: known) { account in
        self.refreshIdentity(of: &account, with: assertion)
      }
      return describe(ended, assertion, request)
    }
    if hasOneAccountPerEmail, let email = assertion.email,
      let owner = accounts[email: email]
    {
      guard assertion.isTrusted else { return needConfirmation(owner, assertion, request) }
      let shown = preview(of: owner, taking: assertion)
      let ended = try await finishFirstFactor(factor(assertion, request), of: shown) {
        (account) throws(Refusal) in
        guard self.accounts[assertion.key] == nil, assertion.hasAddress(of: account) else {
          throw Refusal(.federatedUserIDAlreadyLinked)
        }
        self.takeOver(&account, by: assertion)
      }
      var answer = describe(ended, assertion, request)
      if owner.identity(at: assertion.providerID) != nil { answer["emailRecycled"] = true }
      return answer
    }
    return try await create(assertion, request)
  }

  private func create(
    _ assertion: Assertion, _ request: IdentityRequest
  ) async throws(Refusal) -> JSONObject {
    // Firebase's emulator creates the account even for a reauthentication.
    guard request.autoCreates || !rules[.realProviders] else {
      return try conflict(Refusal(.userNotFound), assertion, request)
    }
    do throws(Refusal) {
      try requireOpenSignUp()
    } catch {
      return try conflict(error, assertion, request)
    }
    var account = Account(uid: newUID(), now: nowMilliseconds)
    setProfile(of: &account, from: assertion)
    adopt(assertion, into: &account)
    let ended = try await finishFirstFactor(factor(assertion, request), creating: account) {
      (account) throws(Refusal) in
      guard self.accounts[assertion.key] == nil else {
        throw Refusal(.federatedUserIDAlreadyLinked)
      }
      if let email = account.email, self.accounts[email: email] != nil {
        throw Refusal(.emailExists)
      }
    }
    var answer = describe(ended, assertion, request)
    answer["isNewUser"] = true
    return answer
  }

  private func factor(_ assertion: Assertion, _ request: IdentityRequest) -> FirstFactor {
    var factor = FirstFactor(provider: assertion.providerID, method: assertion.providerID)
    factor.caller = request.caller
    factor.attributes = assertion.attributes
    factor.rawUserInfo = assertion.profile.map { ScriptNumber.rewritten($0).encoded() }
    factor.tokens = ProviderTokens(
      idToken: assertion.idToken, accessToken: assertion.accessToken,
      refreshToken: assertion.refreshToken, expiresIn: assertion.expiresIn)
    return factor
  }

  /// The response if the address belongs to an account, but no trusted provider asserts that it is the same user's.
  private func needConfirmation(
    _ owner: Account, _ assertion: Assertion, _ request: IdentityRequest
  ) -> JSONObject {
    var answer = describe(assertion, request)
    answer["localId"] = .string(owner.uid)
    answer["needConfirmation"] = true
    // Identity providers only: an empty list means a password.
    if rules[.realProviders] || owner.listsProviders {
      answer["verifiedProvider"] = .array(owner.identities.map { .string($0.providerID) })
    }
    return answer
  }

  /// Links a trusted identity to the account that has its address.
  ///
  /// If the address was never verified, somebody else may have created the account: its password, its
  /// untrusted identities and its sessions are removed.
  private func takeOver(_ account: inout Account, by assertion: Assertion) {
    if !account.isEmailVerified {
      if rules[.realProviders] {
        account.removeIdentities { !$0.isTrusted }
      } else {
        // Firebase's emulator intends to remove the identities but does not; it leaves the salt behind.
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

  /// The account that a function receives before a trusted identity is linked to it.
  ///
  /// The identity is not included, since nothing has been stored yet.
  private func preview(of owner: Account, taking assertion: Assertion) -> Account {
    guard !rules[.realProviders] else { return owner }
    var shown = owner
    if !owner.isEmailVerified { shown.phoneNumber = nil }
    shown.isEmailVerified = true
    setProfile(of: &shown, from: assertion)
    return shown
  }

  /// Replaces the account's profile by the provider's; fields that the provider lacks are removed.
  private func setProfile(of account: inout Account, from assertion: Assertion) {
    account.displayName = assertion.displayName
    account.photoURL = assertion.photoURL
    account.setFurther("screenName", assertion.screenName.map { .string($0) })
    account.setFurther("language", nil)
    account.setFurther("dateOfBirth", nil)
  }

  // MARK: Link

  private func link(
    _ assertion: Assertion, to token: VerifiedIDToken, _ request: IdentityRequest
  ) async throws(Refusal) -> JSONObject {
    do throws(Refusal) {
      try check(assertion, canJoin: token.account)
    } catch {
      return try conflict(error, assertion, request)
    }
    var factor = factor(assertion, request)
    // Under the rules of Google's servers a link continues the caller's session.
    if rules[.realProviders] { factor.continued = token.session }
    let shown = preview(of: token.account, linking: assertion)
    let ended = try await finishFirstFactor(factor, of: shown) { (account) throws(Refusal) in
      try self.check(assertion, canJoin: account)
      self.adopt(assertion, into: &account)
    }
    return describe(ended, assertion, request)
  }

  /// The account that a function receives before an identity is linked.
  private func preview(of account: Account, linking assertion: Assertion) -> Account {
    guard !rules[.realProviders] else { return account }
    var shown = account
    takeAddress(of: assertion, into: &shown)
    return shown
  }

  private func check(_ assertion: Assertion, canJoin account: Account) throws(Refusal) {
    // Google's servers keep one identity per provider, and do not replace it unless asked to.
    let isTaken = rules[.realProviders] && account.identity(at: assertion.providerID) != nil
    guard !isTaken else {
      throw Refusal(
        rules[.googleAnswers] ? .providerAlreadyLinked : .federatedUserIDAlreadyLinked)
    }
    guard accounts[assertion.key] == nil else { throw Refusal(.federatedUserIDAlreadyLinked) }
    if hasOneAccountPerEmail, let email = assertion.email,
      let owner = accounts[email: email],
      !sameText(owner.uid, account.uid)
    {
      throw Refusal(.emailExists)
    }
  }

  /// With `returnIdpCredential` such an error becomes a successful response, which can contain the credential.
  private func conflict(
    _ refusal: Refusal, _ assertion: Assertion, _ request: IdentityRequest
  ) throws(Refusal) -> JSONObject {
    guard request.returnsIdPCredential else { throw refusal }
    var answer = describe(assertion, request)
    answer["errorMessage"] = .string(refusal.rawName)
    return answer
  }

  // MARK: Both

  /// Adds the identity, and fills the account's missing fields from it.
  private func adopt(_ assertion: Assertion, into account: inout Account) {
    account.link(assertion.identity)
    if rules[.realProviders] {
      account.displayName = account.displayName ?? assertion.displayName
      account.photoURL = account.photoURL ?? assertion.photoURL
    }
    takeAddress(of: assertion, into: &account)
  }

  private func takeAddress(of assertion: Assertion, into account: inout Account) {
    // Where several accounts may share an address, federated accounts have none of their own.
    if hasOneAccountPerEmail, account.email == nil, let email = assertion.email {
      account.email = email
      account.isEmailVerified = assertion.isTrusted
    }
    if hasOneAccountPerEmail || !rules[.realProviders] {
      verifyAddress(of: &account, by: assertion)
    }
  }

  private func refreshIdentity(of account: inout Account, with assertion: Assertion) {
    // Measured: new data from the provider changes neither the profile nor the provider's entry.
    if !rules[.googleAnswers] { account.link(assertion.identity) }
    if rules[.realProviders] { verifyAddress(of: &account, by: assertion) }
  }

  /// Marks the account's address as verified if a trusted provider asserts it.
  private func verifyAddress(of account: inout Account, by assertion: Assertion) {
    guard assertion.email != nil, assertion.isTrusted, assertion.hasAddress(of: account) else {
      return
    }
    account.isEmailVerified = true
  }

  /// The response with the tokens, or with the request for a second factor.
  private func describe(
    _ ended: SignedIn, _ assertion: Assertion, _ request: IdentityRequest
  ) -> JSONObject {
    var answer = describe(assertion, request)
    answer["localId"] = .string(ended.account.uid)
    answer.set("tenantId", tenantID)
    if !rules[.realProviders], assertion.hasAddress(of: ended.account) {
      answer["emailVerified"] = ended.account.emailVerified.map { .bool($0) }
    }
    for (name, value) in ended.answer.entries { answer[name] = value }
    return answer
  }

  /// The part of every response that describes the identity, with a pending token that can repeat the sign-in.
  private func describe(_ assertion: Assertion, _ request: IdentityRequest) -> JSONObject {
    var answer: JSONObject = ["kind": "identitytoolkit#VerifyAssertionResponse"]
    answer["providerId"] = .string(assertion.providerID)
    answer["federatedId"] = .string(
      rules[.googleAnswers] ? assertion.qualifiedID : assertion.federatedID)
    answer.set("email", assertion.email)
    if assertion.email != nil || !rules[.realProviders] || rules[.googleAnswers] {
      answer["emailVerified"] = .bool(assertion.isTrusted)
    }
    answer.set("displayName", assertion.displayName)
    answer.set("fullName", assertion.displayName)
    answer.set("firstName", assertion.firstName)
    answer.set("lastName", assertion.lastName)
    answer.set("photoUrl", assertion.photoURL)
    answer.set("screenName", assertion.screenName)
    answer.set("rawUserInfo", assertion.profile.map { ScriptNumber.rewritten($0).encoded() })
    answer.set("oauthIdToken", assertion.idToken?.reveal())
    answer.set("oauthAccessToken", assertion.accessToken?.reveal())
    if let seconds = assertion.expiresIn { answer["oauthExpireIn"] = .integer(seconds) }
    if request.returnsRefreshToken {
      answer.set("oauthRefreshToken", assertion.refreshToken?.reveal())
    }
    // Measured: with an ID token of an OpenID Connect provider the response has no empty `context`.
    let hasNoContext = rules[.googleAnswers] && assertion.providerID.hasPrefix("oidc.")
    answer.set("context", assertion.context ?? (hasNoContext ? nil : ""))
    guard rules[.realProviders] else { return answer }
    let pending = SecureRandom.token(bytes: 48)
    pendingAssertions.put(
      assertion, under: pending,
      // The response contains everything that the assertion holds.
      size: answer.entries.reduce(0) { $0 + ($1.value.string?.utf8.count ?? 0) },
      expires: now + Assertion.pendingLifetime, now: now)
    answer["pendingToken"] = .string(pending)
    return answer
  }
}
