import HTTP
import System

/// A part of the time of a request.
enum LoadPhase: String, CaseIterable, Sendable {
  /// Waiting for a free connection.
  case blocked
  /// Looking the host up, connecting, and TLS; only of requests that opened a connection.
  case connect
  /// From the connection to the first byte of the response.
  case wait
  /// From the first byte of the response to its last.
  case receive

  /// Returns how long it took in milliseconds; nil if it did not happen.
  func duration(in timings: HTTPTimings) -> Double? {
    switch self {
    case .blocked: Double(timings.blocked ?? 0) / 1000
    case .connect:
      timings.connect.map { Double((timings.nameLookup ?? 0) + $0 + (timings.tls ?? 0)) / 1000 }
    case .wait: Double(timings.send + timings.wait) / 1000
    case .receive: Double(timings.receive) / 1000
    }
  }
}

/// Adds up the results of virtual users, in memory independent of the number of requests.
struct LoadTally: Sendable {
  /// More than any journey has steps.
  ///
  /// The limit keeps names made from data from filling the memory.
  private static let mostSubjects = 1000

  var figures: [LoadSubject: LoadFigures] = [:]
  /// The subjects in the order they were first seen.
  var order: [LoadSubject] = []
  /// How often each failure message occurred.
  var errors = FailureCounts(mostMessages: 100)
  /// The same for each journey, and by file for the ends of files.
  var failures: [LoadSubject: FailureCounts] = [:]
  var ends: [String: FailureCounts] = [:]
  /// The totals of all journeys, and of all requests.
  var journeys = LoadFigures()
  /// How late journeys began, after they were due.
  var startDelay = LoadFigures()
  var requests = LoadFigures()
  /// The parts of the time of all requests that got a response.
  var phases: [LoadPhase: LoadFigures] = [:]
  var begun = 0
  /// Journeys that were ended early: at Ctrl-C, or when the time for the end was over.
  var interrupted = 0
  /// The seconds so far; a second is closed when it can no longer change.
  var seconds: [LoadSecond] = []
  var active = 0
  /// Whether seconds keep their histograms, for other agents.
  var keepsHistograms = false

  /// Counts the start of a journey.
  ///
  /// - Parameter now: Milliseconds since the end of the warm-up; nil for a journey of the warm-up.
  mutating func begin(at now: Double?) {
    active += 1
    guard let now else { return }
    begun += 1
    note(now) { $0.begun += 1 }
  }

  /// Counts the end of a journey.
  ///
  /// - Parameters:
  ///   - now: Milliseconds since the end of the warm-up.
  ///   - duration: Milliseconds since the journey began.
  ///   - lateness: Milliseconds by which the journey began late.
  ///   - error: The failure message; nil when the journey passed.
  mutating func end(
    _ journey: LoadSubject, at now: Double, duration: Double, lateness: Double, error: String?
  ) {
    active -= 1
    let hasFailed = error != nil
    journeys.record(duration: duration, lateness: lateness, failed: hasFailed)
    startDelay.record(duration: lateness)
    add(journey, duration, lateness: lateness, hasFailed)
    note(now) { second in
      second.ended += 1
      if hasFailed { second.failed += 1 }
    }
    if let error {
      errors.add(error)
      if failures[journey] != nil || failures.count < Self.mostSubjects {
        failures[journey, default: FailureCounts(mostMessages: 10)].add(error)
      }
    }
  }

  /// Counts a failure at the end of a file as a failed journey.
  mutating func end(_ file: String, failedWith error: String) {
    journeys.fail()
    errors.add(error)
    ends[file, default: FailureCounts(mostMessages: 10)].add(error)
  }

  /// Counts journeys that were due and never began, each after waiting `waited` milliseconds.
  mutating func drop(_ number: UInt64, waited: Double) {
    journeys.drop(number, waited: waited)
  }

  /// Counts the end of a journey without figures: one of the warm-up, or one that was interrupted.
  mutating func leave(wasInterrupted: Bool) {
    active -= 1
    if wasInterrupted { interrupted += 1 }
  }

  mutating func step(
    _ name: String, of journey: LoadSubject, duration: Double, failed: Bool
  ) {
    add(LoadSubject(step: name, of: journey), duration, failed)
  }

