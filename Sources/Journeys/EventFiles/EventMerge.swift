import System

/// Merges the event files of shards, or of consecutive runs, into the events of one run.
///
/// Times count from the start of the earliest run. A journey id that occurs in several files stays as it is for
/// the first file and gets a number in the others. Journeys that a killed run left open end as interrupted.
struct EventMerge: Sendable {
  /// The merged events, ordered by time.
  let events: [RunEvent]
  /// Missing or duplicate parts, one sentence each; empty when the run is complete.
  let gaps: [String]
  /// Differences that suggest the files belong to different runs, one sentence each.
  let doubts: [String]

  /// Merges event files.
  ///
  /// - Parameter needsAllShards: Whether a single file that is one shard of several counts as a
  ///   gap.
  /// - Throws: `EventFileError` when the files cannot be parts of one run.
  init(_ files: [EventFile], needsAllShards: Bool = true) throws(EventFileError) {
    precondition(!files.isEmpty, "there is always a file to join")
    try Self.checkShards(files)
    let files = Self.withoutRepeated(files)
    let gaps = Self.gaps(files)
    self.gaps = gaps.cuts + (files.count > 1 || needsAllShards ? gaps.shards : [])
    doubts = Self.doubts(files)
    let earliest = files.map { Self.moment($0.start) }.min() ?? 0
    var names = UniqueNames()
    var workers = 0
    var timed: [(at: Double, event: RunEvent)] = []
    var ends: [RunEnd] = []
    var lasts = 0.0
    for file in files {
      let part = MergePart(file, delay: Double(Self.moment(file.start) - earliest))
      timed += part.events(&names, &workers)
      ends.append(part.end)
      lasts = max(lasts, part.last)
    }
    // The sort is stable: events with the same time keep the order of the files.
    let middle = timed.sorted { $0.at < $1.at }.map(\.event)
    let end = Self.end(ends, middle)
    let first = files.count == 1 ? files[0].events[0].at : 0
    let last = max(lasts, timed.map(\.at).max() ?? 0)
    events =
      [RunEvent(at: first, .runStart(Self.start(files, earliest)))] + middle
      + [RunEvent(at: last, .runEnd(end))]
  }

  private static func moment(_ start: RunStart) -> Int64 {
    Timestamp.milliseconds(of: start.started) ?? 0
  }

  /// Throws when several files are not different shards of one run.
  static func requireOneRun(_ files: [EventFile]) throws(EventFileError) {
    guard files.count > 1 else { return }
    var shards: [Int: String] = [:]
    for (index, file) in files.enumerated() {
      guard !files[..<index].contains(where: { $0.name == file.name }) else {
        throw EventFileError(file: file.name, line: nil, message: "it is named twice")
      }
      guard let shard = file.start.shard else {
        throw EventFileError(
          file: file.name, line: nil, message: "it is a whole run, so nothing can be joined to it")
      }
      if let other = shards.updateValue(file.name, forKey: shard.index) {
        throw EventFileError(
          file: file.name, line: nil, message: "it is shard \(shard.index), as \(other) is")
      }
    }
  }

  /// Throws when two shards belong to different runs.
  private static func checkShards(_ files: [EventFile]) throws(EventFileError) {
    let shards = files.filter { $0.start.shard != nil }
    guard let first = shards.first else { return }
    for file in shards.dropFirst() {
      let contradictions = RunTraits(file.start).contradictions(to: RunTraits(first.start))
      guard contradictions.isEmpty else {
        throw EventFileError(
          file: file.name, line: nil,
          message: "it is no shard of the run of \(first.name): "
            + contradictions.joined(separator: ", "))
      }
    }
  }

  private static func doubts(_ files: [EventFile]) -> [String] {
    files.dropFirst().compactMap { file in
      let differences = RunTraits(file.start).differences(to: RunTraits(files[0].start))
      return differences.isEmpty
        ? nil
        : "\(file.name) may be of another run than \(files[0].name): "
          + differences.joined(separator: ", ")
    }
  }

  /// Leaves out the files of killed processes whose journeys the other shards ran again.
  private static func withoutRepeated(_ files: [EventFile]) -> [EventFile] {
    let whole = files.filter { $0.end != nil || $0.start.shard?.isShared != true }
    return whole.isEmpty ? files : whole
  }

  private static func gaps(_ files: [EventFile]) -> (cuts: [String], shards: [String]) {
    var cuts: [String] = []
    for file in files where file.end == nil {
      cuts.append("\(file.name) has no end: its run was killed, and what ran then is interrupted")
    }
    var shards: [String] = []
    let present = files.compactMap(\.start.shard)
    let isShared = present.contains(where: \.isShared)
    if isShared {
      let results = Set(files.flatMap(\.events).compactMap(\.journeyWithResult))
      let missing = (files.map(\.start.journeys).max() ?? 0) - results.count
      if missing > 0 {
        shards.append(
          "\(missing) \(missing == 1 ? "journey has" : "journeys have") no result: "
            + "the file of a shard is missing, or the last one was killed")
      }
    }
    for index in 1...max(present.first?.count ?? 1, 1) where !present.isEmpty {
      let count = present.count { $0.index == index }
      let name = "shard \(index) of \(present[0].count)"
      if count == 0, !isShared { shards.append("\(name) is missing") }
      if count > 1 { shards.append("\(name) is there \(count) times") }
    }
    return (cuts, shards)
  }

