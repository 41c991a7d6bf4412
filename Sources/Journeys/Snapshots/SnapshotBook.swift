import Host
import Synchronization
import System

/// The snapshots of a run, which its workers share.
final class SnapshotBook: EventSink, Sendable {
  /// What to do with a snapshot that is missing or differs.
  enum Mode: Sendable {
    /// Both fail, as in CI.
    case compare
    /// A missing one is written.
    case writeMissing
    /// Both are written.
    case update

    init(isUpdate: Bool, _ environment: [String: String]) {
      let isCI = !["", "0", "false"].contains(environment["CI"] ?? "")
      self = isUpdate ? .update : isCI ? .compare : .writeMissing
    }
  }

  private struct State {
    var files: [String: Result<SnapshotFile, Problem>] = [:]
    /// The snapshots that journeys compared, by file.
    var used: [String: Set<SnapshotFile.Key>] = [:]
    var summary = SnapshotSummary()
    /// The ids of journeys that ended, and whether all their runs passed.
    var passed: [String: Bool] = [:]
  }

  let wantsExchanges = false
  private let mode: Mode
  private let whole: @Sendable (String) -> String
  private let state = Mutex(State())

  /// - Parameter whole: Returns the absolute path of a script.
  init(_ mode: Mode, whole: @escaping @Sendable (String) -> String) {
    self.mode = mode
    self.whole = whole
  }

  /// Larger snapshots are refused, because nobody can review them.
  static let longest = 1 << 20

  /// Compares a text with its snapshot.
  ///
  /// - Returns: The answer for `luath.runner.snapshot`.
  func compare(_ text: String, _ key: SnapshotFile.Key, of script: String) -> JSON {
    let path = script + SnapshotFile.ending
    guard text.utf8.count <= Self.longest else {
      return ["status": "refused", "message": "a value of more than 1 MiB, at the top"]
    }
    return state.withLock { state in
      state.used[path, default: []].insert(key)
      do throws(Problem) {
        let known = try file(path, &state)[key]
        if known == text { return ["status": "same"] }
        guard known == nil ? mode != .compare : mode == .update else {
          return [
            "status": known == nil ? "missing" : "differs", "name": .string(key.name),
            "file": .string(path), "script": .string(ShellWord.quoted(script)),
            "actual": .string(String(text.dropLast())),
            "expected": .string(String((known ?? "").dropLast())),
          ]
        }
        let changed = try SnapshotFile.change(whole(path), shown: path) { $0[key] = text }
        state.files[path] = .success(changed)
        if known == nil { state.summary.written += 1 } else { state.summary.updated += 1 }
        return ["status": "same"]
      } catch {
        return [
          "status": "problem", "message": .string(error.message), "hint": .string(error.hint),
        ]
      }
    }
  }

  private func file(_ path: String, _ state: inout State) throws(Problem) -> SnapshotFile {
    if let known = state.files[path] { return try known.get() }
    let file = Result { () throws(Problem) in
      try SnapshotFile.read(whole(path), shown: path)
    }
    state.files[path] = file
    return try file.get()
  }

  // MARK: Obsolete snapshots

  func take(_ event: RunEvent) {
    guard case .journeyResult(let result) = event.kind, let journey = event.place?.journey else {
      return
    }
    let isGood = result.outcome == .passed || result.outcome == .flaky
    state.withLock { $0.passed[journey] = isGood }
  }

  func end() {}

  /// Lists the snapshots that no journey uses any more, or removes them when snapshots are updated.
  ///
  /// - Parameters:
  ///   - declared: All journeys of the files that were loaded.
  ///   - chosen: The journeys that were to run, with their repetitions.
  ///   - folders: The folders in which to look for snapshots of journey files that are gone.
  /// - Returns: What could not be read or written.
  func findObsolete(
    declared: [PlannedFile], chosen: [PlannedFile], folders: [String]
  ) -> [Problem] {
    state.withLock { state in
      var problems: [Problem] = []
      for planned in declared where planned.failure == nil {
        let path = planned.script.name + SnapshotFile.ending
        do throws(Problem) {
          let titles = Set(planned.journeys.map(\.recordTitle))
          let finished = Self.finished(chosen, of: planned.script.name, state.passed)
          let used = state.used[path] ?? []
          let keys = try file(path, &state).entries.keys.filter { key in
            !titles.contains(key.journey) || finished.contains(key.journey) && !used.contains(key)
          }
          try drop(Set(keys), in: path, &state)
        } catch {
          // A comparison has reported it, if there was one.
          if state.used[path] == nil { problems.append(error) }
        }
      }
      for path in folders.flatMap(orphans) {
        do throws(Problem) {
          try drop(Set(try file(path, &state).entries.keys), in: path, &state)
        } catch {
          problems.append(error)
        }
      }
      return problems
    }
  }

