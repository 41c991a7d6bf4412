internal import System

/// The accounts of one project or tenant, indexed by uid, e-mail address, phone number, provider identity and passkey.
struct AccountStore {
  /// A class, so that all indexes share one account and a change moves no other account.
  private final class Row {
    var account: Account
    init(_ account: Account) { self.account = account }
  }

  /// Writes changes to the state file; nil if state is not saved.
  private let shelf: CollectionWriter?
  /// Whether the indexes are as loose as those of Firebase's emulator.
  ///
  /// There a replaced identity still leads to its account, and a value that an account loses is removed from the
  /// index even if another account has it by now.
  private let isLoose: Bool
  private var rows: [ExactString: Row] = [:]
  private var rowByEmail: [ExactString: Row] = [:]
  /// The second and later accounts of an e-mail address; only an import can give an address to several accounts.
  private var furtherRowsByEmail: [ExactString: [Row]] = [:]
  private var rowByInitialEmail: [ExactString: Row] = [:]
  private var rowByPhone: [ExactString: Row] = [:]
  private var rowByIdentity = IdentityTable<Row>()
  private var rowByPasskey: [ExactString: Row] = [:]
  /// By the e-mail address of a linked identity; several accounts may have the same.
  private var rowsByProviderEmail: [ExactString: [Row]] = [:]
  /// The uids in the order of their UTF-16 units; nil until a listing needs it.
  private var sorted: [ExactString]?

  init(on shelf: CollectionWriter?, isLoose: Bool) {
    self.shelf = shelf
    self.isLoose = isLoose
  }

  var count: Int { rows.count }

  subscript(uid uid: String) -> Account? { rows[ExactString(string: uid)]?.account }

  /// The first account that got the address; with loose indexes, the last one.
  subscript(email email: String) -> Account? { rowByEmail[ExactString(string: email)]?.account }

  /// All accounts with the address, in the order in which they got it.
  func accounts(withEmail email: String) -> [Account] {
    let key = ExactString(string: email)
    guard let first = rowByEmail[key] else { return [] }
    return [first.account] + (furtherRowsByEmail[key] ?? []).map(\.account)
  }

  subscript(initialEmail email: String) -> Account? {
    rowByInitialEmail[ExactString(string: email)]?.account
  }

  subscript(phone number: String) -> Account? { rowByPhone[ExactString(string: number)]?.account }

  subscript(identity: IdentityKey) -> Account? {
    guard let row = rowByIdentity[identity] else { return nil }
    // A loose index may lead to a deleted account.
    guard !isLoose || rows[ExactString(string: row.account.uid)] === row else { return nil }
    return row.account
  }

  subscript(passkey id: String) -> Account? { rowByPasskey[ExactString(string: id)]?.account }

  /// The accounts with a linked identity that has the address, in the order in which they got it.
  func accounts(withProviderEmail email: String) -> [Account] {
    (rowsByProviderEmail[ExactString(string: email)] ?? []).map(\.account)
  }

  // MARK: Changes

  /// Stores a new or changed account and updates the indexes.
  ///
  /// `overwriting` replaces an unrelated account that has the same uid: none of its index entries are kept.
  mutating func save(_ account: inout Account, overwriting: Bool = false) {
    account.updateProviders()
    if overwriting, let row = rows[ExactString(string: account.uid)] {
      let blank = Account(uid: account.uid)
      unindex(row, unlessKeptBy: blank)
      row.account = blank
    }
    restore(account)
    guard let shelf else { return }
    var record = account.record(hashing: shelf.recorder.number(of:))
    record["sequence"] = .integer(shelf.recorder.nextSequence())
    shelf.put(record, under: account.uid)
  }

  /// Adds or replaces an account that is already recorded.
  mutating func restore(_ account: Account) {
    let uid = ExactString(string: account.uid)
    if let row = rows[uid] {
      let known = row.account.identities
      unindex(row, unlessKeptBy: account)
      row.account = account
      index(row, knowing: known)
    } else {
      let row = Row(account)
      rows[uid] = row
      sorted = nil
      index(row, knowing: [])
    }
  }

  mutating func remove(uid: String) {
    let uid = ExactString(string: uid)
    guard let row = rows.removeValue(forKey: uid) else { return }
    unindex(row, unlessKeptBy: Account(uid: row.account.uid))
    sorted = nil
    shelf?.remove(uid.string)
  }

  mutating func removeAll() {
    shelf?.removeAll()
    self = AccountStore(on: shelf, isLoose: isLoose)
  }

  private mutating func index(_ row: Row, knowing known: [LinkedIdentity]) {
    let account = row.account
    if let email = account.email { index(row, underEmail: ExactString(string: email)) }
    if let email = account.initialEmail { rowByInitialEmail[ExactString(string: email)] = row }
    if let number = account.phoneNumber { rowByPhone[ExactString(string: number)] = row }
    for passkey in account.passkeys ?? [] {
      rowByPasskey[ExactString(string: passkey.credentialID)] = row
    }
    for identity in account.identities {
      // An identity the account had before may have been linked to another account since.
      if !known.contains(where: { $0.key == identity.key }) { rowByIdentity[identity.key] = row }
      guard let email = identity.email else { continue }
      let key = ExactString(string: email)
      if rowsByProviderEmail[key]?.contains(where: { $0 === row }) != true {
        rowsByProviderEmail[key, default: []].append(row)
      }
    }
  }

