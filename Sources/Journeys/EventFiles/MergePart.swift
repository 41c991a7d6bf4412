/// One event file during a merge: moves its times, journey ids and worker numbers.
struct MergePart {
  private let file: EventFile
  /// Milliseconds between the start of the earliest run and the start of this one.
  private let delay: Double
  /// The time of the last event, on the merged run's clock.
  let last: Double
  /// The payload of the file's `run.end`, with its duration on the merged run's clock.
  private(set) var end: RunEnd

  init(_ file: EventFile, delay: Double) {
    self.file = file
    self.delay = delay
    last = (file.events.map(\.at).max() ?? 0) + delay
    end = file.end ?? RunEnd(duration: last - delay, counts: [:], exit: 130, wasInterrupted: true)
    end.duration += delay
  }

  /// Returns the events between `run.start` and `run.end`, each with its sort key.
  ///
  /// The time of an exchange is when its request began, but its place in the file is where it
  /// ended. The sort key is therefore the highest time so far.
  func events(
    _ names: inout UniqueNames, _ workers: inout Int
  ) -> [(at: Double, event: RunEvent)] {
    var open = OpenJourneys()
    var made: [(at: Double, event: RunEvent)] = []
    var ids: [String: String] = [:]
    var highest = 0.0
    let first = workers
    for event in file.events {
      switch event.kind {
      case .runStart, .runEnd: continue
      default: break
      }
      highest = max(highest, event.at + delay)
      let moved = moved(event, &ids, &names, first, &workers)
      open.take(moved)
      made.append((highest, moved))
    }
    if file.end == nil {
      made += open.ends(at: highest).map { (highest, $0) }
    }
    return made
  }

  private func moved(
    _ event: RunEvent, _ ids: inout [String: String], _ names: inout UniqueNames, _ first: Int,
    _ workers: inout Int
  ) -> RunEvent {
    var place = event.place
    if let journey = place?.journey {
      let id = ids[journey] ?? names.take(journey)
      ids[journey] = id
      place?.journey = id
    }
    var kind = event.kind
    func moved(_ worker: Int) -> Int {
      workers = max(workers, first + worker)
      return first + worker
    }
    switch event.kind {
    case .fileStart(var start):
      start.worker = moved(start.worker)
      kind = .fileStart(start)
    case .fileEnd(var end):
      end.worker = moved(end.worker)
      kind = .fileEnd(end)
    case .journeyStart(var start):
      start.worker = moved(start.worker)
      kind = .journeyStart(start)
    default: break
    }
    return RunEvent(at: event.at + delay, place: place, kind)
  }
}

/// The properties that all event files of one run share.
struct RunTraits {
  private typealias Trait = (name: String, value: String)

  /// Properties that must be equal in all shards of a run.
  private let firm: [Trait]
  /// Properties that may differ, as in a shard that ran again or on another machine.
  private let loose: [Trait]

  init(_ start: RunStart) {
    var firm = [
      ("repeat", "\(start.repeats)"),
      ("target", start.target.isEmulated ? "an emulator" : "a real project"),
    ]
    if let shard = start.shard {
      firm.append(("shards", "\(shard.count)"))
      firm.append(("--queue", shard.isShared ? "given" : "none"))
    }
    if !Self.hasSeedByChance(start.arguments) { firm.append(("seed", "\(start.seed)")) }
    self.firm = firm
    loose = [
      ("luath", start.luath), ("project", start.target.projectID),
      ("--select", Self.value(of: "--select", in: start.arguments)),
      ("--name", Self.value(of: "--name", in: start.arguments)),
      ("--last-failed", start.arguments.contains("--last-failed") ? "given" : "none"),
      ("shard", start.shard == nil ? "none" : "given"),
    ]
  }

  /// Returns the differences that rule out that both files are shards of one run, as text.
  func contradictions(to other: RunTraits) -> [String] { Self.compare(firm, other.firm) }

  /// Returns all differences, as text.
  func differences(to other: RunTraits) -> [String] {
    Self.compare(firm + loose, other.firm + other.loose)
  }

  private static func compare(_ own: [Trait], _ others: [Trait]) -> [String] {
    own.compactMap { name, value in
      guard let other = others.first(where: { $0.name == name }), other.value != value else {
        return nil
      }
      return "\(name) \(value) instead of \(other.value)"
    }
  }

  /// Whether each machine chose a random seed: `--shuffle` was given without `--seed`.
  private static func hasSeedByChance(_ arguments: [String]) -> Bool {
    arguments.contains("--shuffle")
      && !arguments.contains { $0 == "--seed" || $0.hasPrefix("--seed=") }
  }

  private static func value(of option: String, in arguments: [String]) -> String {
    if let index = arguments.firstIndex(of: option), index + 1 < arguments.count {
      return "'\(arguments[index + 1])'"
    }
    guard let joined = arguments.first(where: { $0.hasPrefix("\(option)=") }) else { return "none" }
    return "'\(joined.dropFirst(option.count + 1))'"
  }
}