  /// The journeys of a script that ran and passed in all repetitions, so that they used all their snapshots.
  private static func finished(
    _ files: [PlannedFile], of script: String, _ passed: [String: Bool]
  ) -> Set<String> {
    let ran = files.filter { $0.script.name == script }.flatMap(\.journeys)
    let unfinished = Set(ran.filter { passed[$0.id] != true }.map(\.recordTitle))
    return Set(ran.map(\.recordTitle)).subtracting(unfinished)
  }

  private func drop(
    _ keys: Set<SnapshotFile.Key>, in path: String, _ state: inout State
  ) throws(Problem) {
    guard !keys.isEmpty else { return }
    guard mode == .update else {
      let names = keys.map { "\(path): \($0.journey): \($0.name)" }
      state.summary.obsolete += names.sorted()
      return
    }
    let changed = try SnapshotFile.change(whole(path), shown: path) { file in
      for key in keys { file[key] = nil }
    }
    state.files[path] = .success(changed)
    state.summary.removed += keys.count
  }

  /// The snapshot files in a folder whose journey file is gone.
  private func orphans(in folder: String) -> [String] {
    let names = FolderListing.names(in: whole(folder))
    let known = Set(names)
    return names.filter { name in
      guard name.hasSuffix(SnapshotFile.ending) else { return false }
      let script = String(name.dropLast(SnapshotFile.ending.count))
      return !known.contains(script) && JourneyFiles.endings.contains { script.hasSuffix($0) }
    }.map { folder == "." ? $0 : "\(folder)/\($0)" }
  }

  /// What the run did with its snapshots; nil for nothing.
  var summary: SnapshotSummary? {
    let summary = state.withLock(\.summary)
    return summary == SnapshotSummary() ? nil : summary
  }
}

/// The names of the snapshots that an attempt of a journey compares.
struct AttemptSnapshots: Sendable {
  let script: String
  private let journey: String
  private var used: Set<String> = []
  private var count = 0

  init(_ journey: PlannedJourney) {
    self.journey = journey.recordTitle
    script = journey.file
  }

  /// The key of the next snapshot, which has a number if it has no name; nil if the name was used already.
  mutating func next(_ name: String?) -> SnapshotFile.Key? {
    if name == nil { count += 1 }
    let name = name ?? "\(count)"
    return used.insert(name).inserted ? SnapshotFile.Key(journey: journey, name: name) : nil
  }
}

/// What a run did with its snapshots.
struct SnapshotSummary: Sendable, Equatable {
  /// The number of new snapshots.
  var written = 0
  /// The number of snapshots that were replaced.
  var updated = 0
  /// The number of obsolete snapshots that were removed.
  var removed = 0
  /// The snapshots that no journey uses: file, journey and name.
  var obsolete: [String] = []

  /// The sum of two runs.
  static func + (left: SnapshotSummary, right: SnapshotSummary) -> SnapshotSummary {
    SnapshotSummary(
      written: left.written + right.written, updated: left.updated + right.updated,
      removed: left.removed + right.removed, obsolete: left.obsolete + right.obsolete)
  }

  /// The lines of a summary for a person.
  var lines: [String] {
    let counts = [("written", written), ("updated", updated), ("removed", removed)]
      .filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
    var lines = counts.isEmpty ? [] : ["snapshots: " + counts.joined(separator: ", ")]
    guard !obsolete.isEmpty else { return lines }
    let count = obsolete.count == 1 ? "1 snapshot is" : "\(obsolete.count) snapshots are"
    lines.append("\(count) obsolete; luath test --update-snapshots removes what no journey uses:")
    return lines + obsolete.map { "  \($0)" }
  }
}
