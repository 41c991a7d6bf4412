import System

/// The counts of one journey, step or endpoint under load.
struct LoadFigures: Sendable {
  /// The percentiles that reports show.
  static let percentiles: [(name: String, value: Double)] = [
    ("p50", 50), ("p75", 75), ("p90", 90), ("p95", 95), ("p99", 99), ("p99.9", 99.9),
  ]

  /// The number that failed.
  private(set) var failed: UInt64 = 0
  /// The number that became due and never began.
  private(set) var dropped: UInt64 = 0
  /// Latencies as a user sees them: of journeys in an open model from when they were due, of all else from its begin.
  ///
  /// Journeys that never began are included with the time they waited, which is less than they would have taken.
  private(set) var latency = Histogram()
  /// Latencies from when each actually began.
  private(set) var service = Histogram()

  init() {}

  init(_ latency: Histogram, _ service: Histogram, failed: UInt64, dropped: UInt64) {
    (self.latency, self.service, self.failed, self.dropped) = (latency, service, failed, dropped)
  }

  /// The number that ended, successful or failed.
  var count: UInt64 { service.count }

  /// The share that failed or never began, in percent; 0 when nothing was due.
  var errors: Double { share(failed + dropped) }

  /// The share of due journeys that never began, in percent; 0 when nothing was due.
  var neverBegun: Double { share(dropped) }

  private func share(_ part: UInt64) -> Double {
    latency.count == 0 ? 0 : min(Double(part) / Double(latency.count) * 100, 100)
  }

  /// Records one execution.
  ///
  /// - Parameters:
  ///   - duration: Milliseconds from when it began.
  ///   - lateness: Milliseconds by which a journey began late.
  mutating func record(duration: Double, lateness: Double = 0, failed hasFailed: Bool = false) {
    latency.record(duration + lateness)
    service.record(duration)
    if hasFailed { failed += 1 }
  }

  /// Adds the counts of another agent.
  mutating func add(_ other: LoadFigures) {
    failed += other.failed
    dropped += other.dropped
    latency.add(other.latency)
    service.add(other.service)
  }

  /// Counts a failure outside of journeys, steps and endpoints.
  mutating func fail() { failed += 1 }

  /// Counts journeys that were due and never began, each after waiting `waited` milliseconds.
  mutating func drop(_ number: UInt64, waited: Double) {
    latency.record(waited, times: number)
    dropped += number
  }

  /// Returns the value that a threshold compares.
  func value(of metric: Threshold.Metric, seconds: Double) -> Double {
    switch metric {
    case .percentile(let percentile): latency.value(at: percentile)
    case .mean: latency.mean
    case .errors: errors
    case .dropped: neverBegun
    case .rate: rate(over: seconds)
    }
  }

  func rate(over seconds: Double) -> Double { seconds > 0 ? Double(count) / seconds : 0 }

  func json(_ subject: LoadSubject, _ name: String, seconds: Double) -> JSON {
    var json: JSONObject = [
      "kind": .string(subject.kind.rawValue), "name": .string(name),
      "count": .integer(Int64(count)), "failed": .integer(Int64(failed)),
      "perSecond": .number(rate(over: seconds).shortened),
      "latency": latency.json, "service": service.json,
      "bars": .array(
        latency.bars.map { .array([.number($0.upTo.shortened), .integer(Int64($0.count))]) }),
    ]
    json["hdr"] = latency.encoded.map(JSON.string)
    json["journey"] = subject.journey.map(JSON.string)
    json["file"] = subject.file.map(JSON.string)
    json["line"] = subject.line.map { .integer(Int64($0)) }
    return .object(json)
  }
}

extension Histogram {
  /// The values that reports show, in milliseconds.
  var json: JSON {
    var json: JSONObject = [
      "min": .number(shortest.shortened), "mean": .number(mean.shortened),
    ]
    for (name, percentile) in LoadFigures.percentiles {
      json[name] = .number(value(at: percentile).shortened)
    }
    json["max"] = .number(longest.shortened)
    return .object(json)
  }
}

extension Double {
  /// Rounded to the microsecond, the precision of the clock.
  var shortened: Double { (self * 1000).rounded() / 1000 }
}
