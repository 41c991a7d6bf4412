/// One event of a run; every report and trace is made from these.
///
/// Secrets are already removed: they are replaced where an event is created.
struct RunEvent: Sendable {
  /// What happened, with its details.
  enum Kind: Sendable {
    case runStart(RunStart)
    case fileStart(FileStart)
    case fileEnd(FileEnd)
    case journeyStart(JourneyStart)
    case stepStart(StepStart)
    case stepEnd(StepEnd)
    case exchange(ExchangeEvent)
    case page(PageEvent)
    case assert(AssertEvent)
    case log(LogEvent)
    case journeyEnd(JourneyEnd)
    case journeyResult(JourneyResult)
    case runEnd(RunEnd)
  }

  /// Milliseconds since the run began; for an exchange, when its request began.
  let at: Double
  /// The journey it belongs to; nil for events of the whole run or of a file.
  let place: EventSource?
  /// What happened, with its details.
  let kind: Kind

  /// Creates an event.
  init(at: Double, place: EventSource? = nil, _ kind: Kind) {
    self.at = at
    self.place = place
    self.kind = kind
  }
}

/// The journey, attempt and step that an event belongs to.
struct EventSource: Sendable, Equatable {
  /// The journey's id: `FILE > name > name`.
  var journey: String
  /// The attempt, from 1.
  var attempt: Int
  /// The number of the innermost open step; nil outside of steps.
  var step: Int?
}

/// How an attempt ended.
enum AttemptStatus: String, Sendable, CaseIterable {
  case passed, failed, skipped, pending, interrupted
}

/// How a journey ended, over all its attempts.
enum JourneyOutcome: String, Sendable, CaseIterable {
  case passed, failed
  /// Failed first and passed on a retry.
  case flaky
  case skipped, pending, interrupted
}
