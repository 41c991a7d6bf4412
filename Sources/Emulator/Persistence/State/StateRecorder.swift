internal import Encoding
internal import Journal
internal import OIDC

/// Writes what changes to a state file, and makes it last before anybody hears of it.
///
/// Stores report rows as they change; settings, keys and the clock are compared at the commit. It lives on
/// the emulator's loop.
final class StateRecorder {
  private let file: StateFile
  private unowned let site: Site
  private var changedProjects: [ExactString: Project] = [:]
  private var hashings = HashingTable()
  private var recordedKeys: Set<SigningKeys.Purpose> = []
  private var recordedAdvance: Int64 = 0
  private var lastSequence: Int64 = 0
  /// Why nothing is written or acknowledged any more.
  private(set) var failure: Problem?

  init(file: StateFile, site: Site) {
    self.file = file
    self.site = site
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

  /// Has the project's settings written by the next commit.
  func changed(_ project: Project) {
    changedProjects[ExactString(project.id)] = project
  }

  /// A number above all earlier ones: among accounts of one address the last one saved is found by it.
  func nextSequence() -> Int64 {
    lastSequence += 1
    return lastSequence
  }

  /// The number of a way of hashing, under which it is written once for all its hashes.
  func number(of hashing: PasswordHashing) -> Int64 {
    let (number, isNew) = hashings.number(of: hashing)
    if isNew { put(hashing.wire, in: StatePath.hashings.name, key: String(number)) }
    return number
  }

  // MARK: Committing

  /// Makes everything that changed so far last; without changes it costs next to nothing.
  func commit() throws(Problem) {
    if let failure { throw failure }
    writeKeys()
    if site.clock.advance != recordedAdvance {
      recordedAdvance = site.clock.advance
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
    guard site.keys.count != recordedKeys.count else { return }
    for (purpose, key) in site.keys.all where recordedKeys.insert(purpose).inserted {
      put(
        ["pem": .string(key.privatePEM.reveal())], in: StatePath.keys.name, key: purpose.name)
    }
  }

  /// Gives the file up; nothing is acknowledged afterwards.
  func close() {
    if failure == nil {
      failure = Problem("the emulator has been stopped", hint: "start another one")
    }
    file.close()
  }

  // MARK: Loading

  /// Takes over what the file holds already, so that it is not written again.
  func restore(_ loaded: LoadedState) {
    hashings = loaded.hashings
    recordedKeys = loaded.keys
    recordedAdvance = loaded.advance
    lastSequence = loaded.lastSequence
  }

  /// Shows every row of the file.
  func forEach(_ body: (StateRow) throws -> Void) throws {
    try file.forEach(body)
  }
}
