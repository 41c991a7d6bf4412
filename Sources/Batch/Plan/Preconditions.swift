import Client
import IdentityToolkit
import System

/// What the plan of a row rests on: fields of accounts, and lookups that found no account.
///
/// The run compares both with the accounts before the row's first call. A plan has digests instead of values.
struct Preconditions: Sendable {
  /// An account whose fields are compared.
  fileprivate struct Account {
    let uid: String
    var fields: [Field] = []
    /// The form of a plan file, if it was read from one: most of them are parsed when the row runs, and only then.
    var source: String?
  }

  /// A field that differs.
  struct Difference {
    let field: String
    /// An earlier row of the plan that may have changed it.
    let changedBy: Int64?
  }

  /// The accounts whose fields are compared: few enough for a search from the start.
  private var accounts: [Account] = []
  /// The identifiers that no account had.
  private(set) var absent: [UserIdentifier] = []

  /// No preconditions.
  init() {}

  var isEmpty: Bool { accounts.isEmpty && absent.isEmpty }

  /// The accounts whose fields are compared.
  var uids: [String] { accounts.map(\.uid) }

  /// The earlier rows of the plan that change a field, in order: whether they were carried out decides what is compared.
  func rows() throws(RowFailure) -> [Int64] {
    var rows: Set<Int64> = []
    for account in accounts { rows.formUnion(try account.read().compactMap(\.changedBy)) }
    return rows.sorted()
  }

  /// Adds fields of an account with their present values; unknown names and `uid` are ignored.
  ///
  /// - Parameter isWhole: Whether the record has all fields that the account has.
  mutating func add(_ names: some Sequence<String>, of user: UserRecord, isWhole: Bool = true) {
    for name in names where isWhole || AccountField.isExported(name, in: user) {
      guard let digest = AccountField.digest(of: name, in: user) else { continue }
      add(Field(name: name, digest: digest), of: user.uid)
    }
  }

  private mutating func add(_ field: Field, of uid: String) {
    let index = accounts.firstIndex { ExactString($0.uid) == ExactString(uid) } ?? accounts.endIndex
    if index == accounts.endIndex { accounts.append(Account(uid: uid)) }
    guard !accounts[index].fields.contains(where: { $0.name == field.name }) else { return }
    accounts[index].fields.append(field)
  }

  /// Adds an identifier that no account has.
  mutating func add(absent identifier: UserIdentifier) {
    let key = AccountKey(identifier)
    if !absent.contains(where: { AccountKey($0) == key }) { absent.append(identifier) }
  }

  /// The fields of an account that differ, in order of their names; empty for an account that is not compared.
  ///
  /// - Throws: A fault with the code `invalidPlan` if the plan has no valid digests of the account.
  func differences(of user: UserRecord) throws(RowFailure) -> [Difference] {
    guard let account = accounts.first(where: { ExactString($0.uid) == ExactString(user.uid) })
    else { return [] }
    var found: [Difference] = []
    for field in try account.read()
    where AccountField.digest(of: field.name, in: user) != field.digest {
      found.append(Difference(field: field.name, changedBy: field.changedBy))
    }
    return found.sorted { $0.field < $1.field }
  }
}

extension Preconditions {
  fileprivate static let code = "invalidPlan"

  /// Reads the form of a plan file.
  ///
  /// The digests are parsed when they are needed; `check` parses them at once.
  init(json: JSONObject) throws(RowFailure) {
    let reader = try MemberReader(json, at: ["expects"], names: ["accounts", "absent"])
    for (uid, fields) in try reader.objectIfAny("accounts")?.entries ?? [] {
      guard let source = fields.string else {
        throw reader.fault("the fields of an account must be a string", code: Self.code)
      }
      accounts.append(Account(uid: uid, source: source))
    }
    for (index, item) in (reader.value("absent")?.array ?? []).enumerated() {
      do throws(AdminError) {
        absent.append(try UserIdentifier(item, index + 1))
      } catch {
        throw reader.fault(error.message, code: Self.code)
      }
    }
  }