  mutating func request(
    _ endpoint: String, at now: Double, duration: Double, failed: Bool, timings: HTTPTimings? = nil
  ) {
    requests.record(duration: duration, failed: failed)
    if let timings {
      for phase in LoadPhase.allCases {
        guard let duration = phase.duration(in: timings) else { continue }
        phases[phase, default: LoadFigures()].record(duration: duration)
      }
    }
    add(LoadSubject(.endpoint, endpoint), duration, failed)
    note(now) { second in
      second.requests += 1
      if failed { second.failedRequests += 1 }
      second.histogram.record(duration)
    }
  }

  private mutating func add(
    _ subject: LoadSubject, _ duration: Double, lateness: Double = 0, _ failed: Bool
  ) {
    var subject = subject
    if figures[subject] == nil {
      if order.count >= Self.mostSubjects { subject = LoadSubject(subject.kind, "others") }
      if figures[subject] == nil { order.append(subject) }
    }
    figures[subject, default: LoadFigures()]
      .record(duration: duration, lateness: lateness, failed: failed)
  }

  private mutating func note(_ now: Double, _ change: (inout LoadSecond) -> Void) {
    let number = max(0, Int(now / 1000))
    while seconds.count <= number {
      // No count arrives later than this: ends are recorded at once.
      if seconds.count >= 2 { seconds[seconds.count - 2].close(keepsHistogram: keepsHistograms) }
      seconds.append(LoadSecond(second: seconds.count))
    }
    change(&seconds[number])
    seconds[number].active = active
  }
}

/// How often each failure message occurred; the rest counts as one message.
struct FailureCounts: Sendable {
  let mostMessages: Int
  private var counts: [String: UInt64] = [:]

  init(mostMessages: Int) { self.mostMessages = mostMessages }

  mutating func add(_ message: String, times: UInt64 = 1) {
    let isKnown = counts[message] != nil || counts.count < mostMessages
    counts[isKnown ? message : "other failures", default: 0] += times
  }

  var total: UInt64 { counts.values.reduce(0, +) }

  /// The messages with their counts, most frequent first.
  var sorted: [(key: String, value: UInt64)] {
    counts.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
  }

  /// The same as lines.
  var text: String { sorted.map { "\($0.value) x \($0.key)" }.joined(separator: "\n") }
}

/// The counts of one second of a load run.
struct LoadSecond: Sendable {
  /// The latencies that a plot shows, in milliseconds.
  struct Latency: Sendable, Equatable {
    var p50 = 0.0
    var p95 = 0.0
    var p99 = 0.0
    var max = 0.0

    init(_ histogram: Histogram) {
      p50 = histogram.value(at: 50)
      p95 = histogram.value(at: 95)
      p99 = histogram.value(at: 99)
      max = histogram.longest
    }
  }

  /// The start of this second, in seconds since the start of the run.
  let second: Int
  /// Journeys that began, ended, and failed.
  var begun = 0
  var ended = 0
  var failed = 0
  /// Requests that ended, and those that failed (no response, or a server error).
  var requests = 0
  var failedRequests = 0
  /// Virtual users with a journey at the end of this second.
  var active = 0
  /// Latencies of the requests that ended in this second; emptied by `close`.
  var histogram = Histogram()
  private var closed: Latency?
  /// The histogram of a closed second, encoded, for other agents.
  private var kept: JSON?

  init(second: Int) { self.second = second }

  var latency: Latency { closed ?? Latency(histogram) }

  /// The histogram, also of a closed second that kept it.
  var wholeHistogram: Histogram { kept.flatMap(Histogram.init(part:)) ?? histogram }

  /// Replaces the histogram by its percentiles, because an hour has many seconds.
  ///
  /// - Parameter keepsHistogram: Whether the encoded histogram, which is much smaller, is kept.
  mutating func close(keepsHistogram: Bool) {
    guard closed == nil else { return }
    closed = latency
    if keepsHistogram { kept = histogram.part }
    histogram = Histogram()
  }

  /// Closes a second with a histogram of several agents, and keeps it encoded.
  mutating func close(with histogram: Histogram) {
    closed = Latency(histogram)
    kept = histogram.part
    self.histogram = Histogram()
  }

  var json: JSON {
    let latency = latency
    return [
      "at": .integer(Int64(second) * 1000), "begun": .integer(Int64(begun)),
      "ended": .integer(Int64(ended)), "failed": .integer(Int64(failed)),
      "requests": .integer(Int64(requests)), "failedRequests": .integer(Int64(failedRequests)),
      "active": .integer(Int64(active)), "p50": .number(latency.p50.shortened),
      "p95": .number(latency.p95.shortened), "p99": .number(latency.p99.shortened),
      "max": .number(latency.max.shortened),
    ]
  }
}
