import Encoding

/// What was counted for one journey, step or endpoint under load.
public struct LoadFigures: Sendable {
  /// The percentiles that reports show.
  static let percentiles: [(name: String, value: Double)] = [
    ("p50", 50), ("p75", 75), ("p90", 90), ("p95", 95), ("p99", 99), ("p99.9", 99.9),
  ]

  /// How many failed.
  public private(set) var failed: UInt64 = 0
  /// How many were due and never began.
  public private(set) var dropped: UInt64 = 0
  /// Latencies as a user has them: in an open model from when the journey was due.
  ///
  /// Those that never began are here with the time they waited in vain, which is less than they would
  /// have taken.
  public private(set) var latency = Histogram()
  /// Latencies from when each really began.
  public private(set) var service = Histogram()

  /// How many ended, well or not.
  public var count: UInt64 { service.count }

  /// The part that failed or never began, in per cent; 0 of none.
  public var errors: Double { share(failed + dropped) }

  /// The part of what was due that never began, in per cent; 0 of none.
  public var neverBegun: Double { share(dropped) }

  private func share(_ part: UInt64) -> Double {
    latency.count == 0 ? 0 : min(Double(part) / Double(latency.count) * 100, 100)
  }

  /// Counts one.
  ///
  /// - Parameters:
  ///   - duration: Milliseconds from when it began.
  ///   - lateness: Milliseconds by which the journey began late.
  mutating func record(duration: Double, lateness: Double, failed hasFailed: Bool) {
    latency.record(duration + lateness)
    service.record(duration)
    if hasFailed { failed += 1 }
  }

  /// Counts a failure that belongs to none of them.
  mutating func fail() { failed += 1 }

  /// Counts some that were due and never began, all of which waited so many milliseconds.
  mutating func drop(_ number: UInt64, waited: Double) {
    latency.record(waited, times: number)
    dropped += number
  }

  /// The value that a threshold is about.
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

  func json(_ subject: LoadSubject, seconds: Double) -> JSON {
    var json: JSONObject = [
      "kind": .string(subject.kind.rawValue), "name": .string(subject.name),
      "count": .integer(Int64(count)), "failed": .integer(Int64(failed)),
      "perSecond": .number(rate(over: seconds).shortened),
      "latency": latency.json, "service": service.json,
      "bars": .array(
        latency.bars.map { .array([.number($0.upTo.shortened), .integer(Int64($0.count))]) }),
    ]
    json["journey"] = subject.journey.map(JSON.string)
    return .object(json)
  }
}

extension Histogram {
  /// The figures that reports show, in milliseconds.
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
  /// To the microsecond, which is all that clocks tell.
  var shortened: Double { (self * 1000).rounded() / 1000 }
}
