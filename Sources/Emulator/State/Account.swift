internal import Encoding

/// One account of a project or tenant.
///
/// What is nil was never set: such a field is absent from answers and tokens.
struct Account: Sendable {
  let uid: String
  var email: String?
  var emailVerified: Bool?
  var displayName: String?
  var photoURL: String?
  var phoneNumber: String?
  var password: PasswordRecord?
  /// Milliseconds since 1970; stays when the password goes.
  var passwordUpdatedAt: Int64?
  /// Whether a link sent to the address has signed in, which makes `password` one of the providers.
  var hasEmailLink = false
  var disabled: Bool?
  /// Whether a custom token made the account.
  var isCustom = false
  /// The custom claims as the administrator wrote them: a JSON object.
  var customAttributes: String?
  var initialEmail: String?
  /// The ways to sign in, in the order they came; `password` and `phone` follow from other fields.
  private(set) var providers: [LinkedIdentity] = []
  /// Whether answers have the list of providers, which stays there when the last one has gone.
  var listsProviders = false
  /// The second factors; nil when there never was one.
  var factors: [SecondFactor]?
  var passkeys: [Passkey]?
  /// What only imports and providers know: `screenName`, `language`, `dateOfBirth`, `timeZone`.
  var furtherFields: JSONObject?
  /// Milliseconds since 1970.
  var createdAt: Int64?
  var lastLoginAt: Int64?
  var lastRefreshAt: Int64?
  /// Seconds since 1970; ID tokens issued earlier are dead.
  var validSince: Int64?
  /// Seconds since 1970 of the newest ID token, so that revoking can be later than it.
  var lastIssuedAt: Int64 = 0

  /// An account without any field.
  init(uid: String) {
    self.uid = uid
  }

  /// An account made now.
  init(uid: String, now milliseconds: Int64) {
    self.uid = uid
    createdAt = milliseconds
    lastLoginAt = milliseconds
  }

  var isEmailVerified: Bool {
    get { emailVerified == true }
    set { emailVerified = newValue }
  }

  var isDisabled: Bool {
    get { disabled == true }
    set { disabled = newValue }
  }

  /// Whether nobody could sign in to the account again.
  var isAnonymous: Bool {
    password == nil && identities.isEmpty && !isCustom && email == nil && phoneNumber == nil
  }

  /// The custom claims; empty when there are none or they are no JSON object.
  var customClaims: JSONObject {
    guard let customAttributes, let parsed = try? JSON.parse(customAttributes),
      case .object(let claims) = parsed
    else { return JSONObject() }
    return claims
  }

  /// Sets or, with nil, removes one of the fields without effect.
  mutating func setFurther(_ name: String, _ value: JSON?) {
    guard value != nil || furtherFields != nil else { return }
    var fields = furtherFields ?? JSONObject()
    fields[name] = value
    furtherFields = fields.isEmpty ? nil : fields
  }

  // MARK: Providers

  /// The identities at providers outside the project.
  var identities: [LinkedIdentity] { providers.filter(\.isFederated) }

  /// The ids of the providers the account can be signed in with, password and phone included.
  var providerIDs: [String] { providers.map(\.providerID) }

  func identity(at providerID: String) -> LinkedIdentity? {
    providers.first { $0.providerID == providerID }
  }

  /// Adds an identity in place of an earlier one of the same provider.
  mutating func link(_ identity: LinkedIdentity) {
    if let index = providers.firstIndex(where: { $0.providerID == identity.providerID }) {
      providers[index] = identity
    } else {
      providers.append(identity)
    }
  }

  mutating func unlink(_ providerID: String) {
    providers.removeAll { $0.providerID == providerID }
  }

  mutating func removeIdentities(where isDoomed: (LinkedIdentity) -> Bool) {
    providers.removeAll { $0.isFederated && isDoomed($0) }
  }

  /// Brings the entries of password and phone in line with the fields they follow from.
  mutating func updateProviders() {
    if let email, password != nil || hasEmailLink {
      link(
        LinkedIdentity(
          providerID: "password", rawID: email, email: email, displayName: displayName,
          photoURL: photoURL))
    } else {
      unlink("password")
    }
    if let phoneNumber {
      link(LinkedIdentity(providerID: "phone", rawID: phoneNumber))
    } else {
      unlink("phone")
    }
    if !providers.isEmpty { listsProviders = true }
  }

  /// Kills every ID token issued so far.
  ///
  /// `iat` counts whole seconds, so a token of this very second is outlived only by the next one.
  mutating func revokeTokens(now seconds: Int64) {
    validSince = max(seconds, lastIssuedAt + 1)
  }
}
