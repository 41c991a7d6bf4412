import System

/// A limit that a load run must meet, such as `p95<300ms`, `signUp:errors<=1%` or `p95<=base+10%`.
struct Threshold: Sendable, Equatable, CustomStringConvertible {
  /// The compared value.
  enum Metric: Sendable, Equatable {
    /// A percentile of the latency, in milliseconds.
    case percentile(Double)
    /// The mean latency in milliseconds.
    case mean
    /// The share that failed or never began, in percent.
    case errors
    /// The share of due journeys that never began, in percent.
    case dropped
    /// The number per second.
    case rate
  }

  enum Comparison: String, CaseIterable {
    // The longer operators first, because each begins with a shorter one.
    case atMost = "<="
    case atLeast = ">="
    case below = "<"
    case above = ">"
  }

  /// The step or endpoint; nil for whole journeys.
  let subject: String?
  /// The compared value.
  let metric: Metric
  /// The limit in milliseconds, in percent, or per second.
  private(set) var limit: Double
  /// The change in percent since an earlier run that the limit allows; nil for a limit of its own.
  ///
  /// Until `resolved` sets it, there is no limit.
  let change: Double?
  /// The threshold as the user wrote it.
  let description: String
  let comparison: Comparison

  /// Parses `[NAME:]METRIC<VALUE`.
  init(_ text: String) throws(Problem) {
    description = text
    guard let (left, comparison, right) = Self.split(text) else {
      throw Problem(
        "the threshold '\(text)' has none of < <= > >=", hint: Self.examples)
    }
    var name = left[...]
    if let colon = left.lastIndex(of: ":") {
      subject = String(left[..<colon])
      name = left[left.index(after: colon)...]
    } else {
      subject = nil
    }
    guard let metric = Self.metric(String(name)) else {
      throw Problem(
        "there is no figure '\(name)' in the threshold '\(text)'",
        hint: "there are p50 to p99.99, min, max, mean, errors, dropped and rate; \(Self.examples)")
    }
    change = Self.change(right)
    guard let limit = change ?? Self.limit(String(right), of: metric) else {
      throw Problem(
        "'\(right)' is no limit for \(name) in the threshold '\(text)'",
        hint: Self.examples)
    }
    guard metric != .dropped || subject == nil else {
      throw Problem(
        "dropped is a figure of all journeys, not of '\(subject ?? "")'",
        hint: "which journey it was to be is open when none begins; such as dropped<1%")
    }
    self.metric = metric
    self.comparison = comparison
    self.limit = limit
  }

  private static let examples = "such as p95<300ms, errors<1%, rate>=50 or 'sign in:p99<1s'"

  /// Returns the threshold with its limit from an earlier run.
  func resolved(_ base: LoadBase) throws(Problem) -> Threshold {
    guard let change else { return self }
    var resolved = self
    resolved.limit = try base.limit(of: self, change: change)
    return resolved
  }

  /// Parses `base`, `base+10%` or `base-5%`; nil for another text.
  private static func change(_ text: String) -> Double? {
    guard text.hasPrefix("base") else { return nil }
    let change = text.dropFirst(4).filter { $0 != " " }
    if change.isEmpty { return 0 }
    guard change.hasSuffix("%"), let sign = change.first, "+-".contains(sign),
      let number = Double(change.dropLast()), number.isFinite
    else { return nil }
    return number
  }

  /// Whether a value meets the limit.
  func isMet(by value: Double) -> Bool {
    switch comparison {
    case .atMost: value <= limit
    case .atLeast: value >= limit
    case .below: value < limit
    case .above: value > limit
    }
  }

  /// Splits at the last operator, because step names may contain operators.
  private static func split(_ text: String) -> (String, Comparison, String)? {
    guard let sign = text.lastIndex(where: { "<>=".contains($0) }) else { return nil }
    for comparison in Comparison.allCases {
      let end = text.index(after: sign)
      guard
        let start = text.index(
          end, offsetBy: -comparison.rawValue.count, limitedBy: text.startIndex),
        text[start..<end] == comparison.rawValue
      else { continue }
      return (trimmed(text[..<start]), comparison, trimmed(text[end...]))
    }
    return nil
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return String(text)
  }

  private static func metric(_ name: String) -> Metric? {
    switch name {
    case "min": return .percentile(0)
    case "max": return .percentile(100)
    case "mean": return .mean
    case "errors": return .errors
    case "dropped": return .dropped
    case "rate": return .rate
    default:
      guard name.first == "p", name.dropFirst().first?.isNumber == true,
        let percentile = Double(name.dropFirst()), (0...100).contains(percentile)
      else { return nil }
      return .percentile(percentile)
    }
  }

  private static func limit(_ text: String, of metric: Metric) -> Double? {
    let units: [(String, Double)] =
      switch metric {
      case .percentile, .mean: [("us", 0.001), ("ms", 1), ("s", 1000), ("m", 60_000)]
      case .errors, .dropped: [("%", 1)]
      case .rate: [("/s", 1), ("", 1)]
      }
    for (unit, factor) in units where text.hasSuffix(unit) {
      guard let number = Double(text.dropLast(unit.count)), number.isFinite, number >= 0 else {
        continue
      }
      return number * factor
    }
    return nil
  }
}
