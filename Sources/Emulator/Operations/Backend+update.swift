internal import Encoding
internal import IdentityToolkit

extension Backend {
  /// `accounts:update`: changes of profile, e-mail address, password and linked providers, or what a code
  /// from an e-mail allows.
  func update(_ call: Call) throws(Refusal) -> JSONObject {
    let change = try AccountChange(call.fields, takesAnyTime: !rules[.protobufJSON])
    if call.isAdmin {
      guard change.localID != nil else { throw Refusal(.missingLocalID) }
    } else {
      guard change.idToken != nil || change.oobCode != nil else {
        throw Refusal(.invalidReqType, "Unsupported request parameters.")
      }
      guard change.customAttributes == nil else { throw Refusal(.insufficientPermission) }
    }
    if let text = change.customAttributes { try CustomClaims.check(text) }
    for attribute in change.deletedAttributes
    where attribute == "PROVIDER" || attribute == "RAW_USER_INFO" {
      throw .notImplemented("deleteAttribute: \(attribute)")
    }
    // Measured: beside an ID token a code is ignored, also where the token is none.
    let tokenDecides = rules[.googleAnswers] && call.fields.has("idToken")
    if let code = change.oobCode, !tokenDecides { return try apply(code: code, and: change, call) }
    guard let idToken = change.idToken else { return try updateForAdmin(change, call.fields) }
    return try updateOwn(
      change, call.fields, try verify(idToken: idToken), isAdmin: call.isAdmin)
  }

  private func updateForAdmin(
    _ change: AccountChange, _ fields: Fields
  ) throws(Refusal) -> JSONObject {
    guard let uid = change.localID, var account = accounts[uid: uid] else {
      throw Refusal(.userNotFound)
    }
    var applied = try apply(change, to: &account, provider: nil)
    try applyAdministrators(change, to: &account)
    try finish(change, fields, on: &account, isAdmin: true)
    if applied.isEmailChanged { sendRecovery(of: account, provider: nil) }
    // The person will sign in anew, so only a new password is followed by tokens.
    let provider: String? = rules[.revocableSessions] ? nil : applied.provider
    applied.provider = provider
    return try store(&account, applied, continuing: nil)
  }

  private func updateOwn(
    _ change: AccountChange, _ fields: Fields, _ token: VerifiedToken, isAdmin: Bool
  ) throws(Refusal) -> JSONObject {
    guard change.disableUser == nil else {
      throw Refusal(rules[.recentLogin] ? .insufficientPermission : .operationNotAllowed)
    }
    var account = token.account
    if rules[.recentLogin], !isAdmin {
      guard change.validSince == nil, change.emailVerified == nil else {
        throw Refusal(
          .insufficientPermission, "only an administrator may change these fields")
      }
      if change.isSensitive(for: account) { try requireRecentLogin(token) }
      try checkFactors(change, account)
      // Whoever holds the account could otherwise learn which addresses are taken.
      if project.hidesAddresses, change.changesEmail(of: account) {
        throw Refusal(
          .operationNotAllowed, "Please verify the new email before changing email.")
      }
    }
    let applied = try apply(change, to: &account, provider: token.session.provider)
    if isAdmin { try applyAdministrators(change, to: &account) }
    try finish(change, fields, on: &account, isAdmin: isAdmin)
    if applied.isEmailChanged { sendRecovery(of: account, provider: applied.provider) }
    return try store(
      &account, applied, continuing: token.session, isLegacy: try wantsLegacyToken(fields))
  }

  /// A second factor needs proof, and with it the address must stay verified.
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

  /// What a change did beyond the fields it names.
  struct Applied {
    var isEmailChanged = false
    /// Whether tokens issued before are dead.
    var revokes = false
    /// The address that was asked for, whether or not the account had it.
    var newEmail: String?
    /// Whom the new tokens name as the provider; nil for no tokens.
    var provider: String?
  }

  /// Carries out what everybody may change.
  private func apply(
    _ change: AccountChange, to account: inout Account, provider: String?
  ) throws(Refusal) -> Applied {
    var applied = Applied()
    applied.provider = provider
    if let email = change.email {
      guard let address = normalized(email: email) else { throw Refusal(.invalidEmail) }
      applied.newEmail = address
      if account.email.map({ ExactString(string: $0) }) != ExactString(string: address) {
        _ = try freeAddress(email, for: account.uid)
        if provider != "anonymous", account.initialEmail == nil {
          account.initialEmail = account.email
        }
        account.email = address
        account.emailVerified = false
        applied.isEmailChanged = true
        applied.revokes = true
      }
    }
    if let password = change.password {
      guard allowsPasswords || !rules[.realProviders] else { throw Refusal(.operationNotAllowed) }
      guard account.email != nil || !rules[.emailFormat] else { throw Refusal(.missingEmail) }
      try checkStrength(of: password)
      setPassword(password, of: &account)
      applied.provider = "password"
      applied.revokes = true
    }
    if change.validSince?.isEmpty == false { applied.revokes = true }
    if applied.revokes { revokeTokens(of: &account) }
    if let enrollments = change.enrollments {
      account.factors =
        enrollments.isEmpty ? nil : try factors(from: enrollments, keeping: account.factors ?? [])
    }
    let erases = rules[.emailFormat]
    if let name = change.displayName { account.displayName = name.isEmpty && erases ? nil : name }
    if let photo = change.photoURL { account.photoURL = photo.isEmpty && erases ? nil : photo }
    return applied
  }

