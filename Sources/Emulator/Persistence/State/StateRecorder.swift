internal import System
internal import Storage
internal import OIDC

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
