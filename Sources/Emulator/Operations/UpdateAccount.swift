internal import System
internal import IdentityToolkit

extension Backend {
  /// `accounts:update`: changes profile, e-mail address, password and linked providers, or
  /// applies a code from an e-mail.
  func update(_ call: Call) throws(Refusal) -> JSONObject {
    let change = try AccountChange(call.fields, takesAnyTime: !rules[.protobufJSON])
    if call.isAdmin {
      guard change.localID != nil else { throw Refusal(.missingLocalID) }
    } else if rules[.googleAnswers] {
      guard change.idToken != nil || change.oobCode != nil else { throw Refusal(.missingIDToken) }
    } else {
      guard change.idToken != nil || change.oobCode != nil else {
        throw Refusal(.invalidReqType, "Unsupported request parameters.")
      }
      guard change.customAttributes == nil else { throw Refusal(.insufficientPermission) }
    }
    if call.isAdmin, let text = change.customAttributes {
      try CustomClaimsLimits.check(text, rules)
    }
    for attribute in change.deletedAttributes
    where attribute == "PROVIDER" || attribute == "RAW_USER_INFO" {
      throw .notImplemented("deleteAttribute: \(attribute)")
    }
    // Measured: with an ID token a code is ignored, even if the token is invalid.
    let tokenDecides = rules[.googleAnswers] && change.idToken != nil
    if let code = change.oobCode, !tokenDecides { return try apply(code: code, and: change, call) }
    guard let idToken = change.idToken else { return try updateForAdmin(change, call.fields) }
    return try updateOwn(
      change, call.fields, try verify(idToken: idToken), isAdmin: call.isAdmin)
  }

  private func updateForAdmin(
    _ change: AccountChange, _ fields: Fields
  ) throws(Refusal) -> JSONObject {
    // Measured: the policy is checked before the existence of the account.
    if let password = change.password { try checkPolicy(password) }
    guard let uid = change.localID, var account = accounts[uid: uid] else {
      throw Refusal(.userNotFound)
    }
    var applied = try apply(change, to: &account, provider: nil, isAdmin: true)
    try applyAdministrators(change, to: &account)
    try finish(change, fields, on: &account)
    if applied.isEmailChanged { sendRecovery(of: account, provider: nil) }
    // The user has to sign in again; only Firebase's emulator returns tokens, and only after a new password.
    let provider: String? = rules[.revocableSessions] ? nil : applied.provider
    applied.provider = provider
    return try store(&account, applied, continuing: nil)
  }

  private func updateOwn(
    _ change: AccountChange, _ fields: Fields, _ token: VerifiedIDToken, isAdmin: Bool
  ) throws(Refusal) -> JSONObject {
    if rules[.googleAnswers], !isAdmin {
      // Measured: emailVerified, createdAt and the like are ignored, and validSince becomes the present.
      guard change.customAttributes == nil else { throw Refusal(.insufficientPermission) }
      guard !fields.has("linkProviderUserInfo") else {
        throw Refusal(
          .unexpectedParameter, "link_provider_user_info is not allowed with ID token.")
      }
    }
    guard change.disableUser == nil else { throw Refusal(.operationNotAllowed) }
    var account = token.account
    if !isAdmin { try checkOwn(change, account, token) }
    let applied = try apply(
      change, to: &account, provider: token.session.provider, isAdmin: isAdmin)
    if isAdmin { try applyAdministrators(change, to: &account) }
    try finish(change, fields, on: &account)
    if applied.isEmailChanged { sendRecovery(of: account, provider: applied.provider) }
    return try store(
      &account, applied, continuing: token.session, isLegacy: try wantsLegacyToken(fields))
  }

  /// Refuses what the account's user may not change, or not without a recent sign-in.
  private func checkOwn(
    _ change: AccountChange, _ account: Account, _ token: VerifiedIDToken
  ) throws(Refusal) {
    if rules[.hiddenAddresses], let email = change.email {
      guard normalized(email: email) != nil else { throw Refusal(.invalidEmail) }
      // The user could otherwise find out which addresses are taken.
      guard !hidesAddresses else {
        throw Refusal(
          .operationNotAllowed, "Please verify the new email before changing email.")
      }
    }
    if change.isSensitive(for: account) { try requireRecentLogin(token) }
    try checkFactors(change, account)
  }

  /// Refuses to set second factors without proof, and to change the address of an account that has one.
  private func checkFactors(_ change: AccountChange, _ account: Account) throws(Refusal) {
    guard rules[.provenFactors] else { return }
    guard change.enrollments == nil else {
      throw Refusal(.insufficientPermission, "only an administrator may set second factors")
    }
    if account.factors?.isEmpty == false, change.changesEmail(of: account) {
      throw Refusal(.emailChangeNeedsVerification)
    }
  }

  // MARK: Applying

  /// The effects of a change beyond the fields it names.
  struct Applied {
    var isEmailChanged = false
    var revokes = false
    /// The requested address, whether or not the account already had it.
    var newEmail: String?
    /// The provider that the new tokens name; nil for no tokens.
    var provider: String?
  }

