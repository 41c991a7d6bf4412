import Glibc
import Host
import System

/// The record of earlier runs: which journeys failed last, and how long each one takes.
struct RunRecord: Sendable, Equatable {
  /// Why a text is not a valid record.
  struct Problem: Error, Equatable {
    /// What is wrong with it.
    let message: String
  }

  private static let version: Int64 = 1
  /// One year; a longer duration cannot have been written by luath.
  private static let longest = 31_536_000_000.0

  /// The ids of journeys that failed in their last run.
  private(set) var failed: Set<String> = []
  /// The duration of each journey's last passed run in milliseconds, by id.
  private(set) var durations: [String: Double] = [:]

  /// Creates an empty record.
  init() {}

  /// Parses the output of `encoded`.
  init(_ content: [UInt8]) throws(Problem) {
    let json: JSON
    do throws(JSONError) {
      json = try JSON.parse(content)
    } catch {
      throw Problem(message: "it is no JSON: \(error.description)")
    }
    guard let version = json["version"]?.integer else {
      throw Problem(message: "it has no version")
    }
    guard version == Self.version else {
      throw Problem(message: "it is of version \(version), which this luath does not support")
    }
    guard let failed = json["failed"]?.array, let durations = json["durations"]?.object else {
      throw Problem(message: "failed or durations is missing")
    }
    for item in failed {
      guard let id = item.string else { throw Problem(message: "failed has what is no name") }
      self.failed.insert(id)
    }
    for (id, value) in durations.entries {
      guard let duration = value.number, (0...Self.longest).contains(duration) else {
        throw Problem(message: "durations has what is no time")
      }
      self.durations[id] = duration
    }
  }

  /// Records the outcome of a journey after all its attempts.
  ///
  /// - Parameter duration: In milliseconds; ignored for failures, which often end early.
  mutating func note(_ id: String, failed hasFailed: Bool, duration: Double) {
    if hasFailed {
      failed.insert(id)
    } else {
      failed.remove(id)
      if (0...Self.longest).contains(duration) { durations[id] = duration }
    }
  }

  /// Records the outcomes of a run.
  ///
  /// - Parameters:
  ///   - declared: All journeys of the loaded files, also those that did not run.
  ///   - chosen: The journeys that were to run.
  ///   - keepsDurations: Whether to keep the old durations, because another shard that reads the same
  ///     record later must compute the same parts.
  mutating func note(
    _ book: OutcomeBook, declared: [PlannedFile], chosen: [PlannedFile],
    keepsDurations: Bool = false
  ) {
    let before = durations
    defer { if keepsDurations { durations = before } }
    for file in declared where file.failure == nil {
      forget(missingIn: file.script.name, having: Set(file.journeys.map(\.id)))
    }
    let entries = book.entries
    var failures: Set<String> = []
    for journey in chosen.flatMap(\.journeys) {
      guard let entry = entries[journey.id] else { continue }
      // One failed repetition counts as a failure.
      if entry.hasFailed { failures.insert(journey.recordID) }
      note(
        journey.recordID, failed: failures.contains(journey.recordID), duration: entry.duration)
    }
  }

  /// Records the outcomes of a finished run from its events.
  mutating func note(_ events: [RunEvent]) {
    let book = OutcomeBook()
    var repeats = 1
    for event in events {
      book.take(event)
      if case .runStart(let start) = event.kind { repeats = start.repeats }
    }
    var failures: Set<String> = []
    for (id, entry) in book.entries.sorted(by: { $0.key < $1.key }) {
      let id = PlannedJourney.recordID(of: id, repeats: repeats)
      if entry.hasFailed { failures.insert(id) }
      note(id, failed: failures.contains(id), duration: entry.duration)
    }
  }

  /// Removes the journeys of a file that the file no longer declares.
  ///
  /// - Parameters:
  ///   - file: The file, as in the ids.
  ///   - ids: All journeys that it declares now, also those that were not selected.
  mutating func forget(missingIn file: String, having ids: Set<String>) {
    let start = "\(file) > "
    failed = failed.filter { !$0.hasPrefix(start) || ids.contains($0) }
    durations = durations.filter { !$0.key.hasPrefix(start) || ids.contains($0.key) }
  }

  /// Encodes the record; equal records give equal text.
  func encoded() -> [UInt8] {
    // Rounded to microseconds, to keep lines short in version control.
    let times = durations.sorted { $0.key < $1.key }
      .map { ($0.key, JSON.number(($0.value * 1000).rounded() / 1000)) }
    let json = JSON.object(
      JSONObject([
        ("version", .integer(Self.version)),
        ("failed", .array(failed.sorted().map(JSON.string))),
        ("durations", .object(JSONObject(times))),
      ]))
    return json.encodedBytes(pretty: true) + [0x0A]
  }
}

/// The file that keeps the record of earlier runs.
struct RecordFile: Sendable {
  /// The default folder, relative to the working folder.
  private static let folder = ".luath"
  private static let largest = 64 << 20

  /// The absolute path of the file.
  let path: String
  private let isOwn: Bool

  /// Uses a file that the user named, by its absolute path.
  init(path: String) {
    self.path = path
    isOwn = false
  }

  /// Uses the default file in a working folder.
  init(workingFolder: String) {
    path = "\(workingFolder)/\(Self.folder)/tests.json"
    isOwn = true
  }

  /// Reads the record; nil when there is none.
  func read() throws(Problem) -> RunRecord? {
    if isSpecial { throw unreadable("it is no plain file") }
    let content: [UInt8]
    do throws(SystemError) {
      content = try WholeFile.read(path, atMost: Self.largest)
    } catch {
      if error.code == ENOENT || error.code == ENOTDIR { return nil }
      throw unreadable(error.code == EFBIG ? "it is larger than 64 MiB" : error.words)
    }
    do throws(RunRecord.Problem) {
      return try RunRecord(content)
    } catch {
      throw unreadable(error.message)
    }
  }

  /// Whether the path is something other than a regular file.
  private var isSpecial: Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT != S_IFREG
  }

  private func unreadable(_ reason: String) -> Problem {
    Problem(
      "the record of earlier runs in \(path) cannot be used: \(reason)",
      hint: "the run continues without it, and writes it again at its end")
  }

  /// Writes the record atomically.
  func write(_ record: RunRecord) throws(Problem) {
    // Do not replace a device such as /dev/null, and do not block on a pipe.
    if isSpecial { throw unwritable("it is no plain file") }
    if isOwn { try makeFolder() }
    do throws(SystemError) {
      try AtomicFile.write(record.encoded(), to: path, mode: 0o666)
    } catch {
      throw unwritable(error.words)
    }
  }

  /// Creates the folder, with a `.gitignore` that excludes it from version control.
  private func makeFolder() throws(Problem) {
    let folder = String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
    guard mkdir(folder, 0o777) != 0 else {
      if let note = fopen("\(folder)/.gitignore", "wxe") {
        fputs("*\n", note)
        fclose(note)
      }
      return
    }
    guard errno == EEXIST else { throw unwritable(SystemError(errno).words) }
  }

  private func unwritable(_ reason: String) -> Problem {
    Problem(
      "the record of this run cannot be kept in \(path): \(reason)",
      hint: "--last-failed and --shard will ignore this run; --record names another file")
  }
}
