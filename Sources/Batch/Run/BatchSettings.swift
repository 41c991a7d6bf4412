import System

/// The settings of a run.
struct BatchSettings: Sendable {
  /// The maximum number of concurrent calls.
  var concurrency = 64
  /// The maximum rate of calls that change accounts, by the time of day; nil if the user gave none.
  var rate: RateTimetable?
  /// The second of the day of the wall clock that the timetable follows.
  var secondOfDay: @Sendable () -> Int = RateTimetable.now
  /// The lowest rate of such calls that throttling leads to, per second.
  var slowestRate = RateLimiter.slowest
  /// The number of rows that may fail before the run ends.
  var errors = ErrorBudget.unlimited
  /// The number of rows to begin before the run ends; nil for all.
  var rows: Int?
  /// The maximum number of tries per step.
  var tries = 8
  /// How long a call that a dead process sent for a row may still arrive after this process claims the row.
  var settleTime = Duration.seconds(1)
  /// Maximum age of a lookup that a call may rely on.
  var imageLifetime = Duration.seconds(5)
}

/// The number of rows that may fail before a run ends.
enum ErrorBudget: Sendable, Equatable {
  case unlimited
  /// A maximum number; the next failure ends the run.
  case count(Int64)
  /// A maximum percentage of the ended rows, checked once 100 rows have ended.
  case percent(Double)
  /// The default of a run: 5 % of the ended rows, and 20 rows in any case, so that small batches are not stopped.
  case standard

  /// The minimum number of ended rows for a percentage to be meaningful.
  static let fewest: Int64 = 100

  /// Parses `20`, `1.5%` or `off`; nil for other text.
  init?(_ text: String) {
    if text == "off" {
      self = .unlimited
    } else if text.hasSuffix("%") {
      guard let value = Double(text.dropLast()), value.isFinite, (0...100).contains(value) else {
        return nil
      }
      self = .percent(value)
    } else {
      guard let value = Int64(text), value >= 0 else { return nil }
      self = .count(value)
    }
  }

  /// Whether more rows failed than are allowed.
  func isSpent(failed: Int64, of ended: Int64) -> Bool {
    switch self {
    case .unlimited: false
    case .count(let most): failed > most
    case .percent(let most):
      ended >= Self.fewest && Double(failed) * 100 > most * Double(ended)
    case .standard: failed > 20 && failed * 20 > ended
    }
  }
}

/// A command to a running batch.
enum BatchControl: Sendable, Equatable {
  /// Begin no step until `resume`.
  case pause
  case resume
  /// Begin no further row; finish rows that have begun.
  case drain
  /// Set the maximum rate of calls that change accounts, per second; nil removes the limit.
  case rate(Double?)
  /// Set the maximum number of concurrent calls.
  case concurrency(Int)

