internal import System

extension Account {
  /// What Google's servers return in place of a hash (base64 of `REDACTED`): it shows only that a password is set.
  static let redactedHash: JSON = "UkVEQUNURUQ="

  /// `providerUserInfo`.
  func wireProviders(_ rules: Rules) -> [JSON] {
    guard rules[.googleAnswers] else { return providers.map(\.wire) }
    // Measured: phone comes first and password last, in whatever order they were added.
    func place(_ providerID: String) -> Int {
      switch providerID {
      case "phone": 0
      case "password": 2
      default: 1
      }
    }
    let rows = providers.map { identity in
      var shown = identity
      shown.showsFederatedID = true
      return (place: place(identity.providerID), row: shown.wire)
    }
    return (0...2).flatMap { place in rows.lazy.filter { $0.place == place }.map(\.row) }
  }

  /// The account as lookups, queries and downloads return it; no other code writes this object.
  func wire(showsHash: Bool, tenantID: String?, _ rules: Rules) -> JSON {
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
        if rules[.googleAnswers] { user["version"] = 0 }
      } else {
        user["passwordHash"] = Self.redactedHash
      }
    }
    if let passwordUpdatedAt { user["passwordUpdatedAt"] = .integer(passwordUpdatedAt) }
    if listsProviders { user["providerUserInfo"] = .array(wireProviders(rules)) }
    if let since = shownValidSince { user["validSince"] = .string(String(since)) }
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
    if let factors { user["mfaInfo"] = .array(factors.map { $0.wire(rules) }) }
    if let passkeys { user["passkeyInfo"] = .array(passkeys.map(\.wire)) }
    for (name, value) in furtherFields?.entries ?? [] where user[name] == nil { user[name] = value }
    user.set("tenantId", tenantID)
    return .object(user)
  }
}
