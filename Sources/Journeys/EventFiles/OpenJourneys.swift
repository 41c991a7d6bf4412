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
