internal import Encoding

extension Account {
  /// `providerUserInfo`.
  var wireProviders: [JSON] { providers.map(\.wire) }

  /// The account as `accounts:lookup` shows it.
  func wire(showsHash: Bool, tenantID: String?) -> JSON {
    var user = JSONObject()
    user["localId"] = .string(uid)
    user.set("email", email)
    user.set("emailVerified", emailVerified)
    user.set("displayName", displayName)
    user.set("photoUrl", photoURL)
    user.set("phoneNumber", phoneNumber)
    if let password {
      if showsHash {
        user["passwordHash"] = .string(password.hash)
        user.set("salt", password.salt)
      } else {
        // Google's servers send a redacted hash: the field only tells that there is a password.
        user["passwordHash"] = "UkVEQUNURUQ="
      }
    }
    if let passwordUpdatedAt { user["passwordUpdatedAt"] = .integer(passwordUpdatedAt) }
    if listsProviders { user["providerUserInfo"] = .array(wireProviders) }
    if let validSince { user["validSince"] = .string(String(validSince)) }
    if let lastLoginAt { user["lastLoginAt"] = .string(String(lastLoginAt)) }
    if let createdAt { user["createdAt"] = .string(String(createdAt)) }
    for (name, value) in writtenTimes?.entries ?? [] { user[name] = value }
    if let lastRefreshAt {
      user["lastRefreshAt"] = .string(Timestamp.text(milliseconds: lastRefreshAt))
    }
    user.set("disabled", disabled)
    if isCustom { user["customAuth"] = true }
    user.set("customAttributes", customAttributes)
    user.set("initialEmail", initialEmail)
    if hasEmailLink { user["emailLinkSignin"] = true }
    if let factors { user["mfaInfo"] = .array(factors.map(\.wire)) }
    if let passkeys { user["passkeyInfo"] = .array(passkeys.map(\.wire)) }
    for (name, value) in furtherFields?.entries ?? [] where user[name] == nil { user[name] = value }
    user.set("tenantId", tenantID)
    return .object(user)
  }
}
