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
