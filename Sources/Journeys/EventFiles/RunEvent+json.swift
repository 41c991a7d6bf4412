import System

/// The JSON form of an event in an event file; `docs/events.schema.json` describes each member.
extension RunEvent {
  /// The `event` member in an event file.
  var name: String {
    switch kind {
    case .runStart: "run.start"
    case .fileStart: "file.start"
    case .fileEnd: "file.end"
    case .journeyStart: "journey.start"
    case .stepStart: "step.start"
    case .stepEnd: "step.end"
    case .exchange: "http"
    case .page: "page"
    case .assert: "assert"
    case .log: "log"
    case .journeyEnd: "journey.end"
    case .journeyResult: "journey.result"
    case .runEnd: "run.end"
    }
  }

  /// The event as JSON; `event` and `at` come first.
  var json: JSON {
    var members = EventMembers()
    members.set("event", name)
    members.set(milliseconds: "at", at)
    if let place {
      members.set("journey", place.journey)
      // A result covers all attempts.
      if case .journeyResult = kind {
      } else {
        members.set("attempt", place.attempt)
        members.set("step", place.step)
      }
    }
    switch kind {
    case .runStart(let start): start.write(to: &members)
    case .fileStart(let start): start.write(to: &members)
    case .fileEnd(let end): end.write(to: &members)
    case .journeyStart(let start): start.write(to: &members)
    case .stepStart(let start): start.write(to: &members)
    case .stepEnd(let end): end.write(to: &members)
    case .exchange(let exchange): exchange.write(to: &members)
    case .page(let page): page.write(to: &members)
    case .assert(let assert): assert.write(to: &members)
    case .log(let log): log.write(to: &members)
    case .journeyEnd(let end): end.write(to: &members)
    case .journeyResult(let result): result.write(to: &members)
    case .runEnd(let end): end.write(to: &members)
    }
    return .object(members.object)
  }

  /// Reads an event; returns nil for an unknown kind, which a later luath may have added.
  init?(_ fields: EventFields) throws(EventProblem) {
    let kind: Kind
    switch try fields.string("event") {
    case "run.start": kind = .runStart(try RunStart(fields))
    case "file.start": kind = .fileStart(try FileStart(fields))
    case "file.end": kind = .fileEnd(try FileEnd(fields))
    case "journey.start": kind = .journeyStart(try JourneyStart(fields))
    case "step.start": kind = .stepStart(try StepStart(fields))
    case "step.end": kind = .stepEnd(try StepEnd(fields))
    case "http": kind = .exchange(try ExchangeEvent(fields))
    case "page": kind = .page(try PageEvent(fields))
    case "assert": kind = .assert(try AssertEvent(fields))
    case "log": kind = .log(try LogEvent(fields))
    case "journey.end": kind = .journeyEnd(try JourneyEnd(fields))
    case "journey.result": kind = .journeyResult(try JourneyResult(fields))
    case "run.end": kind = .runEnd(try RunEnd(fields))
    default: return nil
    }
    self.init(at: try fields.number("at"), place: try EventSource(fields, kind), kind)
    if isOfAJourney, place == nil { throw EventProblem(message: "'journey' is missing") }
  }

  /// Whether the event requires a journey.
  private var isOfAJourney: Bool {
    switch kind {
    case .journeyStart, .journeyEnd, .journeyResult, .stepStart, .stepEnd, .assert: true
    default: false
    }
  }
}

extension EventSource {
  fileprivate init?(_ fields: EventFields, _ kind: RunEvent.Kind) throws(EventProblem) {
    guard let journey = try fields.optionalString("journey") else { return nil }
    if case .journeyResult(let result) = kind {
      self.init(journey: journey, attempt: result.attempts)
      return
    }
    self.init(
      journey: journey, attempt: try fields.integer("attempt"),
      step: try fields.optionalInteger("step"))
  }
}
