import System

/// The JSON form of an event in an event file; `docs/events.schema.json` describes each member.
extension RunEvent {
  /// The names of all events.
  static let names = [
    "run.start", "file.start", "journey.start", "step.start", "http", "page", "attachment",
    "page.console", "page.request", "assert", "log", "step.end", "journey.end", "journey.result",
    "file.end", "run.end",
  ]

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
    case .attachment: "attachment"
    case .console: "page.console"
    case .request: "page.request"
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
    case .attachment(let attachment): attachment.write(to: &members)
    case .console(let line): line.write(to: &members)
    case .request(let request): request.write(to: &members)
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
    case "attachment": kind = .attachment(try AttachmentEvent(fields))
    case "page.console": kind = .console(try ConsoleEvent(fields))
    case "page.request": kind = .request(try PageRequestEvent(fields))
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
    guard let journey = try fields.stringIfAny("journey") else { return nil }
    if case .journeyResult(let result) = kind {
      self.init(journey: journey, attempt: result.attempts)
      return
    }
    self.init(
      journey: journey, attempt: try fields.integer("attempt"),
      step: try fields.integerIfAny("step"))
  }
}

extension JourneyStart {
  func write(to members: inout EventMembers) {
    members.set("worker", worker)
    members.set("file", file)
    members.set("line", line)
    members.set("name", name)
    members.set("tags", tags)
    if sharesLine { members.set("sharesLine", true) }
  }

  init(_ fields: EventFields) throws(EventProblem) {
    self.init(
      worker: try fields.integer("worker"), file: try fields.string("file"),
      line: try fields.integer("line"), name: try fields.strings("name"),
      tags: try fields.strings("tags"), sharesLine: try fields.boolIfAny("sharesLine") ?? false)
  }
}

extension JourneyEnd {
  func write(to members: inout EventMembers) {
    members.set("status", status.rawValue)
    members.set(milliseconds: "duration", duration)
    members.set("failures", failures)
    members.set("willRetry", willRetry)
    members.set("reason", reason)
  }

  init(_ fields: EventFields) throws(EventProblem) {
    self.init(
      status: try fields.choice("status"), duration: try fields.number("duration"),
      failures: try fields.readers("failures").map(Failure.init),
      willRetry: try fields.bool("willRetry"),
      reason: try fields.stringIfAny("reason"))
  }
}

extension JourneyResult {
  func write(to members: inout EventMembers) {
    members.set("outcome", outcome.rawValue)
    members.set("attempts", attempts)
  }

  init(_ fields: EventFields) throws(EventProblem) {
    self.init(outcome: try fields.choice("outcome"), attempts: try fields.integer("attempts"))
  }
}

extension StepStart {
  func write(to members: inout EventMembers) {
    members.set("parent", parent)
    members.set("name", name)
    members.set("where", source)
  }

  init(_ fields: EventFields) throws(EventProblem) {
    self.init(
      parent: try fields.integerIfAny("parent"), name: try fields.string("name"),
      source: try fields.stringIfAny("where"))
  }
}

extension StepEnd {
  func write(to members: inout EventMembers) {
    members.set("status", status.rawValue)
    members.set(milliseconds: "duration", duration)
  }

  init(_ fields: EventFields) throws(EventProblem) {
    self.init(status: try fields.choice("status"), duration: try fields.number("duration"))
  }
}

extension AssertEvent {
  func write(to members: inout EventMembers) {
    members.set("soft", isSoft)
    members.set("failure", failure.json)
  }

  init(_ fields: EventFields) throws(EventProblem) {
    self.init(
      isSoft: try fields.bool("soft"), failure: try Failure(try fields.reader("failure")))
  }
}

extension LogEvent {
  func write(to members: inout EventMembers) {
    members.set("level", level.rawValue)
    members.set("text", text)
  }

  init(_ fields: EventFields) throws(EventProblem) {
    self.init(level: try fields.choice("level"), text: try fields.string("text"))
  }
}

extension PageEvent {
  func write(to members: inout EventMembers) {
    members.set("from", from.rawValue)
    members.set("to", to.rawValue)
    members.set("action", action)
    members.set("detail", detail)
    members.set("provider", provider)
  }

  init(_ fields: EventFields) throws(EventProblem) {
    self.init(
      from: try fields.choice("from"), to: try fields.choice("to"),
      action: try fields.string("action"), detail: try fields.string("detail"),
      provider: try fields.stringIfAny("provider"))
  }
}

extension Failure {
  var json: JSON {
    var members = EventMembers()
    members.set("kind", kind.rawValue)
    members.set("message", message)
    members.set("code", code)
    members.set("hint", hint)
    members.set("file", file)
    members.set("line", line)
    members.set("source", source)
    members.set("expression", expression)
    members.set("expected", expected)
    members.set("actual", actual)
    members.set("diff", diff)
    members.set("steps", steps)
    members.set("traceback", traceback)
    members.set("exchanges", JSON.array(exchanges.map { .integer(Int64($0)) }))
    return .object(members.object)
  }

  init(_ fields: EventFields) throws(EventProblem) {
    self.init(
      kind: try fields.choice("kind"), message: try fields.string("message"),
      code: try fields.stringIfAny("code"), hint: try fields.stringIfAny("hint"),
      file: try fields.stringIfAny("file"), line: try fields.integerIfAny("line"),
      source: try fields.stringIfAny("source"),
      expression: try fields.stringIfAny("expression"),
      expected: try fields.stringIfAny("expected"),
      actual: try fields.stringIfAny("actual"), diff: try fields.strings("diff"),
      steps: try fields.strings("steps"), traceback: try fields.strings("traceback"),
      exchanges: try fields.listIfAny("exchanges", of: .integer) { $0.integer.map { Int($0) } }
        ?? [])
  }
}