  /// Takes away what the change takes away, whoever set it, and links what it links.
  private func finish(
    _ change: AccountChange, _ fields: Fields, on account: inout Account, isAdmin: Bool
  ) throws(Refusal) {
    remove(change, from: &account)
    guard let identity = try linkedIdentity(fields) else { return }
    // It comes without the provider's word, so only an administrator's counts.
    guard isAdmin || !rules[.realProviders] else { throw Refusal(.insufficientPermission) }
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
      // The list stays, or comes to be, even when it is empty.
      account.passkeys = (account.passkeys ?? []).filter { passkey in
        !doomed.contains { ExactString(string: $0) == ExactString(string: passkey.credentialID) }
      }
    }
  }

  private func removeEmail(of account: inout Account) {
    account.email = nil
    account.emailVerified = nil
    account.hasEmailLink = false
  }

  /// Carries out what only an administrator may change.
  private func applyAdministrators(
    _ change: AccountChange, to account: inout Account
  ) throws(Refusal) {
    if let flag = change.disableUser { account.disabled = flag }
    // The account's own number is no change, even where an import gave it to another account too.
    if let number = change.phoneNumber,
      account.phoneNumber.map({ ExactString(string: $0) }) != ExactString(string: number)
    {
      account.phoneNumber = try freeNumber(number, for: account.uid)
    }
    if let flag = change.emailVerified { account.emailVerified = flag }
    if let text = change.customAttributes { account.customAttributes = text }
    if let text = change.createdAt { account.write(text, to: .createdAt) }
    if let text = change.lastLoginAt { account.write(text, to: .lastLoginAt) }
    guard let text = change.validSince else { return }
    guard rules[.revocableSessions] else { return account.write(text, to: .validSince) }
    // A moment in the past takes back what `apply` did; now or later stays as strict as it is.
    if let since = Int64(text), since < now { account.validSince = max(0, since) }
  }

  /// `linkProviderUserInfo`, with what makes it an identity.
  private func linkedIdentity(_ fields: Fields) throws(Refusal) -> LinkedIdentity? {
    guard let object = try fields.object("linkProviderUserInfo") else { return nil }
    let info = Fields(object)
    guard let providerID = info.text("providerId") else { throw Refusal(.missingProviderID) }
    guard let rawID = info.text("rawId") else { throw Refusal(.missingRawID) }
    return LinkedIdentity(
      given: info, providerID: providerID, rawID: rawID, keepsEmpty: !rules[.protobufJSON])
  }

  /// Gives the account an identity, which Firebase's emulator also takes from another account.
  private func add(_ identity: LinkedIdentity, to account: inout Account) throws(Refusal) {
    if rules[.realProviders], let owner = accounts[identity.key],
      ExactString(string: owner.uid) != ExactString(string: account.uid)
    {
      throw Refusal(.federatedUserIDAlreadyLinked)
    }
    account.link(identity)
  }

  // MARK: Codes from e-mails

  /// Carries out what a code from an e-mail is for.
  ///
  /// In Firebase's emulator the rest of the request may unlink and link providers at the same time.
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
    // Measured: a code to change the address works whatever the address has become, and a refused code stays good.
    var account = try owner(of: code, moved: code.purpose == .verifyEmail ? .emailNotFound : nil)
    let earlier = account.email
    if code.purpose != .verifyEmail {
      guard
        let address = code.purpose == .recoverEmail ? code.email : code.newEmail
      else { throw Refusal(.invalidOOBCode) }
      guard accounts[email: address] == nil else { throw Refusal(.emailExists) }
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

  /// Tells the former address of a change that its owner may not have made.
  private func sendRecovery(of account: Account, provider: String?) {
    guard provider != "anonymous", let email = account.initialEmail else { return }
    sendRecovery(of: account, to: email)
  }

  // MARK: The answer

  private func store(
    _ account: inout Account, _ applied: Applied, continuing earlier: SignInSession?,
    isLegacy: Bool = false
  ) throws(Refusal) -> JSONObject {
    var tokens = JSONObject()
    accounts.save(&account)
    if applied.revokes, let provider = applied.provider {
      // Firebase's emulator lets the claims and the second factor of the earlier tokens go.
      let session =
        if let earlier, rules[.revocableSessions] {
          SignInSession(continuing: earlier, provider: provider)
        } else {
          SignInSession(provider: provider, authTime: earlier?.authTime ?? now)
        }
      // Whoever disables an account with a new password gets tokens all the same.
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
    if !rules[.hashedPasswords] { answer.set("passwordHash", account.password?.hash) }
    for (name, value) in tokens.entries { answer[name] = value }
    return answer
  }
}
