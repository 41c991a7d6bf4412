internal import System
internal import OIDC

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

  /// All fields but the uid; `number` returns the number of a hashing method.
  func record(hashing number: (PasswordHashing) -> Int64) -> JSONObject {
    var record = JSONObject()
    record.set("email", email)
    record.set("emailVerified", emailVerified)
    record.set("displayName", displayName)
    record.set("photoUrl", photoURL)
    record.set("phoneNumber", phoneNumber)
    if let password { record["password"] = .object(password.record(hashing: number)) }
    record.set("passwordUpdatedAt", passwordUpdatedAt)
    record.flag("emailLink", hasEmailLink)
    record.set("disabled", disabled)
    record.flag("custom", isCustom)
    record.set("customAttributes", customAttributes)
    record.set("initialEmail", initialEmail)
    if listsProviders { record["providers"] = .array(providers.map { .object($0.record) }) }
    if let writtenTimes { record["writtenTimes"] = .object(writtenTimes) }
    if let factors { record["factors"] = .array(factors.map { .object($0.record) }) }
    if let passkeys { record["passkeys"] = .array(passkeys.map { .object($0.record) }) }
    if let furtherFields { record["further"] = .object(furtherFields) }
    record.set("createdAt", createdAt)
    record.set("lastLoginAt", lastLoginAt)
    record.set("lastRefreshAt", lastRefreshAt)
    record.set("validSince", validSince)
    if validSinceLead != 0 { record["validSinceLead"] = .integer(Int64(validSinceLead)) }
    if newestSession != 0 { record["newestSession"] = .integer(newestSession) }
    return record
  }

  /// Reads an account back; nil when the record is malformed.
  init?(uid: String, record: JSONObject, hashing: (Int64) -> PasswordHashing?) {
    self.init(uid: uid)
    // Loop over the members once: a lookup for each field would scan them all.
    for (name, value) in record.entries {
      switch name {
      case "email": email = value.string
      case "emailVerified": emailVerified = value.bool
      case "displayName": displayName = value.string
      case "photoUrl": photoURL = value.string
      case "phoneNumber": phoneNumber = value.string
      case "password":
        guard let object = value.object, let read = PasswordRecord(object, hashing: hashing) else {
          return nil
        }
        password = read
      case "passwordUpdatedAt": passwordUpdatedAt = value.integer
      case "emailLink": hasEmailLink = value.bool == true
      case "disabled": disabled = value.bool
      case "custom": isCustom = value.bool == true
      case "customAttributes": customAttributes = value.string
      case "initialEmail": initialEmail = value.string
      case "providers":
        guard let list = Self.list(LinkedIdentity.self, value) else { return nil }
        listsProviders = true
        upload(list)
      case "factors":
        guard let list = Self.list(SecondFactor.self, value) else { return nil }
        factors = list
      case "passkeys":
        guard let list = Self.list(Passkey.self, value) else { return nil }
        passkeys = list
      case "further": furtherFields = value.object
      case "createdAt": createdAt = value.integer
      case "lastLoginAt": lastLoginAt = value.integer
      case "lastRefreshAt": lastRefreshAt = value.integer
      case "validSince": validSince = value.integer
      case "newestSession": newestSession = value.integer ?? 0
      default: break
      }
    }
    // Last, because setting the times above resets both.
    leadValidSince(by: record["validSinceLead"]?.integer ?? 0)
    writtenTimes = record["writtenTimes"]?.object
    // Until here, the entries of password and phone only keep their positions in the list.
    updateProviders()
  }

  private static func list<Item: Recorded>(_ type: Item.Type, _ value: JSON) -> [Item]? {
    guard let entries = value.array else { return nil }
    var items: [Item] = []
    items.reserveCapacity(entries.count)
    for entry in entries {
      guard let object = entry.object, let item = Item(record: object) else { return nil }
      items.append(item)
    }
    return items
  }
}

extension PasswordRecord {
  fileprivate func record(hashing number: (PasswordHashing) -> Int64) -> JSONObject {
    var record: JSONObject = ["hash": .string(hash)]
    record.set("salt", salt)
    if let hashing { record["hashing"] = .integer(number(hashing)) }
    return record
  }

  fileprivate init?(_ record: JSONObject, hashing: (Int64) -> PasswordHashing?) {
    guard let hash = record["hash"]?.string else { return nil }
    var made: PasswordHashing?
    if let number = record["hashing"]?.integer {
      // A hash without its parameters cannot be verified.
      guard let found = hashing(number) else { return nil }
      made = found
    }
    self.init(hash: hash, salt: record["salt"]?.string, hashing: made)
  }
}