  /// Throws if the digests of a field cannot be parsed.
  func check() throws(RowFailure) {
    for account in accounts { _ = try account.read() }
  }

  /// The form of a plan file.
  var json: JSON {
    var object = JSONObject()
    if !accounts.isEmpty {
      object["accounts"] = .object(
        JSONObject(accounts.sorted { $0.uid < $1.uid }.map { ($0.uid, .string($0.text)) }))
    }
    if !absent.isEmpty { object["absent"] = .array(absent.map(\.json)) }
    return .object(object)
  }
}

extension Preconditions.Account {
  /// The compared fields.
  fileprivate func read() throws(RowFailure) -> [Preconditions.Field] {
    guard var source else { return fields }
    var fields: [Preconditions.Field] = []
    let wrong: String? = source.withUTF8 { text in
      var start = 0
      while start < text.count {
        let end = text[start...].firstIndex(of: UInt8(ascii: " ")) ?? text.count
        let part = UnsafeBufferPointer(rebasing: text[start..<end])
        start = end + 1
        guard !part.isEmpty else { continue }
        guard let field = Preconditions.Field(part) else {
          return String(decoding: part, as: UTF8.self)
        }
        fields.append(field)
      }
      return nil
    }
    if let wrong {
      throw RowFailure(
        Preconditions.code,
        "expects: accounts has no digest of a field in '\(PlanFaults.brief(wrong))'")
    }
    return fields
  }

  /// The form of a plan file: the fields in order of their names, with blanks between them.
  fileprivate var text: String {
    source ?? fields.sorted { $0.name < $1.name }.map(\.text).joined(separator: " ")
  }
}

extension Preconditions {
  /// A compared field: `name=digest`, or `name=digest@row`, with the name percent-encoded and the digest in hexadecimal.
  fileprivate struct Field {
    let name: String
    let digest: UInt64
    /// An earlier row of the plan that changes the field; if it was carried out, the field is not compared.
    var changedBy: Int64?

    init(name: String, digest: UInt64) {
      self.name = name
      self.digest = digest
    }

    init?(_ text: UnsafeBufferPointer<UInt8>) {
      guard let sign = text.firstIndex(of: UInt8(ascii: "=")),
        let name = PercentEncoding.decode(String(decoding: text[..<sign], as: UTF8.self)),
        AccountField.isKnown(name), let digest = StableHash(digits: text[(sign + 1)...].prefix(16))
      else { return nil }
      self.init(name: name, digest: digest.value)
      let rest = text[(sign + 17)...]
      guard let mark = rest.first else { return }
      guard mark == UInt8(ascii: "@"),
        let row = Int64(String(decoding: rest.dropFirst(), as: UTF8.self))
      else { return nil }
      changedBy = row
    }

    var text: String {
      let digest = StableHash(value: digest).text()
      return PercentEncoding.encode(name) + "=" + digest + (changedBy.map { "@\($0)" } ?? "")
    }
  }
}

extension Preconditions {
  /// Notes which fields an earlier row of the plan changes, and removes identifiers that one gives to an account.
  ///
  /// Only for preconditions that were not read from a plan.
  mutating func note(changedBy claims: borrowing PlanClaims, before row: Int64) {
    for index in accounts.indices {
      let uid = accounts[index].uid
      let whole = claims.row(of: .whole(uid: uid), before: row)
      // Whoever changes a field claims a part of the account.
      guard whole != nil || claims.row(of: .part(uid: uid), before: row) != nil else { continue }
      for place in accounts[index].fields.indices {
        var last = whole
        for field in Self.causes(of: accounts[index].fields[place].name) where last == nil {
          last = claims.row(of: .change(uid: uid, field: field), before: row)
        }
        accounts[index].fields[place].changedBy = last
      }
    }
    var left: [UserIdentifier] = []
    for identifier in absent where claims.row(of: Self.claim(on: identifier), before: row) == nil {
      left.append(identifier)
    }
    absent = left
  }

