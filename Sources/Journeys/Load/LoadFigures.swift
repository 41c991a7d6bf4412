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
  /// Latencies as a user sees them: in an open model, from when the journey was due.
  ///
  /// Journeys that never began are included with the time they waited, which is less than they would have taken.
  private(set) var latency = Histogram()
  /// Latencies from when each actually began.
  private(set) var service = Histogram()

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
  ///   - lateness: Milliseconds by which the journey began late.
  mutating func record(duration: Double, lateness: Double, failed hasFailed: Bool) {
    latency.record(duration + lateness)
    service.record(duration)
    if hasFailed { failed += 1 }
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

/// A histogram of latencies in constant memory, exact to 1 % or half a microsecond.
///
/// Like HdrHistogram: each power of two of microseconds is divided into equal parts, here 64. The
/// range is 1 µs to 71 minutes and the size 14 KiB, however many values are counted.
struct Histogram: Sendable, Equatable {
  /// The binary logarithm of the number of parts.
  private static let bits = 6
  private static let parts = 1 << bits
  private static let largest: UInt64 = (1 << 32) - 1
  private static let size = parts * (32 - bits + 1)

  private var counts: [UInt64] = []
  /// The number of recorded latencies.
  private(set) var count: UInt64 = 0
  /// The exact sum in milliseconds.
  private(set) var sum = 0.0
  /// The exact maximum in milliseconds; 0 when empty.
  private(set) var longest = 0.0
  /// The exact minimum in milliseconds; 0 when empty.
  private(set) var shortest = 0.0

  /// The mean in milliseconds; 0 when empty.
  var mean: Double { count == 0 ? 0 : sum / Double(count) }

  /// Records a latency in milliseconds one or more times; negative values count as 0.
  mutating func record(_ milliseconds: Double, times: UInt64 = 1) {
    guard times > 0 else { return }
    let latency = milliseconds.isFinite ? max(0, milliseconds) : 0
    if counts.isEmpty { counts = [UInt64](repeating: 0, count: Self.size) }
    let micros = latency * 1000 >= Double(Self.largest) ? Self.largest : UInt64(latency * 1000)
    counts[Self.slot(of: micros)] += times
    shortest = count == 0 ? latency : min(shortest, latency)
    longest = max(longest, latency)
    count += times
    sum += latency * Double(times)
  }

  /// Returns a percentile in milliseconds; 0 when empty.
  ///
  /// - Parameter percentile: From 0, the minimum, to 100, the maximum.
  func value(at percentile: Double) -> Double {
    guard count > 0 else { return 0 }
    if percentile <= 0 { return shortest }
    // Nearest rank: the smallest recorded value that at least `rank` values do not exceed.
    let rank = max(1, UInt64((min(percentile, 100) / 100 * Double(count)).rounded(.up)))
    guard rank < count else { return longest }
    var seen: UInt64 = 0
    for slot in counts.indices {
      seen += counts[slot]
      if seen >= rank { return min(max(Self.middle(of: slot), shortest), longest) }
    }
    return longest
  }

  /// The non-empty parts by ascending latency: upper bound in milliseconds, and count.
  var bars: [(upTo: Double, count: UInt64)] {
    counts.indices.filter { counts[$0] > 0 }.map {
      (Double(Self.start(of: $0) + Self.width(of: $0)) / 1000, counts[$0])
    }
  }

  private static func slot(of micros: UInt64) -> Int {
    // Up to twice the number of parts, each microsecond has its own slot.
    guard micros >= parts else { return Int(micros) }
    let shift = 63 - micros.leadingZeroBitCount - bits
    return (shift + 1) * parts + Int(micros >> UInt64(shift)) - parts
  }

  private static func width(of slot: Int) -> UInt64 {
    slot < parts ? 1 : 1 << UInt64(slot / parts - 1)
  }

  private static func start(of slot: Int) -> UInt64 {
    slot < parts ? UInt64(slot) : UInt64(parts + slot % parts) * width(of: slot)
  }

  private static func middle(of slot: Int) -> Double {
    (Double(start(of: slot)) + Double(width(of: slot)) / 2) / 1000
  }
}
