/// Counts of latencies in constant memory, exact to 1 % or half a microsecond, that can be added up.
///
/// As HdrHistogram has it: every power of two of microseconds is divided into equal parts, here 64
/// of them, from 1 µs to 71 minutes; 14 KiB whatever is counted.
public struct Histogram: Sendable, Equatable {
  /// Divisions of a power of two, as a power of two.
  private static let bits = 6
  private static let parts = 1 << bits
  private static let largest: UInt64 = (1 << 32) - 1
  private static let size = parts * (32 - bits + 1)

  private var counts: [UInt64] = []
  /// How many latencies were counted.
  public private(set) var count: UInt64 = 0
  /// Their sum in milliseconds, exactly.
  public private(set) var sum = 0.0
  /// The longest in milliseconds, exactly; 0 of none.
  public private(set) var longest = 0.0
  /// The shortest in milliseconds, exactly; 0 of none.
  public private(set) var shortest = 0.0

  /// Makes an empty histogram, which takes no memory yet.
  public init() {}

  /// The mean in milliseconds; 0 of none.
  public var mean: Double { count == 0 ? 0 : sum / Double(count) }

  /// Counts a latency in milliseconds, once or more often; what is below 0 counts as 0.
  public mutating func record(_ milliseconds: Double, times: UInt64 = 1) {
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

  /// The latency in milliseconds that a part of all does not exceed; 0 of none.
  ///
  /// - Parameter percentile: From 0, the shortest, to 100, the longest.
  public func value(at percentile: Double) -> Double {
    guard count > 0 else { return 0 }
    if percentile <= 0 { return shortest }
    // The nearest rank: the smallest value that at least this many do not exceed.
    let rank = max(1, UInt64((min(percentile, 100) / 100 * Double(count)).rounded(.up)))
    guard rank < count else { return longest }
    var seen: UInt64 = 0
    for slot in counts.indices {
      seen += counts[slot]
      if seen >= rank { return min(max(Self.middle(of: slot), shortest), longest) }
    }
    return longest
  }

  /// What was counted, by ascending latency: the end of each part in milliseconds, and its count.
  public var bars: [(upTo: Double, count: UInt64)] {
    counts.indices.filter { counts[$0] > 0 }.map {
      (Double(Self.start(of: $0) + Self.width(of: $0)) / 1000, counts[$0])
    }
  }

  private static func slot(of micros: UInt64) -> Int {
    // Up to two times the parts, each microsecond has a slot of its own.
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
