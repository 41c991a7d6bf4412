public import Encoding

/// How a plan is run.
public struct BatchSettings: Sendable {
  /// How many calls are under way at a time.
  public var concurrency = 64
  /// The most calls a second that change something; nil for as many as the backend bears.
  public var rate: Double?
  /// How many rows may fail before the run ends.
  public var errors = ErrorBudget.unlimited
  /// How often a step is tried.
  public var tries = 8
  /// How long after the claim of a row a call may still arrive that a dead process sent for it.
  public var settleTime = Duration.seconds(1)
  /// How old a look-up may be when a call is made on its word.
  public var imageLifetime = Duration.seconds(5)

  /// The defaults.
  public init() {}
}

/// How many rows may fail before a run ends.
public enum ErrorBudget: Sendable, Equatable {
  /// Any number.
  case unlimited
  /// So many; the next one ends the run.
  case count(Int64)
  /// So much of a hundred of the rows that have ended, judged from the hundredth on.
  case percent(Double)

  /// How many rows must have ended before a percentage says something.
  static let fewest: Int64 = 100

  /// Reads `20` or `1.5%`; nil when it is neither.
  public init?(_ text: String) {
    if text.hasSuffix("%") {
      guard let value = Double(text.dropLast()), value.isFinite, (0...100).contains(value) else {
        return nil
      }
      self = .percent(value)
    } else {
      guard let value = Int64(text), value >= 0 else { return nil }
      self = .count(value)
    }
  }

  /// Whether more rows have failed than may.
  public func isSpent(failed: Int64, of ended: Int64) -> Bool {
    switch self {
    case .unlimited: false
    case .count(let most): failed > most
    case .percent(let most):
      ended >= Self.fewest && Double(failed) * 100 > most * Double(ended)
    }
  }
}

/// What a person tells a run while it goes on.
public enum BatchControl: Sendable, Equatable {
  /// No step begins until it is told to go on.
  case pause
  /// Goes on.
  case resume
  /// Ends what has begun and begins no row.
  case drain
  /// At most so many calls a second that change something; nil lifts the limit.
  case rate(Double?)
  /// So many calls at a time.
  case concurrency(Int)

  /// Reads `pause`, `resume`, `drain`, `rate=200`, `rate=off` or `concurrency=32`; nil when it is none of them.
  public init?(_ text: String) {
    let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
    switch (parts.first, parts.count > 1 ? parts[1] : nil) {
    case ("pause", nil): self = .pause
    case ("resume", nil): self = .resume
    case ("drain", nil): self = .drain
    case ("rate", "off"?): self = .rate(nil)
    case ("rate", let value?):
      guard let rate = Double(value), rate.isFinite, (0.01...1_000_000).contains(rate) else {
        return nil
      }
      self = .rate(rate)
    case ("concurrency", let value?):
      guard let count = Int(value), (1...10_000).contains(count) else { return nil }
      self = .concurrency(count)
    default: return nil
    }
  }
}

/// What happens in a run, for whoever follows it; holds no secrets.
public enum BatchEvent: Sendable {
  /// A step ended; the kind is the operation's name in a plan.
  case step(key: String, kind: String, uid: String?, StepOutcome)
  /// A row ended.
  case row(number: Int64, key: String, RowState, RowFault?)
  /// The backend wants fewer calls: how many a second are made from now on.
  case throttled(rate: Double?)
  /// Somebody told the run something.
  case control(BatchControl)
}

/// How far a run has come.
public struct BatchStatus: Sendable {
  /// Whether rows begin.
  public enum State: String, Sendable {
    case running, paused, draining, ended
  }

  /// Whether rows begin.
  public var state = State.running
  /// Rows and steps, those of earlier runs of the plan included.
  public var tally = BatchTally()
  /// Steps with a call that ended in the last seconds, a second.
  public var rate: Double = 0
  /// Rows that ended in the last seconds, a second.
  public var rowRate: Double = 0
  /// The most calls a second that a person allows.
  public var limit: Double?
  /// The calls a second that throttling has left.
  public var learned: Double?
  /// How often the backend has throttled.
  public var throttles = 0
  /// How many calls may be under way at a time, and how many are.
  public var concurrency = 0
  /// How many calls are under way.
  public var inFlight = 0
  /// The time since the start.
  public var elapsed = Duration.zero
  /// Since when the journal that machines share cannot be reached; nil while it can.
  public var outage: JournalOutage?

  /// Nothing yet.
  public init() {}

  /// Rows that will be worked on, or were: all but those the plan leaves out.
  public var total: Int64 {
    [RowState.waiting, .claimed, .done, .failed].reduce(0) { $0 + (tally.rows[$1] ?? 0) }
  }

  /// Rows that were worked on to their end.
  public var ended: Int64 { (tally.rows[.done] ?? 0) + (tally.rows[.failed] ?? 0) }

  /// How long the rest takes, in seconds, at the rate of the last seconds; nil while nobody knows, as in a pause.
  public var secondsLeft: Double? {
    let left = total - ended
    if left == 0 { return 0 }
    if state == .paused { return nil }
    return rowRate > 0 ? Double(left) / rowRate : nil
  }

  /// As one object, for programs.
  public var json: JSON {
    var rows = JSONObject()
    for state in RowState.allCases { rows[state.rawValue] = .integer(tally.rows[state] ?? 0) }
    var steps = JSONObject()
    for result in StepOutcome.Result.allCases {
      steps[result.rawValue] = .integer(tally.steps[result] ?? 0)
    }
    var object: JSONObject = [
      "state": .string(state.rawValue), "rows": .object(rows), "steps": .object(steps),
      "rate": .number(Self.rounded(rate)), "rowRate": .number(Self.rounded(rowRate)),
      "concurrency": .integer(Int64(concurrency)), "inFlight": .integer(Int64(inFlight)),
      "throttles": .integer(Int64(throttles)),
      "seconds": .number(Self.rounded(elapsed / .seconds(1))),
    ]
    object["secondsLeft"] = secondsLeft.map { .number(Self.rounded($0)) } ?? .null
    object["limit"] = limit.map(JSON.number) ?? .null
    if let outage {
      object["journalAway"] = [
        "since": .string(Timestamp.text(milliseconds: outage.since)),
        "until": .string(Timestamp.text(milliseconds: outage.until)),
      ]
    }
    object["learnedLimit"] = learned.map { .number(Self.rounded($0)) } ?? .null
    return .object(object)
  }

  private static func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}

/// How a run ended.
public struct BatchEnd: Sendable {
  /// What it came to, by all processes that worked on it.
  public var status: BatchStatus
  /// What this process did of it, where others may have worked on it too; nil where none can.
  public var own: BatchTally?
  /// Whether somebody ended it before all rows had.
  public var wasDrained = false
  /// Whether more rows failed than may.
  public var spentErrors = false
  /// Whether the journal has all that was done; what the status counts may not be on record otherwise.
  public var isRecorded = true
  /// What kept it from going on.
  public var problem: BatchProblem?
}
