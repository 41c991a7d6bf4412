import Client
import IdentityToolkit
import System

/// The fields of an account that preconditions compare, by their names in a script's account record.
enum AccountField {
  /// The fields that only the user or an administrator changes.
  static let own = [
    "email", "emailVerified", "displayName", "photoURL", "phoneNumber", "disabled", "customClaims",
    "tenantID", "providerData", "multiFactor",
  ]
  /// The fields that changes of others change, such as that of the address.
  private static let effects = ["tokensValidAfterTime", passwordTime]
  /// The fields that change when the user signs in.
  static let times = ["metadata.creationTime"] + uses
  /// The times of these that show that an account is in use.
  static let uses = ["metadata.lastSignInTime", "metadata.lastRefreshTime"]
  /// When the password was last set, which scripts do not see.
  static let passwordTime = "passwordUpdateTime"
  private static let identity = "providerData."
  private static let all = Set(own + times + effects)

  static func isKnown(_ name: String) -> Bool {
    name.hasPrefix(identity) || all.contains(name)
  }

  /// False for a field that an export may lack, and that this record lacks.
  static func isExported(_ name: String, in user: UserRecord) -> Bool {
    switch name {
    case "tenantID", "tokensValidAfterTime", "metadata.lastRefreshTime", passwordTime:
      value(of: name, in: user) != nil
    case "multiFactor": !user.enrolledFactors.isEmpty
    default: true
    }
  }

  /// The field with the identity at one provider.
  static func identity(at providerID: String) -> String { identity + providerID }

  /// The provider of such a field.
  private static func provider(of name: String) -> String {
    String(decoding: name.utf8.dropFirst(identity.utf8.count), as: UTF8.self)
  }

  /// The field names for a name as a script reads it: `*` stands for all fields of a table.
  static func names(read name: String) -> [String] {
    switch name {
    case "*": own
    case "metadata.*": times
    default: [name]
    }
  }

  /// The fields that a lookup by an identifier reads.
  static func names(of identifier: UserIdentifier) -> [String] {
    switch identifier {
    case .uid: []
    case .email: ["email"]
    case .phoneNumber: ["phoneNumber"]
    case .provider(let id, _): [self.identity(at: id)]
    }
  }

  /// Whether a field has a value, which false stands for when there is none.
  static func has(_ expected: JSON, _ name: String, in user: UserRecord) -> Bool {
    let found = value(of: name, in: user)
    switch (name, expected) {
    case ("emailVerified", _), ("disabled", _): return found == expected
    case (_, .bool): return found == nil
    case ("email", .string(let text)): return found?.string == text.lowercased()
    case ("customClaims", .object(let claims)):
      return (found ?? [:]).encoded(sortedKeys: true)
        == JSON.object(claims).encoded(sortedKeys: true)
    default: return found == expected
    }
  }

  /// A hash of the value; nil if the name is unknown.
  ///
  /// The frequent fields are hashed without `value`, whose JSON would take most of the time of planning a row.
  static func digest(of name: String, in user: UserRecord) -> UInt64? {
    var hash = StableHash()
    if name.hasPrefix(identity) {
      for text in identities(of: user, at: provider(of: name)) { hash.add(text) }
      return hash.value
    }
    switch name {
    case "email": hash.add(ifAny: user.email?.lowercased())
    case "emailVerified": hash.add(byte: user.isEmailVerified ? 1 : 0)
    case "displayName": hash.add(ifAny: user.displayName)
    case "photoURL": hash.add(ifAny: user.photoURL)
    case "phoneNumber": hash.add(ifAny: user.phoneNumber)
    case "disabled": hash.add(byte: user.isDisabled ? 1 : 0)
    case "tenantID": hash.add(ifAny: user.tenantID)
    case "metadata.lastRefreshTime": hash.add(ifAny: user.lastRefreshTime)
    case "providerData": for text in identities(of: user) { hash.add(text) }
    default:
      guard isKnown(name) else { return nil }
      hash.add((value(of: name, in: user) ?? .null).encoded(sortedKeys: true))
    }
    return hash.value
  }

