/// One thing that happened in a run: what every report, trace and picture is made from.
///
/// Secrets are gone from it already: they are replaced where an event is made.
public struct RunEvent: Sendable {
  /// What happened.
  public enum Kind: Sendable {
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

  /// Milliseconds since the run began; of an exchange, when its request began.
  public let at: Double
  /// Where it belongs; nil for what concerns the whole run or a file.
  public let place: EventPlace?
  /// What happened.
  public let kind: Kind

  /// Describes something that happened.
  public init(at: Double, place: EventPlace? = nil, _ kind: Kind) {
    self.at = at
    self.place = place
    self.kind = kind
  }
}

/// The attempt of a journey, and the step in it, that an event belongs to.
public struct EventPlace: Sendable, Equatable {
  /// The journey's id: `FILE > name > name`.
  public var journey: String
  /// 1 for the first try.
  public var attempt: Int
  /// The number of the innermost step that is open; nil outside of steps.
  public var step: Int?

  /// Describes a place.
  public init(journey: String, attempt: Int, step: Int? = nil) {
    self.journey = journey
    self.attempt = attempt
    self.step = step
  }
}

/// How an attempt ended.
public enum AttemptStatus: String, Sendable, CaseIterable {
  case passed, failed, skipped, pending, interrupted
}

/// How a journey ended, over all its attempts.
public enum JourneyOutcome: String, Sendable, CaseIterable {
  case passed, failed
  /// It failed first and passed when tried again.
  case flaky
  case skipped, pending, interrupted
}