  private static func start(_ files: [EventFile], _ earliest: Int64) -> RunStart {
    let all = files.map(\.start)
    guard all.count > 1 else { return all[0] }
    var start = all[0]
    start.started = Timestamp.text(milliseconds: earliest)
    start.shard = nil
    start.jobs = all.reduce(0) { $0 + $1.jobs }
    let journeys = all.map(\.journeys)
    start.journeys =
      all.contains { $0.shard?.isShared == true } ? journeys.max() ?? 0 : journeys.reduce(0, +)
    start.files = all.flatMap(\.files).unique
    start.showsSecrets = all.contains(where: \.showsSecrets)
    start.target.name = all.map(\.target.name).unique.joined(separator: ", ")
    start.target.projectID = all.map(\.target.projectID).unique.joined(separator: ", ")
    start.target.isEmulated = all.allSatisfy(\.target.isEmulated)
    return start
  }

  private static func end(_ ends: [RunEnd], _ events: [RunEvent]) -> RunEnd {
    var counts: [JourneyOutcome: Int] = [:]
    var ended: Set<String> = []
    for event in events {
      guard case .journeyResult(let result) = event.kind else { continue }
      counts[result.outcome, default: 0] += 1
      if let journey = event.place?.journey { ended.insert(journey) }
    }
    return RunEnd(
      duration: ends.map(\.duration).max() ?? 0, counts: counts, exit: exit(ends.map(\.exit)),
      wasInterrupted: ends.contains(where: \.wasInterrupted),
      notRun: ends.flatMap(\.notRun).unique.filter { !ended.contains($0) },
      snapshots: snapshots(ends))
  }

  private static func snapshots(_ ends: [RunEnd]) -> SnapshotSummary? {
    let parts = ends.compactMap(\.snapshots)
    return parts.isEmpty ? nil : parts.reduce(SnapshotSummary(), +)
  }

  /// Returns the most severe exit code; 5 (nothing was selected) only when every file has it.
  private static func exit(_ codes: [Int]) -> Int {
    let gravest = [130, 8, 4, 3, 6, 2, 1].first { codes.contains($0) }
    if let gravest { return gravest }
    return codes.allSatisfy { $0 == 5 } ? 5 : codes.first { $0 != 0 && $0 != 5 } ?? 0
  }
}

extension RunEvent {
  /// The id of the journey whose result this is; nil for other events.
  fileprivate var journeyWithResult: String? {
    if case .journeyResult = kind { place?.journey } else { nil }
  }
}

extension [String] {
  /// The elements in order, without duplicates.
  fileprivate var unique: [String] {
    var seen: Set<String> = []
    return filter { seen.insert($0).inserted }
  }
}

/// Makes names unique: a repeated name gets a number.
struct UniqueNames {
  private var taken: Set<String> = []

  mutating func take(_ name: String) -> String {
    var unique = name
    var number = 2
    while !taken.insert(unique).inserted {
      unique = "\(name) #\(number)"
      number += 1
    }
    return unique
  }
}

/// The journeys, steps and files that have begun and not ended, in the order they began.
struct OpenJourneys {
  private var journeys: [(place: EventSource, isRunning: Bool, began: Double)] = []
  private var steps: [(place: EventSource, began: Double)] = []
  private var files: [(start: FileStart, began: Double)] = []

  mutating func take(_ event: RunEvent) {
    switch event.kind {
    case .fileStart(let start): files.append((start, event.at))
    case .fileEnd(let end):
      files.removeAll { $0.start.file == end.file && $0.start.worker == end.worker }
    default: break
    }
    guard let place = event.place else { return }
    switch event.kind {
    case .journeyStart:
      journeys.removeAll { $0.place.journey == place.journey }
      journeys.append((place, true, event.at))
    case .journeyEnd:
      guard let index = journeys.firstIndex(where: { $0.place.journey == place.journey }) else {
        return
      }
      journeys[index].isRunning = false
    case .journeyResult: journeys.removeAll { $0.place.journey == place.journey }
    case .stepStart: steps.append((place, event.at))
    case .stepEnd: steps.removeAll { $0.place == place }
    default: break
    }
  }

  /// Returns events that end everything open as interrupted, innermost first.
  func ends(at time: Double) -> [RunEvent] {
    var events = steps.reversed().map { step in
      RunEvent(
        at: time, place: step.place,
        .stepEnd(StepEnd(status: .interrupted, duration: time - step.began)))
    }
    for (place, isRunning, began) in journeys {
      if isRunning {
        let end = JourneyEnd(status: .interrupted, duration: time - began)
        events.append(RunEvent(at: time, place: place, .journeyEnd(end)))
      }
      let result = JourneyResult(outcome: .interrupted, attempts: place.attempt)
      events.append(RunEvent(at: time, place: place, .journeyResult(result)))
    }
    events += files.map { file, began in
      RunEvent(
        at: time,
        .fileEnd(FileEnd(file: file.file, worker: file.worker, duration: time - began)))
    }
    return events
  }
}
