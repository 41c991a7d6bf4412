internal import System
internal import IdentityToolkit

extension Backend {
  /// `accounts:lookup`: returns the account of an ID token, or for an administrator those with given ids.
  func lookup(_ call: Call) throws(Refusal) -> JSONObject {
    var users: [JSON]
    if call.isAdmin, !rules[.googleAnswers] || Self.namesAccounts(call.fields) {
      users = try find(call.fields).map { wire($0) }
    } else {
      guard let idToken = idToken(of: call.fields) else { throw Refusal(.missingIDToken) }
      users = [wire(try verify(idToken: idToken).account)]
    }
    var answer: JSONObject = ["kind": "identitytoolkit#GetAccountInfoResponse"]
    if !users.isEmpty { answer["users"] = .array(users) }
    return answer
  }

  private static func namesAccounts(_ fields: Fields) -> Bool {
    let lists = ["localId", "email", "phoneNumber", "federatedUserId", "initialEmail"]
    return lists.contains { fields.value($0)?.array?.isEmpty == false }
  }

  /// The account as responses show it; only downloads contain real hashes.
  func wire(_ account: Account, isDownload: Bool = false) -> JSON {
    account.wire(showsHash: isDownload || !rules[.hashedPasswords], tenantID: tenantID, rules)
  }

  /// The accounts that an administrator's request names, each once, in the order of its lists.
  private func find(_ fields: Fields) throws(Refusal) -> [Account] {
    if fields.has("initialEmail"), !rules[.googleAnswers] {
      throw .notImplemented("Lookup by initialEmail is not implemented.")
    }
    var found: [Account] = []
    for uid in try fields.strings("localId") ?? [] {
      if let account = accounts[uid: uid] { found.append(account) }
    }
    for email in try fields.strings("email") ?? [] {
      found += accounts.accounts(withEmail: lowered(email: email))
    }
    for number in try fields.strings("phoneNumber") ?? [] {
      if let account = accounts[phone: number] { found.append(account) }
    }
    for identity in fields.value("federatedUserId")?.array ?? [] {
      guard let provider = identity["providerId"]?.string, let rawID = identity["rawId"]?.string
      else { continue }
      let account =
        switch provider {
        case "phone": accounts[phone: rawID]
        case "password":
          accounts[email: rawID].flatMap { owner in
            owner.identity(at: "password") == nil ? nil : owner
          }
        default: accounts[IdentityKey(providerID: provider, rawID: rawID)]
        }
      if let account { found.append(account) }
    }
    for email in try fields.strings("initialEmail") ?? [] {
      if let account = accounts[initialEmail: lowered(email: email)] { found.append(account) }
    }
    guard found.count > 1 else { return found }
    var seen: Set<ExactString> = []
    return found.filter { seen.insert(ExactString(string: $0.uid)).inserted }
  }

  /// `accounts:batchGet`: the accounts in the order of their uids, page by page.
  func batchGet(_ call: Call) throws(Refusal) -> JSONObject {
    let limit = call.pageSize("maxResults", keepsZero: rules[.googleAnswers])
    let page = accounts.page(after: call.query.text("nextPageToken"), limit: limit ?? .max)
    var answer: JSONObject = [
      "kind": "identitytoolkit#DownloadAccountResponse",
      "users": .array(page.map { wire($0, isDownload: true) }),
    ]
    guard let limit, page.count >= limit, let last = page.last else { return answer }
    // In Firebase's emulator a page that is exactly full has a token even if nothing follows.
    let isLast = rules[.googleAnswers] && accounts.page(after: last.uid, limit: 1).isEmpty
    if !isLast { answer["nextPageToken"] = .string(last.uid) }
    return answer
  }
}

extension Call {
  /// The maximum number of entries of a page, from a query parameter.
  ///
  /// The default is 20, and the largest value 1,000. A negative number gives nil, which means all entries. Zero
  /// counts as absent, unless `keepsZero` is set.
  func pageSize(_ name: String, keepsZero: Bool = false) -> Int? {
    guard let number = query.all(name).last.flatMap(ScriptNumber.parse) else { return 20 }
    if number < 0 { return nil }
    return number == 0 && !keepsZero ? 20 : Int(min(number, 1000))
  }
}

extension FormFields {
  /// The first value of a parameter; an empty one counts as absent.
  func text(_ name: String) -> String? {
    self[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension Backend {
  /// `accounts:query`: counts accounts, or lists them in an order.
  func query(_ call: Call) throws(Refusal) -> JSONObject {
    let request = AccountQuery(call.fields)
    guard rules[.furtherOperations] else { return try plainQuery(request) }
    let found = request.matches(in: &accounts)
    guard request.returnsAccounts else { return ["recordsCount": .string(String(found.count))] }
    let page = try request.page(of: found)
    return [
      "recordsCount": .string(String(page.count)),
      "userInfo": .array(page.map { wire($0) }),
    ]
  }

  /// The query of Firebase's emulator, which can only count, and list all accounts by uid.
  private func plainQuery(_ request: AccountQuery) throws(Refusal) -> JSONObject {
    guard request.expressions.isEmpty else {
      throw .notImplemented("expression is not implemented.")
    }
    guard request.returnsAccounts else {
      return ["recordsCount": .string(String(accounts.count))]
    }
    guard request.limit == nil else { throw .notImplemented("limit is not implemented.") }
    guard request.offset == nil || request.offset == "0" else {
      throw .notImplemented("offset is not implemented.")
    }
    guard request.order == .userID else {
      throw .notImplemented("Only sorting by USER_ID is implemented.")
    }
    let found = accounts.all()
    return [
      "recordsCount": .string(String(found.count)),
      "userInfo": .array(
        (request.isDescending ? found.reversed() : found).map { wire($0) }),
    ]
  }
}

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
