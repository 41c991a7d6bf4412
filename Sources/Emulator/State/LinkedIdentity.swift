internal import System

/// A sign-in method of an account: an identity at a provider, the password, or the phone.
struct LinkedIdentity: Sendable {
  let providerID: String
  /// The user's id at the provider; for `password` the e-mail address, for `phone` the number.
  let rawID: String
  var email: String?
  var displayName: String?
  var photoURL: String?
  var screenName: String?
  var phoneNumber: String?
  /// The `federatedId` that an import or a link gave, if it is not the raw id.
  var federatedID: String?
  /// Whether responses contain `federatedId`; false if an administrator linked the identity without one.
  var showsFederatedID = true
  /// Whether the provider is trusted for the address (see `EmailTrust`): a later trusted sign-in keeps the identity.
  var isTrusted = false

  var key: IdentityKey { IdentityKey(providerID: providerID, rawID: rawID) }

  /// Whether the identity belongs to an external provider.
  var isFederated: Bool { providerID != "password" && providerID != "phone" }

  /// The entry of `providerUserInfo`.
  ///
  /// `federatedId` is the raw id unless an administrator gave another; only `signInWithIdp` may return a prefixed form.
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
  /// Reads an identity from an administrator's import or link.
  ///
  /// In the JSON of protocol buffers an empty string means unset; Firebase's emulator keeps it.
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

/// The key of an identity, which is unique in a project and compared byte by byte.
struct IdentityKey: Hashable, Sendable {
  let providerID: ExactString
  let rawID: ExactString

  init(providerID: String, rawID: String) {
    self.providerID = ExactString(string: providerID)
    self.rawID = ExactString(string: rawID)
  }
}

/// Values by identity, in one dictionary for each provider: so no key repeats the provider's id.
struct IdentityTable<Value> {
  private var tables: [ExactString: [ExactString: Value]] = [:]

  subscript(key: IdentityKey) -> Value? {
    get { tables[key.providerID]?[key.rawID] }
    set { tables[key.providerID, default: [:]][key.rawID] = newValue }
  }
}

extension JSONObject {
  /// Sets `key` when there is a value: unset fields are absent on the wire, not null.
  mutating func set(_ key: String, _ value: String?) {
    if let value { self[key] = .string(value) }
  }

  mutating func set(_ key: String, _ value: Bool?) {
    if let value { self[key] = .bool(value) }
  }
}

extension LinkedIdentity: Recorded {
  var record: JSONObject {
    var record: JSONObject = ["id": .string(providerID)]
    // The entries of password and phone are derived from other fields of the account.
    guard isFederated else { return record }
    record["rawId"] = .string(rawID)
    record.set("email", email)
    record.set("displayName", displayName)
    record.set("photoUrl", photoURL)
    record.set("screenName", screenName)
    record.set("phoneNumber", phoneNumber)
    record.set("federatedId", federatedID)
    if !showsFederatedID { record["showsFederatedId"] = false }
    record.flag("trusted", isTrusted)
    return record
  }

  init?(record: JSONObject) {
    guard let providerID = record["id"]?.string else { return nil }
    self.init(
      providerID: providerID, rawID: record["rawId"]?.string ?? "", email: record["email"]?.string,
      displayName: record["displayName"]?.string, photoURL: record["photoUrl"]?.string,
      screenName: record["screenName"]?.string, phoneNumber: record["phoneNumber"]?.string,
      federatedID: record["federatedId"]?.string,
      showsFederatedID: record["showsFederatedId"]?.bool ?? true,
      isTrusted: record["trusted"]?.bool == true)
  }
}
