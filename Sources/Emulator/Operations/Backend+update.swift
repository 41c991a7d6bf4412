internal import Encoding
internal import IdentityToolkit

extension Backend {
  /// `accounts:update`: changes of profile, e-mail address, password and linked providers.
  func update(_ call: Call) throws(Refusal) -> JSONObject {
    let change = try AccountChange(call.fields)
    guard call.isAdmin else { return try updateOwn(change) }
    guard let uid = change.localID, !uid.isEmpty else { throw Refusal(.missingLocalID) }
    guard var account = accounts[uid: uid] else { throw Refusal(.userNotFound) }
    let revokes = try apply(change, to: &account)
    if let flag = change.disableUser { account.isDisabled = flag }
    if let flag = change.emailVerified { account.isEmailVerified = flag }
    if let attributes = change.customAttributes { account.customAttributes = attributes }
    if revokes || change.validSince.map({ $0 >= now }) == true {
      revokeTokens(of: &account)
    } else if let since = change.validSince {
      sessions.revoke(uid: account.uid)
      account.validSince = max(0, since)
    }
    accounts.save(account)
    return updated(account, tokens: JSONObject())
  }

  private func updateOwn(_ change: AccountChange) throws(Refusal) -> JSONObject {
    if change.hasOOBCode {
      throw Refusal(.invalidOOBCode, "the emulator sends no e-mail yet, so no code can be valid")
    }
    guard let idToken = change.idToken, !idToken.isEmpty else {
      throw Refusal(.invalidReqType, "Unsupported request parameters.")
    }
    guard change.customAttributes == nil, change.validSince == nil, change.emailVerified == nil,
      change.disableUser == nil
    else {
      throw Refusal(.insufficientPermission, "only an administrator may change these fields")
    }
    let token = try verify(idToken: idToken)
    var account = token.account
    if change.isSensitive(for: account) { try requireRecentLogin(token) }
    // Whoever holds the account could otherwise learn which addresses are taken.
    if configuration.enumerationProtection, change.changesEmail(of: account) {
      throw Refusal(
        .operationNotAllowed, "Please verify the new email before changing email.")
    }
    guard try apply(change, to: &account) else {
      accounts.save(account)
      return updated(account, tokens: JSONObject())
    }
    revokeTokens(of: &account)
    let tokens = try signIn(
      &account, provider: change.password == nil ? token.signInProvider : "password",
      authTime: token.authTime, extraClaims: token.extraClaims)
    return updated(account, tokens: tokens)
  }

  /// Carries out what everybody may change and tells whether earlier tokens must die.
  private func apply(_ change: AccountChange, to account: inout Account) throws(Refusal) -> Bool {
    var revokes = false
    if change.changesEmail(of: account), let email = change.email {
      let address = try freeAddress(email, for: account.uid)
      if account.initialEmail == nil { account.initialEmail = account.email }
      account.email = address
      account.isEmailVerified = false
      revokes = true
    } else if let email = change.email, EmailAddress.normalized(email) == nil {
      throw Refusal(.invalidEmail)
    }
    if let password = change.password {
      guard configuration.enabledProvider("password") != nil else {
        throw Refusal(.operationNotAllowed)
      }
      guard account.email != nil else { throw Refusal(.missingEmail) }
      try Self.checkStrength(of: password)
      account.password = PasswordRecord(password, now: site.clock.milliseconds)
      revokes = true
    }
    if let name = change.displayName { account.displayName = name.isEmpty ? nil : name }
    if let photo = change.photoURL { account.photoURL = photo.isEmpty ? nil : photo }
    for attribute in change.deletedAttributes {
      switch attribute {
      case "DISPLAY_NAME": account.displayName = nil
      case "PHOTO_URL": account.photoURL = nil
      case "PASSWORD": account.password = nil
      case "EMAIL":
        account.email = nil
        account.isEmailVerified = false
      default:
        throw Refusal(.invalidArgument, "deleteAttribute: the emulator does not know \(attribute)")
      }
    }
    for providerID in change.deletedProviders {
      // The address stays on the account when the password goes.
      if providerID == "password" { account.password = nil }
      account.identities.removeAll { $0.providerID == providerID }
    }
    return revokes
  }

  private func updated(_ account: Account, tokens: JSONObject) -> JSONObject {
    var answer: JSONObject = ["kind": "identitytoolkit#SetAccountInfoResponse"]
    answer["localId"] = .string(account.uid)
    answer.set("email", account.email)
    answer.set("displayName", account.displayName)
    answer.set("photoUrl", account.photoURL)
    answer["emailVerified"] = .bool(account.isEmailVerified)
    answer["providerUserInfo"] = .array(account.wireProviders)
    for (name, value) in tokens.entries { answer[name] = value }
    return answer
  }
}
