public import System
import IdentityToolkit

/// The API calls that batches use, with the API's own JSON.
extension Admin {
  /// The maximum number of accounts per lookup; the documented limit of `accounts:lookup`.
  public static let mostLookedUp = 100

  /// Looks up accounts by up to `mostLookedUp` identifiers and returns the backend's JSON.
  ///
  /// The accounts are in no particular order, each once; missing accounts are left out.
  ///
  /// - Parameter repeats: False for callers with their own retries.
  public func lookUpWire(
    _ identifiers: [UserIdentifier], repeats: Bool = true
  ) async throws(AdminError) -> [JSON] {
    guard !identifiers.isEmpty else { return [] }
    let request = AdminRequest(
      "accounts:lookup", Self.lookup(identifiers[...]), isRepeatable: repeats)
    return try await call(request)["users"]?.array ?? []
  }

  /// Whether an account has a password whose hash the lookup hides.
  public static func hidesHash(_ account: JSON) -> Bool {
    account["passwordHash"]?.string == ExportedUser.redacted
  }

  /// Returns the account of a lookup with its password hash from `accounts:batchGet`, the only call
  /// for which Google's servers return hashes.
  ///
  /// The hash stays hidden if the administrator may not see it.
  public func withHash(_ account: JSON) async throws(AdminError) -> JSON {
    guard var shown = account.object, let uid = account["localId"]?.string,
      let last = uid.unicodeScalars.last, let before = Unicode.Scalar(max(1, last.value) - 1)
    else { return account }
    // Pages are ordered by uid and begin after the token, which need not be an existing uid.
    let token = String(uid.unicodeScalars.dropLast()) + String(before) + "\u{FFFD}"
    let query = [("maxResults", "1"), ("nextPageToken", token)]
    let page = try await call(AdminRequest(get: "accounts:batchGet", query: query))
    guard let found = page["users"]?[0], found["localId"]?.string == uid else { return account }
    for name in ["passwordHash", "salt"] { shown[name] = found[name] }
    return .object(shown)
  }
}

extension UserRecord {
  /// Parses an account in a lookup's JSON.
  public init(wire: JSON) throws(AdminError) { try self.init(wire) }

  /// Parses an account in a file of `firebase auth:export`.
  public init(exported entry: JSON) throws(AdminError) {
    try self.init(ExportedUser.wire(entry))
  }
}

extension ExportedUser {
  /// Converts a file's entry to a lookup's JSON.
  static func wire(_ entry: JSON) -> JSON {
    guard var user = entry.object else { return entry }
    user["lastLoginAt"] = user["lastLoginAt"] ?? user["lastSignedInAt"]
    user["lastSignedInAt"] = nil
    var identities = user["providerUserInfo"]?.array ?? []
    // Files omit what follows from the account's own fields.
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
