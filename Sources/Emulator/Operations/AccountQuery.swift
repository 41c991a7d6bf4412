internal import Encoding
internal import IdentityToolkit

/// The fields of an `accounts:query` request.
struct AccountQuery {
  /// What accounts can be ordered by; the raw values are the API's.
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
  /// Whether accounts are listed rather than only counted.
  let returnsAccounts: Bool

  init(_ fields: Fields) {
    expressions = fields.value("expression")?.array ?? []
    limit = fields.text("limit")
    offset = fields.text("offset")
    order = fields.text("sortBy").flatMap { Order(rawValue: $0) } ?? .userID
    isDescending = fields.text("order") == "DESC"
    returnsAccounts = fields.value("returnUserInfo")?.bool ?? true
  }

  /// The accounts that fit any of the expressions, or all when there is none, in order.
  func matches(in accounts: inout AccountStore) throws(Refusal) -> [Account] {
    var found: [Account]
    if expressions.isEmpty {
      found = accounts.all()
    } else {
      found = []
      var seen: Set<ExactString> = []
      for expression in expressions {
        let account = try Self.account(expression, in: accounts)
        if let account, seen.insert(ExactString(string: account.uid)).inserted {
          found.append(account)
        }
      }
    }
    sort(&found)
    return found
  }

  /// The account an expression names by exactly one of its fields.
  private static func account(
    _ expression: JSON, in accounts: AccountStore
  ) throws(Refusal) -> Account? {
    let fields = Fields(expression.object ?? JSONObject())
    switch (fields.text("email"), fields.text("phoneNumber"), fields.text("userId")) {
    case (let email?, nil, nil): return accounts[email: email.asciiLowercased]
    case (nil, let number?, nil): return accounts[phone: number]
    case (nil, nil, let uid?): return accounts[uid: uid]
    default:
      throw .invalidArgument(
        "An expression must have exactly one of email, phone_number and user_id.")
    }
  }

  private func sort(_ accounts: inout [Account]) {
    func byText(_ key: (Account) -> String?) {
      accounts.sort { (key($0) ?? "").utf16.lexicographicallyPrecedes((key($1) ?? "").utf16) }
    }
    switch order {
    case .userID: byText(\.uid)
    case .name: byText(\.displayName)
    case .email: byText(\.email)
    case .createdAt: accounts.sort { ($0.createdAt ?? 0) < ($1.createdAt ?? 0) }
    case .lastLoginAt: accounts.sort { ($0.lastLoginAt ?? 0) < ($1.lastLoginAt ?? 0) }
    }
    if isDescending { accounts.reverse() }
  }

  /// The accounts of one page: at most 500, which is also what a request without a limit gets.
  func page(of accounts: [Account]) -> ArraySlice<Account> {
    let start = max(0, offset.flatMap { Int($0) } ?? 0)
    let limit = limit.flatMap { Int($0) } ?? 0
    return accounts.dropFirst(start).prefix((1...500).contains(limit) ? limit : 500)
  }
}