  /// Applies the changes that every caller may make.
  private func apply(
    _ change: AccountChange, to account: inout Account, provider: String?, isAdmin: Bool
  ) throws(Refusal) -> Applied {
    var applied = Applied()
    applied.provider = provider
    try checkDisplayName(change.displayName)
    if let email = change.email {
      // Measured: an administrator's change does not record the earlier address, and only a
      // change by code returns the new one.
      let isSilent = isAdmin && rules[.googleAnswers]
      guard let address = normalized(email: email) else { throw Refusal(.invalidEmail) }
      if !rules[.googleAnswers] { applied.newEmail = address }
      if !sameText(account.email, address) {
        _ = try freeAddress(email, for: account.uid)
        if !isSilent, provider != "anonymous", account.initialEmail == nil {
          account.initialEmail = account.email
        }
        account.email = address
        account.emailVerified = isSilent ? account.emailVerified ?? false : false
        applied.isEmailChanged = !isSilent
        applied.revokes = true
      }
    }
    if let password = change.password {
      guard allowsPasswords || !rules[.realProviders] else { throw Refusal(.operationNotAllowed) }
      guard account.email != nil || !rules[.emailFormat] else { throw Refusal(.missingEmail) }
      try checkStrength(of: password, mayBeShort: isAdmin && rules[.googleAnswers])
      setPassword(password, of: &account)
      applied.provider = "password"
      applied.revokes = true
    }
    // A `validSince` from an administrator is set later, unchanged.
    let isLimit = isAdmin && rules[.revocableSessions]
    if change.validSince?.isEmpty == false, !isLimit { applied.revokes = true }
    if applied.revokes { revokeTokens(of: &account) }
    if let enrollments = change.enrollments {
      account.factors =
        enrollments.isEmpty ? nil : try factors(from: enrollments, keeping: account.factors ?? [])
    }
    if let name = change.displayName { account.displayName = name }
    if let photo = change.photoURL { account.photoURL = photo }
    return applied
  }

  /// Removes what the change deletes, even if the same request has set it, and links the identity it names.
  private func finish(
    _ change: AccountChange, _ fields: Fields, on account: inout Account
  ) throws(Refusal) {
    remove(change, from: &account)
    guard let identity = try linkedIdentity(fields) else { return }
    try add(identity, to: &account)
  }

  private func remove(_ change: AccountChange, from account: inout Account) {
    for attribute in change.deletedAttributes {
      switch attribute {
      case "DISPLAY_NAME": account.displayName = nil
      case "PHOTO_URL": account.photoURL = nil
      case "PASSWORD": account.removePassword()
      case "EMAIL": removeEmail(of: &account)
      default: break
      }
    }
    for providerID in change.deletedProviders {
      switch providerID {
      case "password":
        account.removePassword()
        account.hasEmailLink = false
        if !rules[.keepsEmailWithoutPassword] { removeEmail(of: &account) }
      case "phone": account.phoneNumber = nil
      default: account.unlink(providerID)
      }
    }
    if let doomed = change.deletedPasskeys {
      // The list stays, or is created, even if it is empty.
      account.passkeys = (account.passkeys ?? []).filter { passkey in
        !doomed.contains { sameText($0, passkey.credentialID) }
      }
    }
  }

  private func removeEmail(of account: inout Account) {
    account.email = nil
    // Measured: an account stays verified without an address.
    if !rules[.googleAnswers] { account.emailVerified = nil }
    account.hasEmailLink = false
  }

  /// Applies the changes that only an administrator may make.
  private func applyAdministrators(
    _ change: AccountChange, to account: inout Account
  ) throws(Refusal) {
    if let flag = change.disableUser { account.disabled = flag }
    // The account's own number is not a change, even if an import also gave it to another account.
    if let number = change.phoneNumber,
      !sameText(account.phoneNumber, number)
    {
      account.phoneNumber = try freeNumber(number, for: account.uid)
    }
    if let flag = change.emailVerified { account.emailVerified = flag }
    if let text = change.customAttributes { account.customAttributes = text }
    if let text = change.createdAt { account.write(text, to: .createdAt) }
    if let text = change.lastLoginAt { account.write(text, to: .lastLoginAt) }
    guard let text = change.validSince else { return }
    guard rules[.revocableSessions] else { return account.write(text, to: .validSince) }
    // Measured: sessions that began in the very second of the limit stay valid, and an earlier
    // limit makes ended sessions valid again. The present is an exception: it would bring back
    // sessions that were ended in this very second.
    guard let since = Int64(text) else { return }
    let limit = since < now ? max(0, since) : max(since, account.sessionsMayBegin)
    account.validSince = limit
    account.leadValidSince(by: limit - max(0, since))
  }

