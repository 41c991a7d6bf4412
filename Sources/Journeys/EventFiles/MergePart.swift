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
