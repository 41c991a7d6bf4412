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

  /// Creates an empty histogram, which allocates no memory yet.
  init() {}

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
