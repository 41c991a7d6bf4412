internal import Encoding

/// An identity at a provider, as one account has it linked.
struct LinkedIdentity: Sendable {
  let providerID: String
  /// The person's id at the provider.
  let rawID: String
  var email: String?
  var displayName: String?
  var photoURL: String?
  var screenName: String?
  /// Whether the provider vouches for the address, so that the link survives a trusted sign-in.
  var isTrusted: Bool

  var key: IdentityKey { IdentityKey(providerID: providerID, rawID: rawID) }

  /// The entry of `providerUserInfo`.
  ///
  /// `federatedId` and `rawId` are the same here; only `signInWithIdp` may answer with a prefixed form.
  var wire: JSON {
    var entry = JSONObject()
    entry["providerId"] = .string(providerID)
    entry["rawId"] = .string(rawID)
    entry["federatedId"] = .string(rawID)
    entry.set("email", email)
    entry.set("displayName", displayName)
    entry.set("photoUrl", photoURL)
    entry.set("screenName", screenName)
    return .object(entry)
  }
}

/// What makes an identity unique in a project, compared byte by byte.
struct IdentityKey: Hashable, Sendable {
  let providerID: ExactString
  let rawID: ExactString

  init(providerID: String, rawID: String) {
    self.providerID = ExactString(string: providerID)
    self.rawID = ExactString(string: rawID)
  }
}

extension JSONObject {
  /// Sets `key` when there is a value: unset fields are absent on the wire, not null.
  mutating func set(_ key: String, _ value: String?) {
    if let value { self[key] = .string(value) }
  }
}