  /// The identity in `linkProviderUserInfo`; refuses one without provider or id.
  private func linkedIdentity(_ fields: Fields) throws(Refusal) -> LinkedIdentity? {
    guard let object = try fields.object("linkProviderUserInfo") else { return nil }
    let info = Fields(object)
    let isGoogle = rules[.googleAnswers]
    let missing =
      isGoogle
      ? Refusal(
        .missingIdentifier, "providerId & rawId are both required for provider linking") : nil
    guard let providerID = info.text("providerId") else {
      throw missing ?? Refusal(.missingProviderID)
    }
    guard !isGoogle || providerID != "password" && providerID != "phone" else {
      throw Refusal(.invalidProviderID)
    }
    guard let rawID = info.text("rawId") else { throw missing ?? Refusal(.missingRawID) }
    return LinkedIdentity(
      given: info, providerID: providerID, rawID: rawID, keepsEmpty: !rules[.protobufJSON])
  }

  /// Adds an identity to the account; Firebase's emulator also takes it from another account.
  private func add(_ identity: LinkedIdentity, to account: inout Account) throws(Refusal) {
    if rules[.realProviders], let owner = accounts[identity.key],
      !sameText(owner.uid, account.uid)
    {
      throw Refusal(.federatedUserIDAlreadyLinked)
    }
    account.link(identity)
  }

  // MARK: Codes from e-mails

  /// Applies a code from an e-mail.
  ///
  /// In Firebase's emulator the same request may also unlink and link providers.
  func apply(
    code text: String, and change: AccountChange? = nil, _ call: Call? = nil
  ) throws(Refusal) -> JSONObject {
    let code = try liveCode(text)
    var applied = Applied()
    switch code.purpose {
    case .verifyEmail, .verifyAndChangeEmail, .recoverEmail: break
    case .emailSignIn, .passwordReset:
      guard !rules[.expiringCodes] else { throw Refusal(.invalidOOBCode) }
      throw .notImplemented(code.purpose.rawValue)
    }
    if !rules[.expiringCodes] { codes.remove(text) }
    // Measured: a code to change the address works whatever the address is now, and stays
    // valid while the account is disabled.
    var account = try owner(of: code, moved: code.purpose == .verifyEmail ? .emailNotFound : nil)
    let earlier = account.email
    if code.purpose != .verifyEmail {
      guard
        let address = code.purpose == .recoverEmail ? code.email : code.newEmail
      else { throw Refusal(.invalidOOBCode) }
      guard accounts[email: address] == nil else {
        codes.remove(text)
        throw Refusal(.emailExists)
      }
      account.email = address
      if code.purpose == .verifyAndChangeEmail { applied.newEmail = address }
    }
    account.emailVerified = true
    if rules[.revocableSessions], code.purpose != .verifyEmail { revokeTokens(of: &account) }
    if !rules[.checkedLinks], let change, let call {
      for providerID in change.deletedProviders { account.unlink(providerID) }
      if let identity = try linkedIdentity(call.fields) { account.link(identity) }
    }
    codes.remove(text)
    if rules[.expiringCodes], code.purpose == .verifyAndChangeEmail {
      if account.initialEmail == nil { account.initialEmail = earlier }
      removeCodes(toVerifyFormerAddressOf: account)
      sendRecovery(of: account, to: earlier ?? code.email)
    }
    return try store(&account, applied, continuing: nil)
  }

  /// Sends a recovery e-mail to the former address, since the owner may not have made the change.
  private func sendRecovery(of account: Account, provider: String?) {
    guard provider != "anonymous", let email = account.initialEmail else { return }
    sendRecovery(of: account, to: email)
  }

  // MARK: The response

  private func store(
    _ account: inout Account, _ applied: Applied, continuing earlier: SignInSession?,
    isLegacy: Bool = false
  ) throws(Refusal) -> JSONObject {
    var tokens = JSONObject()
    accounts.save(&account)
    if applied.revokes, let provider = applied.provider {
      // Firebase's emulator drops the claims and the second factor of the earlier tokens.
      let session =
        if let earlier, rules[.revocableSessions] {
          SignInSession(continuing: earlier, provider: provider)
        } else {
          SignInSession(provider: provider, authTime: earlier?.authTime ?? now)
        }
      // A request that disables the account and sets a new password still gets tokens.
      tokens = try issueTokens(
        for: &account, session, evenIfDisabled: true, isLegacy: isLegacy)
    }
    var answer: JSONObject = ["kind": "identitytoolkit#SetAccountInfoResponse"]
    answer["localId"] = .string(account.uid)
    answer.set("email", account.email)
    answer.set("displayName", account.displayName)
    answer.set("photoUrl", account.photoURL)
    answer.set("newEmail", applied.newEmail)
    answer.set("emailVerified", account.emailVerified)
    if account.listsProviders || rules[.hashedPasswords] {
      answer["providerUserInfo"] = .array(account.wireProviders(rules))
    }
    if let password = account.password {
      if !rules[.hashedPasswords] {
        answer["passwordHash"] = .string(password.hash)
      } else if rules[.googleAnswers] {
        answer["passwordHash"] = Account.redactedHash
      }
    }
    for (name, value) in tokens.entries { answer[name] = value }
    return answer
  }
}
