import Encoding
import Scripting
import Synchronization

/// Turns what one worker's scripts do into events.
final class AttemptRecorder: RunObserver {
  private struct State {
    var place: EventPlace?
    /// The steps that are open, innermost last, with the time each began.
    var steps: [(number: Int, began: Double)] = []
  }

  let options: JSON
  private let hub: EventHub
  private let board: RunBoard
  private let state = Mutex(State())

  init(_ hub: EventHub, board: RunBoard, options: JSON) {
    self.hub = hub
    self.board = board
    self.options = options
  }

  /// What comes from now on belongs to this attempt; nil for what comes between journeys.
  func begin(_ place: EventPlace?) {
    // A journey that was stopped may have left a name claimed.
    board.letGo(of: self)
    state.withLock { $0 = State(place: place) }
  }

  func emitted(_ kind: String, _ fields: JSON) {
    switch kind {
    case "step.start": beginStep(fields)
    case "step.end": endStep(fields)
    case "assert":
      let failure = Failure(fields["failure"] ?? fields)
      hub.post(
        .assert(AssertEvent(isSoft: fields["soft"]?.bool ?? false, failure: failure)), at: place)
    case "log":
      let level = fields["level"]?.string.flatMap(LogEvent.Level.init) ?? .info
      hub.post(.log(LogEvent(level: level, text: fields["text"]?.string ?? "")), at: place)
    default: break
    }
  }

  func marked(secret: String) {}

  func claim(_ name: String) -> (isHeld: Bool, value: JSON?) { board.claim(name, for: self) }

  func release(_ name: String, _ value: JSON?) { board.release(name, value, of: self) }

  /// The attempt and the innermost step that is open.
  private var place: EventPlace? {
    state.withLock { state in
      var place = state.place
      place?.step = state.steps.last?.number
      return place
    }
  }

  private func beginStep(_ fields: JSON) {
    guard let number = fields["step"]?.integer.map(Int.init) else { return }
    let began = hub.now
    let place = state.withLock { state in
      state.steps.append((number, began))
      var place = state.place
      place?.step = number
      return place
    }
    let start = StepStart(
      parent: fields["parent"]?.integer.map(Int.init), name: fields["name"]?.string ?? "",
      source: fields["where"]?.string)
    hub.post(.stepStart(start), at: place)
  }

  private func endStep(_ fields: JSON) {
    guard let number = fields["step"]?.integer.map(Int.init) else { return }
    let (place, began) = state.withLock { state in
      let index = state.steps.lastIndex { $0.number == number }
      let began = index.map { state.steps.remove(at: $0).began }
      var place = state.place
      place?.step = number
      return (place, began)
    }
    let status = fields["status"]?.string.flatMap(AttemptStatus.init) ?? .passed
    let duration = began.map { hub.now - $0 } ?? 0
    hub.post(.stepEnd(StepEnd(status: status, duration: duration)), at: place)
  }
}
