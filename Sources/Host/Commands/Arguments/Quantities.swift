/// Parses option values that are quantities.
public enum Quantity {
  /// A duration: `1.5`, `500ms`, `2s`, `5m`, `1h`; in seconds without a unit.
  public static func time(_ text: String, _ option: String) throws(UsageError) -> Duration {
    let units: [(String, Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("", 1)]
    for (unit, factor) in units where text.hasSuffix(unit) {
      let digits = text.dropLast(unit.count)
      guard let number = Double(digits), number.isFinite, number > 0, number * factor <= 31_536_000
      else { continue }
      return .microseconds(Int64(number * factor * 1e6))
    }
    throw UsageError("\(option) takes a time such as 500ms, 2s or 5m, not '\(text)'")
  }

  /// A memory size of at least 64 KiB: `65536`, `64K`, `32M`, `1G`; units are powers of 1024.
  public static func bytes(_ text: String, _ option: String) throws(UsageError) -> Int {
    let units: [(String, Int)] = [("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30), ("", 1)]
    for (unit, factor) in units where text.uppercased().hasSuffix(unit) {
      guard let number = Int(text.dropLast(unit.count)), number > 0, number < 1 << 30 else {
        continue
      }
      let (bytes, overflow) = number.multipliedReportingOverflow(by: factor)
      if !overflow, bytes >= 64 << 10 { return bytes }
    }
    throw UsageError("\(option) takes an amount such as 32M or 1G, at least 64K, not '\(text)'")
  }

  /// A number in a range; nil if the option is not given.
  public static func count(
    _ text: String?, _ option: String, _ range: ClosedRange<Int>
  ) throws(UsageError) -> Int? {
    guard let text else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        "\(option) takes a number from \(range.lowerBound) to \(range.upperBound), "
          + "not '\(text)'")
    }
    return number
  }

  /// A TCP port; 0 for any free one.
  public static func port(_ text: String, _ option: String) throws(UsageError) -> UInt16 {
    guard let port = UInt16(text) else {
      throw UsageError("\(option) takes a port between 0 and 65535, not '\(text)'")
    }
    return port
  }
}
