internal import System
internal import OIDC
internal import Storage

/// Reads a state file into a new emulator.
///
/// An unreadable row stops the start. If it were skipped, its data would be lost.
struct LoadedState {
  private(set) var hashings = HashingTable()
  private(set) var keys: Set<SigningKeys.Purpose> = []
  private(set) var advance: Int64 = 0
  private(set) var lastSequence: Int64 = 0
  /// Accounts are collected first, because they must be restored in the order of their last save.
  private var accounts: [(sequence: Int64, account: Account, backend: Backend)] = []
  /// The last collection; rows of one collection usually follow each other.
  private var latest: (name: String, path: StatePath, backend: Backend?)?

  private struct Unreadable: Error {
    let collection: String
  }

  /// Restores all rows of the recorder's file.
  static func read(_ recorder: StateRecorder, into projects: Projects) throws -> LoadedState {
    var state = LoadedState()
    try recorder.forEach { row in try state.take(row, projects) }
    state.accounts.sort { $0.sequence < $1.sequence }
    state.lastSequence = state.accounts.last?.sequence ?? 0
    for entry in state.accounts { entry.backend.accounts.restore(entry.account) }
    state.accounts = []
    state.latest = nil
    return state
  }

  /// The error message; it has no contents of the row.
  static func error(_ error: any Error, path: String) -> Problem {
    switch error {
    case let error as JournalError: Problem(error.message, hint: error.hint)
    case let error as Unreadable:
      Problem(
        "\(path) has a row in \(error.collection) that this luath cannot read",
        hint: "use the luath that wrote it, or another file")
    default: Problem("\(path) could not be read: \(error)", hint: "use another file")
    }
  }

  private mutating func take(_ row: StateRow, _ projects: Projects) throws {
    let collection = try collection(row, projects)
    guard
      // Settings are stored as they were received, inside a record.
      let json = try? JSON.parse(row.value, maximumDepth: ScriptValue.maximumDepth + 16),
      let record = json.object,
      take(record, row.key, collection.path, collection.backend, projects)
    else { throw Unreadable(collection: row.collection) }
  }

  private mutating func collection(
    _ row: StateRow, _ projects: Projects
  ) throws -> (path: StatePath, backend: Backend?) {
    if let latest, latest.name == row.collection { return (latest.path, latest.backend) }
    guard let path = StatePath(name: row.collection) else {
      throw Unreadable(collection: row.collection)
    }
    var backend: Backend?
    if case .store(_, let project, let tenant) = path {
      backend = projects[project].restoredBackend(tenant: tenant)
    }
    latest = (row.collection, path, backend)
    return (path, backend)
  }

  private mutating func take(
    _ record: JSONObject, _ key: String, _ path: StatePath, _ backend: Backend?,
    _ projects: Projects
  ) -> Bool {
    switch path {
    case .emulator:
      guard key == "clock", let seconds = record["advance"]?.integer else { return false }
      advance = seconds
      // An offset that was set for this run wins.
      let clock = projects.main.context.clock
      if clock.advance == 0 { clock.restore(advance: seconds) }
    case .keys:
      guard let purpose = SigningKeys.Purpose(name: key), let pem = record["pem"]?.string,
        let signer = try? SigningKey(pem: Secret(pem))
      else { return false }
      keys.insert(purpose)
      projects.main.context.keys.adopt(signer, for: purpose)
    case .hashings:
      guard let number = Int64(key), let hashing = try? PasswordHashing(wire: record) else {
        return false
      }
      hashings.restore(hashing, number: number)
    case .projects: return projects[key].restore(record)
    case .tenants(let project):
      guard record != Tenant.deletedRecord else {
        projects[project].restoreDeletedTenant(key)
        return true
      }
      guard let tenant = Tenant(id: key, record: record) else { return false }
      projects[project].restore(tenant)
    case .store(let store, _, _):
      guard let backend else { return false }
      return take(record, key, store, backend)
    }
    return true
  }

  private mutating func take(
    _ record: JSONObject, _ key: String, _ store: StatePath.Store, _ backend: Backend
  ) -> Bool {
    switch store {
    case .accounts:
      guard let account = Account(uid: key, record: record, hashing: { hashings[$0] }) else {
        return false
      }
      accounts.append((record["sequence"]?.integer ?? 0, account, backend))
    case .sessions: return backend.sessions.restore(record, token: key)
    case .codes:
      guard let code = OutOfBandCode(record: record) else { return false }
      backend.codes.restore(code, under: key)
    case .verifications:
      guard let code = VerificationCode(record: record) else { return false }
      backend.verifications.restore(code, under: key)
    case .proofs:
      guard let proof = TemporaryProof(record: record) else { return false }
      backend.proofs.restore(proof, under: key)
    case .outbox:
      guard let message = SentMessage(record: record) else { return false }
      return backend.outbox.restore(message, under: key)
    }
    return true
  }
}

/// The password hashing methods of a state's accounts, by number.
///
/// There are few: one for each project and one for each kind of import.
struct HashingTable {
  private var entries: [(number: Int64, hashing: PasswordHashing)] = []
  private var lastNumber: Int64 = 0

  var isEmpty: Bool { entries.isEmpty }

  /// The parameters of each method, by number.
  var record: JSONObject {
    JSONObject(entries.map { (String($0.number), .object($0.hashing.wire)) })
  }

  subscript(number: Int64) -> PasswordHashing? {
    entries.last { $0.number == number }?.hashing
  }

  /// The number of a hashing method, and whether it was newly assigned.
  mutating func number(of hashing: PasswordHashing) -> (number: Int64, isNew: Bool) {
    // Start with the newest: accounts of one import follow each other.
    if let known = entries.last(where: { $0.hashing == hashing }) { return (known.number, false) }
    restore(hashing, number: lastNumber + 1)
    return (lastNumber, true)
  }

  mutating func restore(_ hashing: PasswordHashing, number: Int64) {
    entries.append((number, hashing))
    lastNumber = max(lastNumber, number)
  }
}
