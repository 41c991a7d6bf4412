import Encoding

/// What was counted for one journey, step or endpoint under load.
public struct LoadFigures: Sendable {
  /// The percentiles that reports show.
  static let percentiles: [(name: String, value: Double)] = [
    ("p50", 50), ("p75", 75), ("p90", 90), ("p95", 95), ("p99", 99), ("p99.9", 99.9),
  ]

  /// How many failed.
  public private(set) var failed: UInt64 = 0
  /// Latencies as a user has them: in an open model from when the journey was due.
  public private(set) var latency = Histogram()
  /// Latencies from when each really began.
  public private(set) var service = Histogram()

  /// How many ended, well or not.
  public var count: UInt64 { latency.count }

  /// The part that failed, in per cent; 0 of none.
  public var errors: Double { count == 0 ? 0 : Double(failed) / Double(count) * 100 }

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

  /// The value that a threshold is about.
  func value(of metric: Threshold.Metric, seconds: Double) -> Double {
    switch metric {
    case .percentile(let percentile): latency.value(at: percentile)
    case .mean: latency.mean
    case .errors: errors
    case .rate: rate(over: seconds)
    }
  }

  func rate(over seconds: Double) -> Double { seconds > 0 ? Double(count) / seconds : 0 }

  func json(_ subject: LoadSubject, seconds: Double) -> JSON {
    var json: JSONObject = [
      "kind": .string(subject.kind.rawValue), "name": .string(subject.name),
      "count": .integer(Int64(count)), "failed": .integer(Int64(failed)),
      "perSecond": .number(rate(over: seconds).shortened),
      "latency": Self.json(latency), "service": Self.json(service),
      "bars": .array(
        latency.bars.map { .array([.number($0.upTo.shortened), .integer(Int64($0.count))]) }),
    ]
    json["journey"] = subject.journey.map(JSON.string)
    return .object(json)
  }

  private static func json(_ histogram: Histogram) -> JSON {
    var json: JSONObject = [
      "min": .number(histogram.shortest.shortened), "mean": .number(histogram.mean.shortened),
    ]
    for (name, percentile) in percentiles {
      json[name] = .number(histogram.value(at: percentile).shortened)
    }
    json["max"] = .number(histogram.longest.shortened)
    return .object(json)
  }
}

extension Double {
  /// To the microsecond, which is all that clocks tell.
  var shortened: Double { (self * 1000).rounded() / 1000 }
}
