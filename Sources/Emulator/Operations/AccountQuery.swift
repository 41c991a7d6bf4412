internal import System
internal import IdentityToolkit

/// The fields of an `accounts:query` request.
struct AccountQuery {
  /// The orders of accounts; the raw values are the API's.
  enum Order: String {
    case userID = "USER_ID"
    case name = "NAME"
    case createdAt = "CREATED_AT"
    case lastLoginAt = "LAST_LOGIN_AT"
    case email = "USER_EMAIL"
  }

  let expressions: [JSON]
  let limit: String?
  let offset: String?
  let order: Order
  let isDescending: Bool
  /// Whether accounts are returned rather than only counted.
  let returnsAccounts: Bool

  init(_ fields: Fields) {
    expressions = fields.value("expression")?.array ?? []
    limit = fields.text("limit")
    offset = fields.text("offset")
    order = fields.text("sortBy").flatMap { Order(rawValue: $0) } ?? .userID
    isDescending = fields.text("order") == "DESC"
    returnsAccounts = fields.value("returnUserInfo")?.bool ?? true
  }

  /// The accounts that match the expression, or all accounts without one, in order.
  func matches(in accounts: inout AccountStore) -> [Account] {
    var found = expressed(in: accounts) ?? accounts.all()
    sort(&found)
    return found
  }

  /// The accounts of the expression; nil without one.
  ///
  /// Measured: only the first expression counts, and of its fields the address comes first. An
  /// expression without a field counts as absent.
  private func expressed(in accounts: AccountStore) -> [Account]? {
    let fields = Fields(expressions.first?.object ?? JSONObject())
    if let email = fields.text("email") {
      return accounts.accounts(withEmail: email.asciiLowercased)
    }
    if let number = fields.text("phoneNumber") { return accounts[phone: number].map { [$0] } ?? [] }
    return fields.text("userId").map { uid in accounts[uid: uid].map { [$0] } ?? [] }
  }

  /// Measured: a missing value is the smallest, and equal accounts are in ascending order of
  /// their ids, in both directions.
  private func sort(_ accounts: inout [Account]) {
    func sort<Key>(_ key: (Account) -> Key, _ precedes: (Key, Key) -> Bool) {
      accounts.sort { one, other in
        let (first, second) = isDescending ? (other, one) : (one, other)
        if precedes(key(first), key(second)) { return true }
        if precedes(key(second), key(first)) { return false }
        return order != .userID && Self.precedes(one.uid, other.uid)
      }
    }
    switch order {
    case .userID: sort(\.uid, Self.precedes)
    case .name: sort({ $0.displayName ?? "" }, Self.precedes)
    case .email: sort({ $0.email ?? "" }, Self.precedes)
    case .createdAt: sort({ $0.createdAt ?? 0 }, <)
    case .lastLoginAt: sort({ $0.lastLoginAt ?? 0 }, <)
    }
  }

  /// The order of code points.
  private static func precedes(_ a: String, _ b: String) -> Bool {
    a.utf8.lexicographicallyPrecedes(b.utf8)
  }

  /// The accounts of one page, 500 for a request without a limit; refuses a negative offset or limit.
  func page(of accounts: [Account]) throws(Refusal) -> ArraySlice<Account> {
    let start = offset.flatMap { Int($0) } ?? 0
    let limit = limit.flatMap { Int($0) } ?? 500
    guard start >= 0, limit >= 0 else { throw .internalFailure("Internal error encountered.") }
    return accounts.dropFirst(start).prefix(limit)
  }
}