  /// Removes index entries for values that `new` lacks, if they still point to this row.
  private mutating func unindex(_ row: Row, unlessKeptBy new: Account) {
    let old = row.account
    if let email = old.email, !sameText(email, new.email) {
      unindex(row, underEmail: ExactString(string: email))
    }
    if let email = old.initialEmail, !sameText(email, new.initialEmail) {
      let key = ExactString(string: email)
      if isLoose || rowByInitialEmail[key] === row { rowByInitialEmail[key] = nil }
    }
    if let number = old.phoneNumber, !sameText(number, new.phoneNumber) {
      let key = ExactString(string: number)
      if isLoose || rowByPhone[key] === row { rowByPhone[key] = nil }
    }
    for passkey in old.passkeys ?? [] {
      let key = ExactString(string: passkey.credentialID)
      if rowByPasskey[key] === row { rowByPasskey[key] = nil }
    }
    let kept = new.identities
    for identity in old.identities {
      unindex(identity, of: row, unlessKeptAmong: kept)
      // An address that stays keeps its place in the order.
      guard let email = identity.email, !kept.contains(where: { sameText(email, $0.email) }) else {
        continue
      }
      let key = ExactString(string: email)
      rowsByProviderEmail[key]?.removeAll { $0 === row }
      if rowsByProviderEmail[key]?.isEmpty == true { rowsByProviderEmail[key] = nil }
    }
  }

  private mutating func unindex(
    _ identity: LinkedIdentity, of row: Row, unlessKeptAmong kept: [LinkedIdentity]
  ) {
    let heir = kept.first { sameText(identity.providerID, $0.providerID) }
    if let heir, isLoose || heir.key == identity.key { return }
    if isLoose || rowByIdentity[identity.key] === row { rowByIdentity[identity.key] = nil }
  }

  private mutating func index(_ row: Row, underEmail key: ExactString) {
    guard !isLoose, let first = rowByEmail[key], first !== row else {
      rowByEmail[key] = row
      return
    }
    guard furtherRowsByEmail[key]?.contains(where: { $0 === row }) != true else { return }
    furtherRowsByEmail[key, default: []].append(row)
  }

  private mutating func unindex(_ row: Row, underEmail key: ExactString) {
    var further = furtherRowsByEmail[key] ?? []
    if isLoose {
      rowByEmail[key] = nil
    } else if rowByEmail[key] === row {
      rowByEmail[key] = further.isEmpty ? nil : further.removeFirst()
    } else {
      further.removeAll { $0 === row }
    }
    furtherRowsByEmail[key] = further.isEmpty ? nil : further
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
        if ScriptOrder.precedes(uid, uids[middle].string) {
          end = middle
        } else {
          start = middle + 1
        }
      }
    }
    return uids[start...].prefix(max(0, limit)).compactMap { rows[$0]?.account }
  }

  private mutating func sortedUIDs() -> [ExactString] {
    if let sorted { return sorted }
    let fresh = rows.keys.sorted { ScriptOrder.precedes($0.string, $1.string) }
    sorted = fresh
    return fresh
  }
}

/// Values by key, listed in the order they were added.
struct OrderedTable<Value: Recorded> {
  /// Writes changes to the state file; nil if state is not saved.
  private let shelf: CollectionWriter?
  private var slots: [ExactString: Int] = [:]
  /// The rows from oldest to newest; a removed row leaves a gap, and `remove` closes gaps when they outnumber rows.
  private var rows: [(key: ExactString, value: Value)?] = []
  /// No row before this index is left.
  private var oldest = 0
  private let limit: Int
  private var sweepAt = 1024

  /// - Parameter limit: The maximum number of values; a further one replaces the oldest.
  init(on shelf: CollectionWriter?, limit: Int) {
    self.shelf = shelf
    self.limit = limit
  }

  var count: Int { slots.count }

  subscript(key: String) -> Value? {
    slots[ExactString(string: key)].flatMap { rows[$0]?.value }
  }

  /// Adds a value at the end, or replaces the value that has the same key.
  mutating func put(_ value: Value, under key: String) {
    restore(value, under: key)
    shelf?.put(value.record, under: key)
    while slots.count > limit {
      // `remove` may close the gaps, and then starts from the beginning.
      if let row = rows[oldest] { remove(row.key.string) } else { oldest += 1 }
    }
  }

  /// Does the same as `put` for a value that is already recorded.
  mutating func restore(_ value: Value, under key: String) {
    let key = ExactString(string: key)
    if let slot = slots[key] {
      rows[slot] = (key, value)
    } else {
      slots[key] = rows.count
      rows.append((key, value))
    }
  }

  @discardableResult
  mutating func remove(_ key: String) -> Value? {
    guard let slot = slots.removeValue(forKey: ExactString(string: key)), let row = rows[slot]
    else { return nil }
    rows[slot] = nil
    if rows.count > 64, slots.count * 2 < rows.count { rebuild(from: rows.compactMap(\.self)) }
    shelf?.remove(key)
    return row.value
  }

  /// Removes stale values, but only if the table has doubled since the last sweep.
  mutating func sweep(where isStale: (Value) -> Bool) {
    guard slots.count >= sweepAt else { return }
    for case let row? in rows where isStale(row.value) { shelf?.remove(row.key.string) }
    rebuild(from: rows.compactMap { row in row.flatMap { isStale($0.value) ? nil : $0 } })
    sweepAt = max(1024, slots.count * 2)
  }

  private mutating func rebuild(from kept: [(key: ExactString, value: Value)]) {
    rows = kept
    oldest = 0
    slots = Dictionary(minimumCapacity: kept.count)
    for (slot, row) in kept.enumerated() { slots[row.key] = slot }
  }

  /// All values, oldest first.
  var all: [Value] { rows.compactMap { $0?.value } }
}
