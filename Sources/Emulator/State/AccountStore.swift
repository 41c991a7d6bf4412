internal import Encoding

/// The accounts of one project or tenant, found without a search by uid, e-mail address, phone number or
/// identity at a provider.
struct AccountStore {
  /// A box, so that a change moves no other account.
  private final class Row {
    var account: Account
    init(_ account: Account) { self.account = account }
  }

  /// Where changes are recorded; nil when nothing is to outlive the process.
  private let shelf: Shelf?
  private var rows: [ExactString: Row] = [:]
  private var uidByEmail: [ExactString: ExactString] = [:]
  private var uidByInitialEmail: [ExactString: ExactString] = [:]
  private var uidByPhone: [ExactString: ExactString] = [:]
  private var uidByIdentity: [IdentityKey: ExactString] = [:]
  private var uidByPasskey: [ExactString: ExactString] = [:]
  /// Several accounts may have linked identities of one address.
  private var uidsByProviderEmail: [ExactString: [ExactString]] = [:]
  /// The uids in the order of their UTF-16 units, made when a listing needs it.
  private var sorted: [ExactString]?

  init(on shelf: Shelf?) {
    self.shelf = shelf
  }

  var count: Int { rows.count }

  subscript(uid uid: String) -> Account? { rows[ExactString(string: uid)]?.account }

  subscript(email email: String) -> Account? { account(uidByEmail[ExactString(string: email)]) }

  subscript(initialEmail email: String) -> Account? {
    account(uidByInitialEmail[ExactString(string: email)])
  }

  subscript(phone number: String) -> Account? { account(uidByPhone[ExactString(string: number)]) }

  subscript(identity: IdentityKey) -> Account? { account(uidByIdentity[identity]) }

  subscript(passkey id: String) -> Account? { account(uidByPasskey[ExactString(string: id)]) }

  /// The account whose linked identity, rather than its own record, has the address.
  func account(withProviderEmail email: String) -> Account? {
    account(uidsByProviderEmail[ExactString(string: email)]?.first)
  }

  private func account(_ uid: ExactString?) -> Account? {
    uid.flatMap { rows[$0]?.account }
  }

  // MARK: Changes

  /// Stores an account, new or changed, and brings the indexes up to date.
  mutating func save(_ account: inout Account) {
    account.updateProviders()
    restore(account)
    guard let shelf else { return }
    var record = account.record(hashing: shelf.recorder.number(of:))
    record["sequence"] = .integer(shelf.recorder.nextSequence())
    shelf.put(record, under: account.uid)
  }

  /// Takes an account over that is recorded already.
  mutating func restore(_ account: Account) {
    let uid = ExactString(string: account.uid)
    if let row = rows[uid] {
      unindex(row.account, uid, unlessKeptBy: account)
      row.account = account
    } else {
      rows[uid] = Row(account)
      sorted = nil
    }
    index(account, uid)
  }

  mutating func remove(uid: String) {
    let uid = ExactString(string: uid)
    guard let row = rows.removeValue(forKey: uid) else { return }
    unindex(row.account, uid, unlessKeptBy: Account(uid: row.account.uid))
    sorted = nil
    shelf?.remove(uid.string)
  }

  mutating func removeAll() {
    shelf?.removeAll()
    self = AccountStore(on: shelf)
  }

  private mutating func index(_ account: Account, _ uid: ExactString) {
    if let email = account.email { uidByEmail[ExactString(string: email)] = uid }
    if let email = account.initialEmail { uidByInitialEmail[ExactString(string: email)] = uid }
    if let number = account.phoneNumber { uidByPhone[ExactString(string: number)] = uid }
    for passkey in account.passkeys ?? [] {
      uidByPasskey[ExactString(string: passkey.credentialID)] = uid
    }
    for identity in account.providers where identity.isFederated {
      uidByIdentity[identity.key] = uid
      guard let email = identity.email else { continue }
      let key = ExactString(string: email)
      if uidsByProviderEmail[key]?.contains(uid) != true {
        uidsByProviderEmail[key, default: []].append(uid)
      }
    }
  }

  /// Takes what the old account had and the new one has not out of the indexes, where it is still its own.
  private mutating func unindex(
    _ old: Account, _ uid: ExactString, unlessKeptBy new: Account
  ) {
    if let email = old.email, !Self.same(email, new.email) {
      let key = ExactString(string: email)
      if uidByEmail[key] == uid { uidByEmail[key] = nil }
    }
    if let email = old.initialEmail, !Self.same(email, new.initialEmail) {
      let key = ExactString(string: email)
      if uidByInitialEmail[key] == uid { uidByInitialEmail[key] = nil }
    }
    if let number = old.phoneNumber, !Self.same(number, new.phoneNumber) {
      let key = ExactString(string: number)
      if uidByPhone[key] == uid { uidByPhone[key] = nil }
    }
    for passkey in old.passkeys ?? [] {
      let key = ExactString(string: passkey.credentialID)
      if uidByPasskey[key] == uid { uidByPasskey[key] = nil }
    }
    for identity in old.providers where identity.isFederated {
      if uidByIdentity[identity.key] == uid { uidByIdentity[identity.key] = nil }
      guard let email = identity.email else { continue }
      let key = ExactString(string: email)
      uidsByProviderEmail[key]?.removeAll { $0 == uid }
      if uidsByProviderEmail[key]?.isEmpty == true { uidsByProviderEmail[key] = nil }
    }
  }

  private static func same(_ a: String, _ b: String?) -> Bool {
    b.map { ExactString(string: $0) == ExactString(string: a) } ?? false
  }

  // MARK: Listing

  /// All accounts in the order of their uids.
  mutating func all() -> [Account] {
    sortedUIDs().compactMap { rows[$0]?.account }
  }

  /// Up to `limit` accounts whose uids come after `uid`, in order.
  mutating func page(after uid: String?, limit: Int) -> [Account] {
    let uids = sortedUIDs()
    var start = 0
    if let uid {
      var end = uids.count
      while start < end {
        let middle = (start + end) / 2
        if Self.precedes(uid, uids[middle].string) { end = middle } else { start = middle + 1 }
      }
    }
    return uids[start...].prefix(max(0, limit)).compactMap { rows[$0]?.account }
  }

  private mutating func sortedUIDs() -> [ExactString] {
    if let sorted { return sorted }
    let fresh = rows.keys.sorted { Self.precedes($0.string, $1.string) }
    sorted = fresh
    return fresh
  }

  /// JavaScript's order of strings, which the listings of Firebase's emulator show.
  private static func precedes(_ a: String, _ b: String) -> Bool {
    a.utf16.lexicographicallyPrecedes(b.utf16)
  }
}
