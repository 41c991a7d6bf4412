import Encoding
import Scripting

/// What earlier runs left for later ones: which journeys failed last, and how long each takes.
public struct RunRecord: Sendable, Equatable {
  /// Why a text is no record.
  public struct Problem: Error, Equatable {
    /// What is wrong with it.
    public let message: String
  }

  private static let version: Int64 = 1
  /// A year: what claims to have taken longer was not written by us.
  private static let longest = 31_536_000_000.0

  /// The journeys that failed when they ran last, by their ids.
  public private(set) var failed: Set<String> = []
  /// How long each journey took when it passed last, in milliseconds, by their ids.
  public private(set) var durations: [String: Double] = [:]

  /// Makes a record of nothing.
  public init() {}

  /// Reads what `encoded` wrote.
  public init(_ content: [UInt8]) throws(Problem) {
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
      throw Problem(message: "it is of version \(version), which this luath does not know")
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

  /// Notes how a journey ended after all its attempts.
  ///
  /// - Parameter duration: What it took in milliseconds; of failures, which often end early, nothing
  ///   is learned.
  public mutating func note(_ id: String, failed hasFailed: Bool, duration: Double) {
    if hasFailed {
      failed.insert(id)
    } else {
      failed.remove(id)
      if (0...Self.longest).contains(duration) { durations[id] = duration }
    }
  }

  /// Notes what came of the journeys of a run.
  ///
  /// - Parameters:
  ///   - declared: All journeys of the files that were loaded, also those that did not run.
  ///   - chosen: Those that were to run.
  ///   - keepsDurations: Whether durations stay as they were: another shard that reads the same
  ///     record later must find the same parts.
  public mutating func note(
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
      // One failure among several repetitions is a failure.
      if entry.hasFailed { failures.insert(journey.recordID) }
      note(
        journey.recordID, failed: failures.contains(journey.recordID), duration: entry.duration)
    }
  }

  /// Forgets journeys of a file that the file no longer has.
  ///
  /// - Parameters:
  ///   - file: The file as ids begin with it.
  ///   - ids: All journeys that it declares now, also those that were not selected.
  public mutating func forget(missingIn file: String, having ids: Set<String>) {
    let start = "\(file) > "
    failed = failed.filter { !$0.hasPrefix(start) || ids.contains($0) }
    durations = durations.filter { !$0.key.hasPrefix(start) || ids.contains($0.key) }
  }

  /// The record as a file has it: the same text for the same record.
  public func encoded() -> [UInt8] {
    // Microseconds say enough, and keep lines of a file that is kept under version control short.
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