  /// Parses `pause`, `resume`, `drain`, `rate=200`, `rate=off` or `concurrency=32`; nil for other text.
  init?(_ text: String) {
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

/// An event of a run, without secrets.
enum BatchEvent: Sendable {
  /// A step ended; `kind` is the operation's name in a plan.
  case step(key: String, kind: String, uid: String?, StepOutcome)
  case row(number: Int64, key: String, RowState, RowFailure?)
  /// The backend throttled calls; `rate` is the new rate in calls per second.
  case throttled(rate: Double?)
  case control(BatchControl)
  /// The timetable or the pace URL holds the run, or no longer; `by` is nil then.
  case held(by: PaceHold?)
}

/// The progress of a run.
struct BatchStatus: Sendable {
  /// The phase of a run.
  enum State: String, Sendable {
    case running, paused, draining, ended
  }

  /// The phase of the run.
  var state = State.running
  /// Why the run is paused.
  var hold: PaceHold?
  /// Rows and steps, including those of earlier runs of the plan.
  var tally = BatchTally()
  /// Steps with a call per second, averaged over the last seconds.
  var rate: Double = 0
  /// Rows ended per second, averaged over the last seconds.
  var rowRate: Double = 0
  /// The limit of the user or the pace URL in calls per second.
  var limit: Double?
  /// The rates of the timetable in the next 24 hours; empty if the rate does not change.
  var spans: [RateTimetable.Span] = []
  /// The current limit after throttling, in calls per second.
  var learned: Double?
  /// The number of throttlings by the backend.
  var throttles = 0
  /// The maximum number of concurrent calls.
  var concurrency = 0
  /// The number of calls in flight.
  var inFlight = 0
  /// The time since the start.
  var elapsed = Duration.zero
  /// The outage of the shared journal's server; nil while it is reachable.
  var outage: JournalOutage?

  /// All rows except those that the plan skips or refuses.
  var total: Int64 {
    ended + (tally.rows[.waiting] ?? 0) + (tally.rows[.claimed] ?? 0)
  }

  var ended: Int64 { (tally.rows[.done] ?? 0) + tally.failed }

  /// The estimated remaining time in seconds, from the recent rate; nil if unknown, such as during a pause.
  var secondsLeft: Double? {
    let left = total - ended
    if left == 0 { return 0 }
    if state == .paused { return nil }
    guard rowRate > 0 else { return nil }
    // A limit that was lowered or learned a moment ago is not in the recent rate yet.
    let allowed = allowed
    let speed = rowRate * min(1, rate > 0 ? allowed / rate : 1)
    guard !spans.isEmpty else { return Double(left) / speed }
    // A run that reaches its limit follows a higher one too; how fast it is without a limit is unknown.
    let isLimited = rate >= 0.8 * allowed
    let speeds = spans.enumerated().map { index, span in
      guard index > 0 else { return speed }
      let most = min(span.rate, learned ?? .infinity)
      return most.isFinite
        ? rowRate * (isLimited ? most / allowed : min(1, rate > 0 ? most / rate : 1)) : rowRate
    }
    return Self.seconds(for: Double(left), spans, speeds)
  }

  /// The calls a second that are allowed now.
  var allowed: Double { min(limit ?? .infinity, learned ?? .infinity) }

  /// How long rows take at the speed of each span, which repeat daily; nil for more than a year.
  private static func seconds(
    for rows: Double, _ spans: [RateTimetable.Span], _ speeds: [Double]
  ) -> Double? {
    var (left, passed) = (rows, 0.0)
    for _ in 0..<366 {
      for (span, speed) in zip(spans, speeds) {
        let most = speed * Double(span.seconds)
        if speed > 0, most >= left { return passed + left / speed }
        left -= most
        passed += Double(span.seconds)
      }
    }
    return nil
  }

  /// The status as a JSON object for programs.
  var json: JSON {
    var object: JSONObject = [
      "state": .string(state.rawValue), "rows": tally.rowsJSON, "steps": tally.stepsJSON,
      "rate": .number(Self.rounded(rate)), "rowRate": .number(Self.rounded(rowRate)),
      "concurrency": .integer(Int64(concurrency)), "inFlight": .integer(Int64(inFlight)),
      "throttles": .integer(Int64(throttles)),
      "seconds": .number(Self.rounded(elapsed / .seconds(1))),
    ]
    object["secondsLeft"] = secondsLeft.map { .number(Self.rounded($0)) } ?? .null
    object["limit"] = limit.map(JSON.number) ?? .null
    object["heldBy"] = hold.map { .string($0.rawValue) }
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

extension BatchTally {
  /// The number of rows in each state, as JSON for programs.
  var rowsJSON: JSON {
    .object(JSONObject(RowState.allCases.map { ($0.rawValue, .integer(rows[$0] ?? 0)) }))
  }

  /// The number of steps with each result, as JSON for programs.
  var stepsJSON: JSON {
    .object(
      JSONObject(StepOutcome.Result.allCases.map { ($0.rawValue, .integer(steps[$0] ?? 0)) }))
  }
}

/// The result of a run.
struct BatchEnd: Sendable {
  /// The final status, including the work of other processes.
  var status: BatchStatus
  /// The counts of this process, if other processes can work on the run too; else nil.
  var own: BatchTally?
  /// Whether the run was drained before all rows were done.
  var wasDrained = false
  /// Whether more rows failed than are allowed.
  var spentErrors = false
  /// Whether the run ended because `BatchSettings.rows` were begun.
  var hasReachedLimit = false
  /// Whether the journal holds all results; if false, the status may count results that were not recorded.
  var isRecorded = true
  /// The error that ended the run.
  var problem: BatchProblem?
}