  /// The fields by whose changes a field may change.
  private static func causes(of field: String) -> [String] {
    switch field {
    case "disabled", "customClaims", "displayName", "photoURL", "phoneNumber", "email": [field]
    // A new address is not verified.
    case "emailVerified": [field, "email"]
    default: field.hasPrefix("providerData") ? ["providerData"] : [Operation.effects]
    }
  }

  private static func claim(on identifier: UserIdentifier) -> PlanClaim {
    switch identifier {
    case .uid(let uid): .whole(uid: uid)
    case .email(let email): .email(EmailAddress.normalized(email) ?? email)
    case .phoneNumber(let number): .phoneNumber(PhoneNumber.normalized(number) ?? number)
    case .provider(let id, let uid): .identity(providerID: id, rawID: uid)
    }
  }
}

extension OpenRow {
  /// What the plan of the row rests on.
  ///
  /// - Parameters:
  ///   - answer: The script's answer: `read` has the fields that it read, `expect` the values that it expects of
  ///     accounts, and `onChange` is `ignore` if nothing else is to be compared.
  ///   - isLive: Whether the accounts come from the backend; an export lacks some fields.
  /// - Throws: A fault with the code `notAsExpected` if an account does not have an expected value.
  func preconditions(
    of operations: [Operation], _ answer: JSONObject, isLive: Bool, oneAccountPerEmail: Bool
  ) throws(RowFailure) -> Preconditions {
    var made = Preconditions()
    for entry in answer["expect"]?.array ?? [] {
      guard let user = user(entry["uid"]?.string), let values = entry["fields"]?.object else {
        continue
      }
      let others = values.entries.filter { !AccountField.has($0.value, $0.key, in: user) }
      guard others.isEmpty else {
        throw RowFailure(
          "notAsExpected",
          "the account \(PlanFaults.brief(user.uid)) is not as the row expects it: "
            + others.map(\.key).joined(separator: ", "))
      }
      made.add(values.keys, of: user, isWhole: isLive)
    }
    guard answer["onChange"] == nil else { return made }
    for identifier in asked {
      let users = known[AccountKey(identifier)] ?? []
      if users.isEmpty, !operations.contains(where: { $0.creates(identifier) }) {
        made.add(absent: identifier)
      }
      for user in users { made.add(AccountField.names(of: identifier), of: user, isWhole: isLive) }
    }
    for (uid, fields) in answer["read"]?.object?.entries ?? [] {
      guard let user = user(uid) else { continue }
      for name in fields.object?.keys ?? [] {
        made.add(AccountField.names(read: name), of: user, isWhole: isLive)
      }
    }
    for (uid, fields) in operations.flatMap(\.dependencies) {
      if let user = user(uid) { made.add(fields, of: user, isWhole: isLive) }
    }
    // The backend checks an import for no address, number or identity that another account has.
    for operation in operations {
      guard case .create = operation else { continue }
      for identifier in PlanChecks([operation], oneAccountPerEmail: oneAccountPerEmail).identifiers
      {
        if known[AccountKey(identifier)]?.isEmpty == true, !operation.creates(identifier) {
          made.add(absent: identifier)
        }
      }
    }
    return made
  }

  private func user(_ uid: String?) -> UserRecord? {
    uid.flatMap { known[AccountKey(.uid($0))]?.first }
  }
}

extension Operation {
  /// Whether it creates the account with this uid.
  fileprivate func creates(_ identifier: UserIdentifier) -> Bool {
    guard case .create(let account, _) = self, case .uid(let uid) = identifier else { return false }
    return PlanChecks.uid(of: account).map { ExactString($0) == ExactString(uid) } ?? false
  }
}
