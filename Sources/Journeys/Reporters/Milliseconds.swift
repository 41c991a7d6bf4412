/// Formats times for display.
enum Milliseconds {
  /// Returns `0.8 ms`, `12 ms`, `1.24 s` or `3 min 5 s`.
  static func text(_ time: Double) -> String {
    switch time {
    case ..<9.95: "\(fixed(time, digits: 1)) ms"
    case ..<999.5: "\(fixed(time, digits: 0)) ms"
    case ..<59_995: "\(fixed(time / 1000, digits: 2)) s"
    default: "\(Int(time / 60_000)) min \(Int(time / 1000) % 60) s"
    }
  }

  /// Returns seconds with three decimals, as report formats require.
  static func seconds(_ time: Double) -> String { fixed(time / 1000, digits: 3) }

  private static func fixed(_ value: Double, digits: Int) -> String {
    guard value.isFinite, value > 0, value < 1e12 else { return digits == 0 ? "0" : zero(digits) }
    var factor = 1
    for _ in 0..<digits { factor *= 10 }
    let scaled = Int((value * Double(factor)).rounded())
    guard digits > 0 else { return String(scaled) }
    let rest = String(scaled % factor)
    return "\(scaled / factor)." + String(repeating: "0", count: digits - rest.count) + rest
  }

  private static func zero(_ digits: Int) -> String { "0." + String(repeating: "0", count: digits) }
}
