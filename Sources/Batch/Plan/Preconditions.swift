import Client
import IdentityToolkit
import OIDC
import System

/// What the plan of a row rests on: fields of accounts, and lookups that found no account.
///
/// The run compares both with the accounts before the row's first call. A plan has digests instead of values.
struct Preconditions: Sendable {
  /// The digests of fields by name, by the uid of their account.
  private var accounts: [ExactString: [String: String]] = [:]
  /// The identifiers that no account had.
  private(set) var absent: [UserIdentifier] = []

  /// No preconditions.
  init() {}

  var isEmpty: Bool { accounts.isEmpty && absent.isEmpty }

  /// The accounts whose fields are compared.
  var uids: [String] { accounts.keys.map(\.string).sorted() }

  /// Adds fields of an account with their present values; unknown names and `uid` are ignored.
  mutating func add(_ names: some Sequence<String>, of user: UserRecord) {
    for name in names where AccountField.isComparable(name, in: user) {
      guard let digest = AccountField.digest(of: name, in: user) else { continue }
      accounts[ExactString(user.uid), default: [:]][name] = digest
    }
  }

  /// Adds an identifier that no account has.
  mutating func add(absent identifier: UserIdentifier) { absent.append(identifier) }

  /// The names of the fields of an account that differ, in order; empty for an account that is not compared.
  func changes(of user: UserRecord) -> [String] {
    (accounts[ExactString(user.uid)] ?? [:]).filter { name, digest in
      AccountField.digest(of: name, in: user) != digest
    }.keys.sorted()
  }
}

extension Preconditions {
  /// Reads the form of a plan file.
  init(json: JSONObject) throws(RowFailure) {
    let reader = try MemberReader(json, at: ["expects"], names: ["accounts", "absent"])
    for (uid, fields) in try reader.objectIfAny("accounts")?.entries ?? [] {
      for (name, digest) in fields.object?.entries ?? [] {
        guard AccountField.isKnown(name), let text = digest.string else {
          throw reader.fault(
            "accounts has '\(PlanFaults.brief(name))', which is no field of an account",
            code: Self.code)
        }
        accounts[ExactString(uid), default: [:]][name] = text
      }
    }
    for (index, item) in (reader.value("absent")?.array ?? []).enumerated() {
      do throws(AdminError) {
        absent.append(try UserIdentifier(item, index + 1))
      } catch {
        throw reader.fault(error.message, code: Self.code)
      }
    }
  }

  private static let code = "invalidPlan"

  /// The form of a plan file.
  var json: JSON {
    var object = JSONObject()
    if !accounts.isEmpty {
      let sorted = accounts.sorted { $0.key.string < $1.key.string }
      object["accounts"] = .object(
        JSONObject(
          sorted.map { uid, fields in
            let fields = fields.sorted { $0.key < $1.key }.map { ($0.key, JSON.string($0.value)) }
            return (uid.string, .object(JSONObject(fields)))
          }))
    }
    if !absent.isEmpty { object["absent"] = .array(absent.map(\.json)) }
    return .object(object)
  }
}

/// The fields of an account that preconditions compare, by their names in a script's account record.
enum AccountField {
  /// The fields that only the user or an administrator changes.
  static let own = [
    "email", "emailVerified", "displayName", "photoURL", "phoneNumber", "disabled", "customClaims",
    "tenantID", "providerData", "multiFactor", "tokensValidAfterTime",
  ]
  /// The fields that change when the user signs in.
  static let times = [
    "metadata.creationTime", "metadata.lastSignInTime", "metadata.lastRefreshTime",
  ]
  /// When the password was last set, which scripts do not see.
  static let passwordTime = "passwordUpdateTime"
  private static let identity = "providerData."

  static func isKnown(_ name: String) -> Bool {
    own.contains(name) || times.contains(name) || name == passwordTime || name.hasPrefix(identity)
  }

  /// False for a field that an export may lack and that the plan did not see.
  static func isComparable(_ name: String, in user: UserRecord) -> Bool {
    switch name {
    case "tenantID", "tokensValidAfterTime", "metadata.lastRefreshTime", passwordTime:
      value(of: name, in: user) != nil
    case "multiFactor": !user.enrolledFactors.isEmpty
    default: true
    }
  }

