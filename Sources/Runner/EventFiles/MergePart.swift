/// The events of one file on their way into those of a whole run.
struct MergePart {
  private let file: EventFile
  /// Milliseconds this run began after the earliest.
  private let delay: Double
  /// When its last event was, by the clock of the whole.
  let last: Double
  /// How the run of the file ended, by the clock of the whole.
  private(set) var end: RunEnd

  init(_ file: EventFile, delay: Double) {
    self.file = file
    self.delay = delay
    last = (file.events.map(\.at).max() ?? 0) + delay
    end = file.end ?? RunEnd(duration: last - delay, counts: [:], exit: 130, wasInterrupted: true)
    end.duration += delay
  }

  /// The events between beginning and end, each with the time by which it is to be sorted.
  ///
  /// An exchange has the time when its request began, and stands where it ended: so it is sorted by
  /// that of the events before it.
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
