internal import Encoding

/// One account of the emulated project.
struct Account: Sendable {
  let uid: String
  var email: String?
  var isEmailVerified = false
  var displayName: String?
  var photoURL: String?
  var password: PasswordRecord?
  var isDisabled = false
  /// Whether a custom token made the account.
  var isCustom = false
  var customAttributes: JSONObject?
  var initialEmail: String?
  var identities: [LinkedIdentity] = []
  /// Milliseconds since 1970.
  let createdAt: Int64
  var lastLoginAt: Int64
  var lastRefreshAt: Int64
  /// Seconds since 1970; ID tokens issued earlier are dead.
  var validSince: Int64
  /// Seconds since 1970 of the newest ID token, so that revoking can be later than it.
  var lastIssuedAt: Int64 = 0

  init(uid: String, now milliseconds: Int64) {
    self.uid = uid
    createdAt = milliseconds
    lastLoginAt = milliseconds
    lastRefreshAt = milliseconds
    validSince = milliseconds / 1000
  }

  /// Whether nobody could sign in to the account again.
  var isAnonymous: Bool {
    password == nil && identities.isEmpty && !isCustom && email == nil
  }

  /// The ids of the providers the account can be signed in with, password included.
  var providerIDs: [String] {
    identities.map(\.providerID) + (password == nil ? [] : ["password"])
  }

  func identity(at providerID: String) -> LinkedIdentity? {
    identities.first { $0.providerID == providerID }
  }

  /// Adds an identity in place of an earlier one of the same provider.
  mutating func link(_ identity: LinkedIdentity) {
    if let index = identities.firstIndex(where: { $0.providerID == identity.providerID }) {
      identities[index] = identity
    } else {
      identities.append(identity)
    }
  }

  /// Kills every ID token issued so far.
  ///
  /// `iat` counts whole seconds, so a token of this very second is outlived only by the next one.
  mutating func revokeTokens(now seconds: Int64) {
    validSince = max(seconds, lastIssuedAt + 1)
  }

  /// `providerUserInfo`, with the `password` entry that exists while there is a password.
  var wireProviders: [JSON] {
    var entries = identities.map(\.wire)
    if password != nil, let email {
      var entry = JSONObject()
      entry["providerId"] = "password"
      entry["rawId"] = .string(email)
      entry["federatedId"] = .string(email)
      entry["email"] = .string(email)
      entry.set("displayName", displayName)
      entry.set("photoUrl", photoURL)
      entries.append(.object(entry))
    }
    return entries
  }

  /// The account as `accounts:lookup` shows it.
  var wire: JSON {
    var user = JSONObject()
    user["localId"] = .string(uid)
    user.set("email", email)
    if email != nil { user["emailVerified"] = .bool(isEmailVerified) }
    user.set("displayName", displayName)
    user.set("photoUrl", photoURL)
    // Production sends a redacted hash: the field only tells that there is a password.
    if let password {
      user["passwordHash"] = "UkVEQUNURUQ="
      user["passwordUpdatedAt"] = .integer(password.updatedAt)
    }
    let providers = wireProviders
    if !providers.isEmpty { user["providerUserInfo"] = .array(providers) }
    user["validSince"] = .string(String(validSince))
    user["lastLoginAt"] = .string(String(lastLoginAt))
    user["createdAt"] = .string(String(createdAt))
    user["lastRefreshAt"] = .string(Timestamp.text(milliseconds: lastRefreshAt))
    if isDisabled { user["disabled"] = true }
    if isCustom { user["customAuth"] = true }
    if let customAttributes {
      user["customAttributes"] = .string(JSON.object(customAttributes).encoded())
    }
    user.set("initialEmail", initialEmail)
    return .object(user)
  }
}
