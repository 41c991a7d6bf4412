import HTTP
import System

/// A histogram of latencies in bounded memory, exact to three digits or half a microsecond.
///
/// The counters are those of an HdrHistogram with three digits: each power of two of microseconds is divided into
/// 1024 equal parts. The range is 1 µs to 71 minutes. A power of two takes 8 KiB when its first value is counted.
struct Histogram: Sendable, Equatable {
  /// The binary logarithm of the number of parts.
  private static let bits = 10
  private static let parts = 1 << bits
  private static let largest: UInt64 = (1 << 32) - 1

  /// The counters, by power of two; empty where nothing was counted.
  private var counts: [[UInt64]] = []
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
    let micros = latency * 1000 >= Double(Self.largest) ? Self.largest : UInt64(latency * 1000)
    shortest = count == 0 ? latency : min(shortest, latency)
    longest = max(longest, latency)
    sum += latency * Double(times)
    add(times, to: Self.slot(of: micros, Self.bits))
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
    for (slot, count) in slots {
      seen += count
      if seen >= rank { return min(max(Self.middle(of: slot), shortest), longest) }
    }
    return longest
  }

  /// Returns how many latencies are at most as long as each of some bounds, in milliseconds and ascending.
  func counts(upTo bounds: [Double]) -> [UInt64] {
    var counts = [UInt64](repeating: 0, count: bounds.count)
    for (slot, count) in slots {
      let milliseconds = Double(Self.start(of: slot, Self.bits)) / 1000
      if let index = bounds.firstIndex(where: { milliseconds <= $0 }) { counts[index] += count }
    }
    var sum: UInt64 = 0
    return counts.map { count in
      sum += count
      return sum
    }
  }

  /// The non-empty parts of a coarser division, for plots, by ascending latency: upper bound in milliseconds, and
  /// count.
  var bars: [(upTo: Double, count: UInt64)] {
    let bits = 6
    var bars: [(slot: Int, count: UInt64)] = []
    for (slot, count) in slots {
      let coarse = Self.slot(of: Self.start(of: slot, Self.bits), bits)
      if bars.last?.slot == coarse {
        bars[bars.count - 1].count += count
      } else {
        bars.append((coarse, count))
      }
    }
    return bars.map { slot, count in
      (Double(Self.start(of: slot, bits) + Self.width(of: slot, bits)) / 1000, count)
    }
  }

  /// The histogram of microseconds in HdrHistogram's compressed encoding V2, as Base64; nil when it is empty.
  ///
  /// Tools of HdrHistogram read it, and add several up without loss.
  var encoded: String? {
    guard count > 0 else { return nil }
    let plain = Zlib.compressed(encoding)
    let whole = [0x1c84_9314, UInt32(plain.count)].flatMap(Self.bytes) + plain
    return Base64.encode(whole)
  }

  /// The histogram of microseconds in HdrHistogram's encoding V2.
  var encoding: [UInt8] {
    var payload: [UInt8] = []
    var next = 0
    for (slot, count) in slots {
      // A negative number is that many counters of zero.
      if slot > next { Self.append(Int64(next - slot), to: &payload) }
      Self.append(Int64(clamping: count), to: &payload)
      next = slot + 1
    }
    let settings: [UInt64] = [1, Self.largest, (1.0).bitPattern]
    let head = [0x1c84_9313, UInt32(payload.count), 0, 3].flatMap(Self.bytes)
    return head + settings.flatMap(Self.bytes) + payload
  }

  init() {}

  /// Reads `encoding`, which has no exact sum and extremes; nil if it is damaged.
  init?(encoding: [UInt8], shortest: Double, longest: Double, sum: Double) {
    guard encoding.count > 40, encoding.starts(with: [0x1c, 0x84, 0x93, 0x13]) else { return nil }
    var slot = 0
    var rest = encoding[40...]
    while !rest.isEmpty {
      guard let number = Self.takeNumber(&rest) else { return nil }
      if number < 0 {
        slot += Int(clamping: number.magnitude)
      } else {
        guard slot < Self.parts * (32 - Self.bits + 1) else { return nil }
        add(UInt64(number), to: slot)
        slot += 1
      }
      if slot > 1 << 32 { return nil }
    }
    (self.shortest, self.longest, self.sum) = (shortest, longest, sum)
  }

  private mutating func add(_ times: UInt64, to slot: Int) {
    if counts.isEmpty { counts = [[UInt64]](repeating: [], count: 32 - Self.bits + 1) }
    let power = slot / Self.parts
    if counts[power].isEmpty { counts[power] = [UInt64](repeating: 0, count: Self.parts) }
    counts[power][slot % Self.parts] += times
    count += times
  }

  /// Adds the counts of another histogram; exact.
  mutating func add(_ other: Histogram) {
    guard other.count > 0 else { return }
    shortest = count == 0 ? other.shortest : min(shortest, other.shortest)
    longest = max(longest, other.longest)
    sum += other.sum
    for (slot, count) in other.slots { add(count, to: slot) }
  }

  /// Takes a number in ZigZag and LEB128; nil if it is cut off.
  private static func takeNumber(_ bytes: inout ArraySlice<UInt8>) -> Int64? {
    var bits: UInt64 = 0
    for index in 0..<9 {
      guard let byte = bytes.popFirst() else { return nil }
      bits |= UInt64(index < 8 ? byte & 0x7F : byte) << UInt64(7 * index)
      if index < 8, byte < 0x80 { break }
    }
    return Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
  }

  private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  /// Appends a number in ZigZag and LEB128; the ninth byte has eight bits.
  private static func append(_ number: Int64, to bytes: inout [UInt8]) {
    var rest = UInt64(bitPattern: number << 1 ^ number >> 63)
    for _ in 0..<8 where rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// The non-empty counters with their numbers, in ascending order.
  private var slots: some Sequence<(slot: Int, count: UInt64)> {
    counts.enumerated().lazy.flatMap { power, counts in
      counts.enumerated().lazy.filter { $0.element > 0 }.map {
        (slot: power * Self.parts + $0.offset, count: $0.element)
      }
    }
  }

  /// The number of the part of a latency, with two to the power of `bits` parts.
  private static func slot(of micros: UInt64, _ bits: Int) -> Int {
    let parts = 1 << bits
    // Up to twice the number of parts, each microsecond has its own slot.
    guard micros >= parts else { return Int(micros) }
    let shift = 63 - micros.leadingZeroBitCount - bits
    return (shift + 1) * parts + Int(micros >> UInt64(shift)) - parts
  }

  private static func width(of slot: Int, _ bits: Int) -> UInt64 {
    slot < 1 << bits ? 1 : 1 << UInt64(slot / (1 << bits) - 1)
  }

  private static func start(of slot: Int, _ bits: Int) -> UInt64 {
    let parts = 1 << bits
    return slot < parts ? UInt64(slot) : UInt64(parts + slot % parts) * width(of: slot, bits)
  }

  private static func middle(of slot: Int) -> Double {
    (Double(start(of: slot, bits)) + Double(width(of: slot, bits)) / 2) / 1000
  }
}
