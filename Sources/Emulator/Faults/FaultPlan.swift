internal import System

/// The faults that are active from the start, from a project file or from `--fault`.
public struct FaultPlan: Sendable {
  var faults: [Fault] = []
  /// The seed of all random decisions.
  public var seed: UInt64 = 0

  /// A plan without faults.
  public init() {}

  /// Reads the value of `--fault`: `[OPERATION:]WHAT[=VALUE]`, separated by commas.
  ///
  /// `latency=200ms` and `latency=50ms-2s` delay responses. `503=5%` and `QUOTA_EXCEEDED=10%` return errors.
  /// `drop=1%` and `cut=1%` lose the response after the operation was performed.
  public init(words: String, seed: UInt64) throws(ConfigurationError) {
    self.seed = seed
    for word in words.split(separator: ",", omittingEmptySubsequences: false) {
      faults.append(try Self.fault(String(word)))
    }
  }

  private static func fault(_ word: String) throws(ConfigurationError) -> Fault {
    let unknown = ConfigurationError(
      path: [], message: "'\(word)' is no fault",
      hint: "such as latency=200ms, signUp:503=5%, QUOTA_EXCEEDED=10%, drop=1% or cut=1%")
    var fault = Fault()
    var rest = word[...]
    if let colon = rest.firstIndex(of: ":") {
      guard let operation = APIOperation(rawValue: String(rest[..<colon])) else { throw unknown }
      fault.operation = operation
      rest = rest[rest.index(after: colon)...]
    }
    let parts = rest.split(separator: "=", maxSplits: 1)
    guard let name = parts.first.map(String.init) else { throw unknown }
    let value = parts.count > 1 ? String(parts[1]) : nil
    if name == "latency" {
      guard let value, let latency = latency(value) else { throw unknown }
      fault.latency = latency
      return fault
    }
    guard let rate = value.map(percentage) ?? 1 else { throw unknown }
    fault.rate = rate
    switch name {
    case "drop": fault.delivery = .drop
    case "cut": fault.delivery = .cut(bytes: 20)
    default:
      guard let error = FaultError(name) else { throw unknown }
      fault.error = error
    }
    return fault
  }

  private static func percentage(_ text: String) -> Double? {
    guard text.utf8.last == UInt8(ascii: "%"), let number = Double(text.dropLast()),
      (0...100).contains(number)
    else { return nil }
    return number / 100
  }

  private static func latency(_ text: String) -> Latency? {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map {
      milliseconds(String($0))
    }
    switch ends.count {
    case 1: return ends[0].map { .fixed($0) }
    case 2:
      guard let low = ends[0], let high = ends[1], low <= high else { return nil }
      return .uniform(low, high)
    default: return nil
    }
  }

  private static func milliseconds(_ text: String) -> Double? {
    for (unit, factor) in [("ms", 1.0), ("s", 1000)] where text.hasSuffix(unit) {
      guard let number = Double(text.dropLast(unit.count)), (0...600_000).contains(number * factor)
      else { continue }
      return number * factor
    }
    return nil
  }
}
