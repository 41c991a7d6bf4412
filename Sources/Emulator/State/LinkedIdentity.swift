internal import Encoding

/// One way to sign in to an account: an identity at a provider, the password, or the phone.
struct LinkedIdentity: Sendable {
  let providerID: String
  /// The person's id at the provider; for password and phone the address and the number.
  let rawID: String
  var email: String?
  var displayName: String?
  var photoURL: String?
  var screenName: String?
  var phoneNumber: String?
  /// The id as an import or a link wrote it, where that is not the raw one.
  var federatedID: String?
  /// Whether answers show a federated id: an administrator may have linked without one.
  var showsFederatedID = true
  /// Whether the provider vouches for the address, so that the link survives a trusted sign-in.
  var isTrusted = false

  var key: IdentityKey { IdentityKey(providerID: providerID, rawID: rawID) }

  /// Whether the identity lives outside the project.
  var isFederated: Bool { providerID != "password" && providerID != "phone" }

  /// The entry of `providerUserInfo`.
  ///
  /// `federatedId` and `rawId` are the same here; only `signInWithIdp` may answer with a prefixed form.
  var wire: JSON {
    var entry = JSONObject()
    entry["providerId"] = .string(providerID)
    entry["rawId"] = .string(rawID)
    if providerID == "phone" {
      entry["phoneNumber"] = .string(rawID)
      return .object(entry)
    }
    if showsFederatedID { entry["federatedId"] = .string(federatedID ?? rawID) }
    entry.set("email", email)
    entry.set("displayName", displayName)
    entry.set("photoUrl", photoURL)
    entry.set("screenName", screenName)
    entry.set("phoneNumber", phoneNumber)
    return .object(entry)
  }
}

extension LinkedIdentity {
  /// An identity that an administrator writes down, in an import or a link.
  ///
  /// In the JSON of protocol buffers an empty text is none; Firebase's emulator keeps it.
  init(given info: Fields, providerID: String, rawID: String, keepsEmpty: Bool) {
    func text(_ key: String) -> String? {
      keepsEmpty ? info.value(key)?.string : info.text(key)
    }
    self.init(providerID: providerID, rawID: rawID)
    email = text("email")
    displayName = text("displayName")
    photoURL = text("photoUrl")
    screenName = text("screenName")
    phoneNumber = text("phoneNumber")
    federatedID = text("federatedId")
    showsFederatedID = federatedID != nil
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

  /// Sets `key` when there is a value.
  mutating func set(_ key: String, _ value: Bool?) {
    if let value { self[key] = .bool(value) }
  }
}