  /// The value in a form that is equal for equal accounts; nil if there is none.
  private static func value(of name: String, in user: UserRecord) -> JSON? {
    switch name {
    case "email": user.email.map { .string($0.lowercased()) }
    case "emailVerified": .bool(user.isEmailVerified)
    case "displayName": user.displayName.map(JSON.string)
    case "photoURL": user.photoURL.map(JSON.string)
    case "phoneNumber": user.phoneNumber.map(JSON.string)
    case "disabled": .bool(user.isDisabled)
    case "customClaims": user.customClaims.flatMap { $0.count == 0 ? nil : .object($0) }
    case "tenantID": user.tenantID.map(JSON.string)
    case "providerData": .array(identities(of: user).map(JSON.string))
    case "multiFactor":
      .array(
        user.enrolledFactors.map { .array([.string($0.uid), .string($0.phoneNumber ?? "")]) })
    case "tokensValidAfterTime": user.tokensValidAfterTime.map(JSON.integer)
    case "metadata.creationTime": user.creationTime.map(JSON.integer)
    case "metadata.lastSignInTime": user.lastSignInTime.map(JSON.integer)
    case "metadata.lastRefreshTime": user.lastRefreshTime.map(JSON.string)
    case passwordTime: user.passwordUpdateTime.map(JSON.integer)
    default:
      .array(identities(of: user, at: provider(of: name)).map(JSON.string))
    }
  }

  /// The identities at one provider or at all, as sorted texts without the names and photos there.
  private static func identities(of user: UserRecord, at providerID: String? = nil) -> [String] {
    var found: [String] = []
    for identity in user.providerData {
      if let providerID, ExactString(providerID) != ExactString(identity.providerID) { continue }
      // Password and phone are fields of the account, which an export does not list here.
      guard !["password", "phone"].contains(identity.providerID) else { continue }
      found.append("\(identity.providerID) \(identity.uid)")
    }
    return found.sorted()
  }
}

extension Operation {
  /// Stands for the fields that follow from others, such as times.
  static let effects = ""

  /// The fields that the operation changes, by uid.
  var changedFields: [(uid: String, field: String)] {
    switch self {
    case .link(let uid, _): [(uid, "providerData")]
    case .unlink(let uid, let provider):
      [(uid, "providerData")] + (provider == "phone" ? [(uid, "phoneNumber")] : [])
    case .merge(let survivor, _, _): [(survivor, "providerData"), (survivor, "phoneNumber")]
    case .update(let uid, let changes, _): (changes.keys + [Self.effects]).map { (uid, $0) }
    // A sign-in at a provider fills what the account lacks.
    case .linkAsUser(let uid, _):
      ["providerData", "displayName", "photoURL", "email", "emailVerified", Self.effects].map {
        (uid, $0)
      }
    // A script may change anything.
    case .custom(_, let uid?, _): (AccountField.own + [Self.effects]).map { (uid, $0) }
    case .create, .delete, .custom, .followUp: []
    }
  }

  /// The fields that the operation depends on, by uid.
  var dependencies: [(uid: String, fields: [String])] {
    switch self {
    case .link(let uid, let identity):
      [(uid, ["disabled", AccountField.identity(at: identity["providerId"]?.string ?? "")])]
    case .unlink(let uid, let provider):
      [(uid, [provider == "phone" ? "phoneNumber" : AccountField.identity(at: provider)])]
    case .merge(let survivor, let loser, let providers):
      [survivor, loser].map { ($0, Self.merged(providers)) }
    case .update(let uid, let changes, _):
      [(uid, changes.keys.map { $0 == "password" ? AccountField.passwordTime : $0 })]
    case .delete(let uid):
      [(uid, AccountField.own + AccountField.uses)]
    case .linkAsUser(let uid, let credential):
      [(uid, ["disabled", AccountField.identity(at: credential["providerId"]?.string ?? "")])]
    case .create, .custom, .followUp: []
    }
  }

  private static func merged(_ providers: [String]?) -> [String] {
    let fields = providers.map { $0.map(AccountField.identity) } ?? ["providerData"]
    return ["disabled"] + fields + (providers?.contains("phone") ?? true ? ["phoneNumber"] : [])
  }
}

extension StableHash {
  /// Adds a text, or that there is none.
  fileprivate mutating func add(ifAny text: String?) {
    add(byte: text == nil ? 0 : 1)
    if let text { add(text) }
  }
}
