internal import System
internal import OIDC
internal import Storage

/// Writes changes to a state file, and makes them durable before they are acknowledged.
///
/// Stores report rows as they change. Settings, keys and the clock are compared at the commit. Used on the emulator's
/// loop only.
final class StateRecorder {
  private let file: StateFile
  private unowned let context: EmulatorContext
  private var changedProjects: [ExactString: Project] = [:]
  private var hashings = HashingTable()
  private var recordedKeys: Set<SigningKeys.Purpose> = []
  private var recordedAdvance: Int64 = 0
  private var lastSequence: Int64 = 0
  /// The failure after which nothing is written or acknowledged any more.
  private(set) var failure: Problem?

  init(file: StateFile, context: EmulatorContext) {
    self.file = file
    self.context = context
  }

  // MARK: Changes

  func put(_ record: JSONObject, in collection: String, key: String) {
    guard failure == nil else { return }
    file.put(collection, key: key, value: JSON.object(record).encodedBytes())
  }

  func remove(_ key: String, in collection: String) {
    guard failure == nil else { return }
    file.delete(collection, key: key)
  }

  func removeAll(from prefix: String) {
    guard failure == nil else { return }
    file.deleteAll(inCollectionsFrom: prefix)
  }

  /// Marks the project's settings to be written by the next commit.
  func changed(_ project: Project) {
    changedProjects[ExactString(project.id)] = project
  }

  /// A new highest number: of accounts with the same address, the one saved last is found by it.
  func nextSequence() -> Int64 {
    lastSequence += 1
    return lastSequence
  }

  /// The number of a hashing method, whose parameters are written once for all its hashes.
  func number(of hashing: PasswordHashing) -> Int64 {
    let (number, isNew) = hashings.number(of: hashing)
    if isNew { put(hashing.wire, in: StatePath.hashings.name, key: String(number)) }
    return number
  }

  // MARK: Committing

  /// Makes all changes durable; without changes it costs next to nothing.
  func commit() throws(Problem) {
    if let failure { throw failure }
    writeKeys()
    if context.clock.advance != recordedAdvance {
      recordedAdvance = context.clock.advance
      put(["advance": .integer(recordedAdvance)], in: StatePath.emulator.name, key: "clock")
    }
    for project in changedProjects.values {
      put(project.record(in: self), in: StatePath.projects.name, key: project.id)
    }
    changedProjects.removeAll()
    do throws(JournalError) {
      try file.commit()
    } catch {
      let failure = Problem(error.message, hint: error.hint)
      self.failure = failure
      throw failure
    }
  }

  private func writeKeys() {
    guard context.keys.count != recordedKeys.count else { return }
    for (purpose, key) in context.keys.all where recordedKeys.insert(purpose).inserted {
      put(
        ["pem": .string(key.privatePEM.reveal())], in: StatePath.keys.name, key: purpose.name)
    }
  }

  /// Closes the file; nothing is acknowledged afterwards.
  func close() {
    if failure == nil {
      failure = Problem("the emulator has been stopped", hint: "start another one")
    }
    file.close()
  }

  // MARK: Loading

  /// Records what the file has already, so that it is not written again.
  func restore(_ loaded: LoadedState) {
    hashings = loaded.hashings
    recordedKeys = loaded.keys
    recordedAdvance = loaded.advance
    lastSequence = loaded.lastSequence
  }

  func forEach(_ body: (StateRow) throws -> Void) throws {
    try file.forEach(body)
  }
}

/// A store's collection in the state file, to which the store reports each change at once.
///
/// The changes of a request become durable with the commit before its response.
struct CollectionWriter {
  let recorder: StateRecorder
  /// The name of the collection; it ends with a slash, so that no name is a prefix of another.
  let collection: String

  func put(_ record: JSONObject, under key: String) {
    recorder.put(record, in: collection, key: key)
  }

  func remove(_ key: String) {
    recorder.remove(key, in: collection)
  }

  func removeAll() {
    recorder.removeAll(from: collection)
  }
}

/// The failures that an acknowledged change survives.
public enum StateDurability: String, Sendable, CaseIterable {
  /// A crash of the process, `kill -9` included.
  case processDeath
  /// Power loss too: each response waits until its changes are on the disk.
  case powerLoss

  var journal: Durability {
    switch self {
    case .processDeath: .processDeath
    case .powerLoss: .powerLoss
    }
  }
}

/// A value that can be stored in a state file.
protocol Recorded {
  /// All fields of the value; those that are nil are absent.
  var record: JSONObject { get }

  /// Reads a value back; nil when the record is malformed.
  init?(record: JSONObject)
}

extension JSONObject {
  mutating func set(_ key: String, _ value: Int64?) {
    if let value { self[key] = .integer(value) }
  }

  /// Sets `key` to true, or leaves it out when `value` is false.
  mutating func flag(_ key: String, _ value: Bool) {
    if value { self[key] = true }
  }
}

/// The names of the collections in a state file.
///
/// Ids are percent-encoded, so that an id with a slash cannot form another name.
enum StatePath: Equatable {
  /// The state of the whole emulator: its clock.
  case emulator
  case keys
  /// The parameters of password hashes, by number.
  case hashings
  /// The settings that differ from the initial ones, by project.
  case projects
  case tenants(project: String)
  case store(Store, project: String, tenant: String?)

  enum Store: String, CaseIterable {
    case accounts, sessions, codes, verifications, proofs, outbox
  }

  /// The common prefix of the names of a tenant's collections, or of a project's when `tenant` is nil.
  static func prefix(project: String, tenant: String?) -> String {
    let start = "projects/\(PercentEncoding.encode(project))/"
    guard let tenant else { return start }
    return "\(start)tenants/\(PercentEncoding.encode(tenant))/"
  }

  var name: String {
    switch self {
    case .emulator: "emulator/"
    case .keys: "keys/"
    case .hashings: "hashings/"
    case .projects: "projects/"
    case .tenants(let project): "\(Self.prefix(project: project, tenant: nil))tenants/"
    case .store(let store, let project, let tenant):
      "\(Self.prefix(project: project, tenant: tenant))\(store.rawValue)/"
    }
  }

  /// The inverse of `name`; nil for an unknown name.
  init?(name: String) {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false).map {
      PercentEncoding.decode(String($0)) ?? ""
    }
    switch (parts.count, parts[0]) {
    case (2, "emulator"): self = .emulator
    case (2, "keys"): self = .keys
    case (2, "hashings"): self = .hashings
    case (2, "projects"): self = .projects
    case (4, "projects") where parts[2] == "tenants": self = .tenants(project: parts[1])
    case (4, "projects"):
      guard let store = Store(rawValue: parts[2]) else { return nil }
      self = .store(store, project: parts[1], tenant: nil)
    case (6, "projects") where parts[2] == "tenants":
      guard let store = Store(rawValue: parts[4]) else { return nil }
      self = .store(store, project: parts[1], tenant: parts[3])
    default: return nil
    }
  }
}
