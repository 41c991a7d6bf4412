public import Encoding
import IdentityToolkit

/// What a batch asks of the interface itself, in the wire's own names.
extension Admin {
  /// How many accounts one look-up may ask for; the documented limit of `accounts:lookup`.
  public static let mostLookedUp = 100

  /// The accounts that up to `mostLookedUp` identifiers name, as the backend tells them.
  ///
  /// They come in no order, and each once; accounts that there are not are left out.
  ///
  /// Whoever repeats failed look-ups at a pace of their own passes false for `repeats`.
  public func lookUpWire(
    _ identifiers: [UserIdentifier], repeats: Bool = true
  ) async throws(AdminError) -> [JSON] {
    guard !identifiers.isEmpty else { return [] }
    let request = AdminRequest(
      "accounts:lookup", Self.lookup(identifiers[...]), isRepeatable: repeats)
    return try await call(request)["users"]?.array ?? []
  }

  /// Whether the account of a look-up has a password whose hash the look-up does not show.
  public static func hidesHash(_ account: JSON) -> Bool {
    account["passwordHash"]?.string == ExportedUser.redacted
  }

  /// The account of a look-up with its password hash, from a page of `accounts:batchGet`: Google's servers show
  /// hashes there alone.
  ///
  /// The hash stays hidden from an administrator who may not see it.
  public func withHash(_ account: JSON) async throws(AdminError) -> JSON {
    guard var shown = account.object, let uid = account["localId"]?.string,
      let last = uid.unicodeScalars.last, let before = Unicode.Scalar(max(1, last.value) - 1)
    else { return account }
    // Pages go by uid, and begin after a text whether or not it is one.
    let token = String(uid.unicodeScalars.dropLast()) + String(before) + "\u{FFFD}"
    let query = [("maxResults", "1"), ("nextPageToken", token)]
    let page = try await call(AdminRequest(get: "accounts:batchGet", query: query))
    guard let found = page["users"]?[0], found["localId"]?.string == uid else { return account }
    for name in ["passwordHash", "salt"] { shown[name] = found[name] }
    return .object(shown)
  }
}

extension UserRecord {
  /// Reads an account as a look-up tells it.
  public init(wire: JSON) throws(AdminError) { try self.init(wire) }

  /// Reads an account of a file of `firebase auth:export`.
  public init(exported entry: JSON) throws(AdminError) {
    try self.init(ExportedUser.wire(entry))
  }
}

extension ExportedUser {
  /// A file's entry as a look-up would tell the account.
  static func wire(_ entry: JSON) -> JSON {
    guard var user = entry.object else { return entry }
    user["lastLoginAt"] = user["lastLoginAt"] ?? user["lastSignedInAt"]
    user["lastSignedInAt"] = nil
    var identities = user["providerUserInfo"]?.array ?? []
    // Files leave out what the account's own fields say.
    func add(_ id: String, _ field: String) {
      guard let value = user[field], value.string?.isEmpty == false,
        !identities.contains(where: { $0["providerId"]?.string == id })
      else { return }
      identities.append(["providerId": .string(id), "rawId": value, field: value])
    }
    if user["passwordHash"]?.string?.isEmpty == false { add("password", "email") }
    add("phone", "phoneNumber")
    user["providerUserInfo"] = .array(identities)
    return .object(user)
  }
}
