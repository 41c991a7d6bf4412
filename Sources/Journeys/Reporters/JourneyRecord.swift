import System

/// What reports need to know about one journey.
struct JourneyRecord {
  struct Attempt {
    var began: Double
    var status: AttemptStatus?
    /// In milliseconds.
    var duration = 0.0
    var failures: [Failure] = []
    var reason: String?
    var logs: [LogEvent] = []
    var attachments: [AttachmentEvent] = []
    var steps: [Step] = []
    /// One line for each recorded exchange, by number.
    var exchanges: [Int: String] = [:]
  }

  struct Step {
    let number: Int
    let parent: Int?
    let name: String
    /// Milliseconds since the run began.
    let began: Double
    var status: AttemptStatus?
    /// In milliseconds.
    var duration = 0.0
  }

  let id: String
  var file: String
  var line: Int?
  /// Whether another journey is declared at the same line.
  var sharesLine = false
  var tags: [String] = []
  /// The number of the worker that ran it.
  var worker: Int?
  /// The names of the enclosing blocks, then the journey's name.
  var name: [String]
  var attempts: [Attempt] = []
  var outcome: JourneyOutcome?

  /// Creates a record from the id alone.
  init(_ id: String) {
    self.id = id
    let parts = id.split(" > ")
    file = parts[0]
    name = parts.count > 1 ? Array(parts.dropFirst()) : parts
  }

  /// Creates a record of a file that does not load, or whose hook at the end failed.
  init(_ end: FileEnd, at: Double) {
    id = end.file
    file = end.file
    name = ["(the file)"]
    line = end.failures.first?.line
    worker = end.worker
    outcome = .failed
    attempts = [
      Attempt(
        began: at - end.duration, status: .failed, duration: end.duration, failures: end.failures)
    ]
  }

  /// Creates a record of a journey that was selected and did not run.
  init(notRun id: String, at: Double) {
    self.init(id)
    outcome = .skipped
    attempts = [Attempt(began: at, status: .skipped, reason: "did not run")]
  }

  /// The names of the enclosing blocks and the journey, with the suffix that makes the id unique: `
  /// (run 2)`, ` #2`.
  var title: String {
    let names = name.joined(separator: " > ")
    let plain = "\(file) > \(names)"
    return id.hasPrefix(plain) ? names + id.dropFirst(plain.count) : names
  }

  /// The duration of all attempts in milliseconds.
  var duration: Double { attempts.reduce(0) { $0 + $1.duration } }

  var reason: String? { attempts.last?.reason }

  var failures: [Failure] { attempts.last?.failures ?? [] }

  /// The attempts with their numbers; consecutive ones that failed in the same way count as one, the first of them.
  var differentAttempts: [(numbers: ClosedRange<Int>, attempt: Attempt)] {
    var groups: [(numbers: ClosedRange<Int>, attempt: Attempt)] = []
    for (index, attempt) in attempts.enumerated() {
      let number = index + 1
      if let last = groups.last, attempt.equals(last.attempt) {
        groups[groups.count - 1].numbers = last.numbers.lowerBound...number
      } else {
        groups.append((number...number, attempt))
      }
    }
    return groups
  }
}

/// Converts the times of events to milliseconds since 1970.
struct EventClock {
  private let began: Int64

  init(_ start: RunStart) { began = Timestamp.milliseconds(of: start.started) ?? 0 }

  /// - Parameter at: Milliseconds since the run began.
  func moment(_ at: Double) -> Int64 { began + Milliseconds.whole(at) }
}

/// Collects the events of each journey; events of concurrent journeys may be interleaved.
struct JourneyRecords {
  private var open: [String: JourneyRecord] = [:]

  /// Records an event; returns the journey when the event is its result.
  mutating func take(_ event: RunEvent) -> JourneyRecord? {
    guard let place = event.place else { return nil }
    var journey = open.removeValue(forKey: place.journey) ?? JourneyRecord(place.journey)
    if case .journeyResult(let result) = event.kind {
      journey.outcome = result.outcome
      return journey
    }
    while journey.attempts.count < place.attempt, journey.attempts.count < 10_000 {
      journey.attempts.append(JourneyRecord.Attempt(began: event.at))
    }
    if case .journeyStart(let start) = event.kind {
      journey.file = start.file
      journey.line = start.line
      journey.name = start.name
      journey.sharesLine = start.sharesLine
      journey.tags = start.tags
      journey.worker = start.worker
    }
    if journey.attempts.indices.contains(place.attempt - 1) {
      journey.attempts[place.attempt - 1].take(event, place)
    }
    open[place.journey] = journey
    return nil
  }

  /// Records an event; returns the tests that it ends, for formats that have nothing but tests.
  ///
  /// Those are a journey, a broken file, and at the end of the run the journeys that did not run.
  mutating func takeTests(_ event: RunEvent) -> [JourneyRecord] {
    switch event.kind {
    case .fileEnd(let end) where !end.failures.isEmpty: [JourneyRecord(end, at: event.at)]
    case .runEnd(let end): end.notRun.map { JourneyRecord(notRun: $0, at: event.at) }
    default: take(event).map { [$0] } ?? []
    }
  }
}

extension JourneyRecord.Attempt {
  fileprivate mutating func take(_ event: RunEvent, _ place: EventSource) {
    switch event.kind {
    case .journeyEnd(let end):
      status = end.status
      duration = end.duration
      failures = end.failures
      reason = end.reason
    case .log(let log): logs.append(log)
    case .attachment(let attachment): attachments.append(attachment)
    case .exchange(let exchange): exchanges[exchange.exchange] = exchange.summary
    case .stepStart(let start):
      guard let number = place.step else { return }
      steps.append(
        JourneyRecord.Step(
          number: number, parent: start.parent, name: start.name, began: event.at))
    case .stepEnd(let end):
      guard let index = steps.lastIndex(where: { $0.number == place.step }) else { return }
      steps[index].status = end.status
      steps[index].duration = end.duration
    default: break
    }
  }
}

extension JourneyRecord.Attempt {
  /// Whether both failed, with the same messages, values and output; durations and exchanges may differ.
  fileprivate func equals(_ other: Self) -> Bool {
    guard status == other.status, !failures.isEmpty, failures.count == other.failures.count,
      logs.map(\.text) == other.logs.map(\.text)
    else { return false }
    return zip(failures, other.failures).allSatisfy { $0.looksLike($1) }
  }
}

extension Failure {
  fileprivate func looksLike(_ other: Failure) -> Bool {
    kind == other.kind && message == other.message && code == other.code && hint == other.hint
      && file == other.file && line == other.line && expression == other.expression
      && expected == other.expected && actual == other.actual && diff == other.diff
      && steps == other.steps && traceback == other.traceback
  }
}

extension ExchangeEvent {
  /// The exchange in one line.
  var summary: String {
    let answer = status.map(String.init) ?? error ?? "no response"
    return "#\(exchange) \(method) \(operation ?? url) → \(answer), \(Milliseconds.text(duration))"
  }
}
