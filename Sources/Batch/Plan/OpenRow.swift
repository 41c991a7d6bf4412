import Client
import IdentityToolkit
import System

/// A row that is being planned, with the results of its lookups.
final class OpenRow {
  let line: Int64
  let fields: JSONObject?
  var key: String?
  var claims: [PlanClaim] = []
  var expects = Preconditions()
  /// The identifiers that the script has looked up.
  var asked: [UserIdentifier] = []
  /// The accounts found so far, by identifier.
  private(set) var known: [AccountKey: [UserRecord]] = [:]
  /// E-mail addresses that several accounts have, with the uids of these accounts.
  private(set) var sharedEmails: [(String, [String])] = []
  /// Incremented on each restart, so that the results of an earlier attempt's lookups are discarded.
  private(set) var attempt = 0
  var isOver = false

  init(line: Int64, fields: JSONObject?) {
    self.line = line
    self.fields = fields
  }

  var isReadable: Bool { fields != nil }

  func reset() {
    attempt += 1
    known = [:]
    asked = []
    sharedEmails = []
    key = nil
  }

  /// Stores the result of a lookup, also under the uid and identities of the accounts found.
  private func learn(_ identifier: UserIdentifier, _ key: AccountKey, _ users: [UserRecord]) {
    known[key] = users
    if case .email(let email) = identifier, users.count > 1 {
      sharedEmails.append((email, users.map(\.uid)))
    }
    for user in users {
      known[AccountKey(.uid(user.uid))] = [user]
      for info in user.providerData {
        known[AccountKey(.provider(id: info.providerID, uid: info.uid))] = [user]
      }
    }
  }

  /// Looks up the identifiers that the row has not looked up before.
  func find(
    _ identifiers: [UserIdentifier], with lookups: AccountLookups,
    _ done: @escaping (Result<[[UserRecord]], AdminError>) -> Void
  ) {
    let keys = identifiers.map(AccountKey.init)
    var missing: [(identifier: UserIdentifier, key: AccountKey)] = []
    var seen: Set<AccountKey> = []
    for (identifier, key) in zip(identifiers, keys)
    where known[key] == nil && seen.insert(key).inserted {
      missing.append((identifier, key))
    }
    let attempt = attempt
    let finish: (AdminError?) -> Void = { [weak self] error in
      guard let self, self.attempt == attempt else { return }
      if let error { return done(.failure(error)) }
      done(.success(keys.map { self.known[$0] ?? [] }))
    }
    guard !missing.isEmpty else { return finish(nil) }
    var left = missing.count
    var failure: AdminError?
    for (identifier, key) in missing {
      lookups.find(identifier, key) { [weak self] result in
        switch result {
        case .success(let users): self?.learn(identifier, key, users)
        case .failure(let error): failure = failure ?? error
        }
        left -= 1
        if left == 0 { finish(failure) }
      }
    }
  }
}

/// A ring of values for rows with numbers close together, with access by index.
struct RowWindow<Value> {
  private var slots: [(number: Int64, value: Value)?]
  private(set) var count = 0

  /// Creates a window for numbers that are less than `width` apart.
  init(width: Int64) {
    slots = Array(repeating: nil, count: Int(width))
  }

  var isEmpty: Bool { count == 0 }

  /// The numbers that have a value, in ascending order.
  var numbers: [Int64] { slots.compactMap { $0?.number }.sorted() }

  /// The value of a row; set it to nil to remove it.
  subscript(number: Int64) -> Value? {
    get {
      guard let slot = slots[place(of: number)], slot.number == number else { return nil }
      return slot.value
    }
    set {
      let place = place(of: number)
      let known = slots[place].map { $0.number == number } ?? false
      precondition(known || slots[place] == nil || newValue == nil, "rows are too far apart")
      count += (newValue == nil ? 0 : 1) - (known ? 1 : 0)
      if newValue != nil || known { slots[place] = newValue.map { (number, $0) } }
    }
  }

  private func place(of number: Int64) -> Int { Int(number % Int64(slots.count)) }
}