  /// The field with the identity at one provider.
  static func identity(at providerID: String) -> String { identity + providerID }

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

  /// 64 bits of the SHA-256 of the value, in hexadecimal; nil if the name is unknown.
  static func digest(of name: String, in user: UserRecord) -> String? {
    guard isKnown(name) else { return nil }
    let text = (value(of: name, in: user) ?? .null).encoded(sortedKeys: true)
    return Hex.encode(Array(Digest.sha256(Array(text.utf8)).prefix(8)))
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
    case "providerData": .array(identities(of: user) { _ in true })
    case "multiFactor":
      .array(
        user.enrolledFactors.map { .array([.string($0.uid), .string($0.phoneNumber ?? "")]) })
    case "tokensValidAfterTime": user.tokensValidAfterTime.map(JSON.integer)
    case "metadata.creationTime": user.creationTime.map(JSON.integer)
    case "metadata.lastSignInTime": user.lastSignInTime.map(JSON.integer)
    case "metadata.lastRefreshTime": user.lastRefreshTime.map(JSON.string)
    case passwordTime: user.passwordUpdateTime.map(JSON.integer)
    default:
      .array(
        identities(of: user) {
          ExactString($0) == ExactString(String(name.dropFirst(identity.count)))
        })
    }
  }

  /// The identities at providers, without what the provider last said of the user, and in no order of time.
  private static func identities(
    of user: UserRecord, where isMeant: (String) -> Bool
  ) -> [JSON] {
    // Password and phone are fields of the account, which an export does not list here.
    user.providerData.filter { !["password", "phone"].contains($0.providerID) }
      .filter { isMeant($0.providerID) }
      .map { "\($0.providerID) \($0.uid)" }.sorted().map(JSON.string)
  }
}

extension Operation {
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
      [(uid, AccountField.own + ["metadata.lastSignInTime", "metadata.lastRefreshTime"])]
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

extension Preconditions {
  /// Removes what an earlier row of the plan changes, which the row finds changed when it runs.
  mutating func remove(changedBy claims: PlanClaims, before row: Int64) {
    for (uid, fields) in accounts {
      let kept = fields.filter { name, _ in
        !Self.claims(on: name, of: uid.string).contains { claims.isTaken($0, before: row) }
      }
      accounts[uid] = kept.isEmpty ? nil : kept
    }
    absent.removeAll { claims.isTaken(Self.claim(on: $0), before: row) }
  }

  /// The claims of operations that may change a field.
  private static func claims(on field: String, of uid: String) -> [PlanClaim] {
    switch field {
    case "disabled", "customClaims": [.whole(uid: uid), .field(uid: uid, name: field)]
    // Links, e-mail addresses and passwords change several of the other fields.
    default: [.whole(uid: uid), .part(uid: uid)]
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
  /// - Parameter answer: The script's answer: `read` has the fields that it read, `expect` the values that it expects
  ///   of accounts, and `onChange` is `ignore` if nothing else is to be compared.
  /// - Throws: A fault with the code `notAsExpected` if an account does not have an expected value.
  func preconditions(
    of operations: [Operation], _ answer: JSONObject
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
      made.add(values.keys, of: user)
    }
    guard answer["onChange"] == nil else { return made }
    for identifier in asked {
      let users = known[AccountKey(identifier)] ?? []
      if users.isEmpty, !operations.contains(where: { $0.creates(identifier) }) {
        made.add(absent: identifier)
      }
      for user in users { made.add(AccountField.names(of: identifier), of: user) }
    }
    for entry in answer["read"]?.array ?? [] {
      guard let user = user(entry["uid"]?.string) else { continue }
      let names = (entry["fields"]?.array ?? []).compactMap(\.string)
      made.add(names.flatMap(AccountField.names(read:)), of: user)
    }
    for (uid, fields) in operations.flatMap(\.dependencies) {
      if let user = user(uid) { made.add(fields, of: user) }
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
