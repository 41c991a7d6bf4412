internal import System
import Glibc

/// The delay of a response, in milliseconds.
enum Latency: Sendable, Equatable {
  case fixed(Double)
  /// Uniformly distributed between the two values.
  case uniform(Double, Double)
  /// A normal distribution with this mean and standard deviation, cut off at zero.
  case normal(mean: Double, deviation: Double)
  /// The long tail of real services: half the delays are below `p50`, 99 of 100 below `p99`.
  case longTail(p50: Double, p99: Double)

  /// The longest delay; no client waits longer.
  private static let longest = 600_000.0

  func sample(_ random: inout SeededRandom) -> Double {
    let value: Double =
      switch self {
      case .fixed(let milliseconds): milliseconds
      case .uniform(let low, let high): low + (high - low) * random.unit()
      case .normal(let mean, let deviation): mean + deviation * Self.gaussian(&random)
      // 2.326 is the 99th percentile of the standard normal distribution.
      case .longTail(let p50, let p99): p50 * exp(log(p99 / p50) / 2.326 * Self.gaussian(&random))
      }
    return min(Self.longest, max(0, value))
  }

  /// A number from the standard normal distribution (Box and Muller, 1958).
  private static func gaussian(_ random: inout SeededRandom) -> Double {
    // `unit()` is below one, so the argument of the logarithm is never zero.
    (-2 * log(1 - random.unit())).squareRoot() * cos(2 * .pi * random.unit())
  }

  /// Reads `200`, `{min, max}`, `{mean, deviation}` or `{p50, p99}`.
  init(json: JSON) throws(ConfigurationError) {
    func fail() -> ConfigurationError {
      ConfigurationError(
        path: ["latency"],
        message: "must be milliseconds, or a table of two: "
          + "min and max, mean and deviation, or p50 and p99",
        hint: "such as: latency = { p50 = 40, p99 = 900 }")
    }
    if let milliseconds = json.number, (0...Self.longest).contains(milliseconds) {
      self = .fixed(milliseconds)
      return
    }
    guard let object = json.object, object.count == 2 else { throw fail() }
    func pair(_ first: String, _ second: String) -> (Double, Double)? {
      guard let a = object[first]?.number, let b = object[second]?.number, a >= 0, b >= 0,
        a <= Self.longest, b <= Self.longest
      else { return nil }
      return (a, b)
    }
    if let (low, high) = pair("min", "max"), low <= high {
      self = .uniform(low, high)
    } else if let (mean, deviation) = pair("mean", "deviation") {
      self = .normal(mean: mean, deviation: deviation)
    } else if let (p50, p99) = pair("p50", "p99"), p50 > 0, p99 >= p50 {
      self = .longTail(p50: p50, p99: p99)
    } else {
      throw fail()
    }
  }

  var json: JSON {
    switch self {
    case .fixed(let milliseconds): .number(milliseconds)
    case .uniform(let low, let high): ["min": .number(low), "max": .number(high)]
    case .normal(let mean, let deviation):
      ["mean": .number(mean), "deviation": .number(deviation)]
    case .longTail(let p50, let p99): ["p50": .number(p50), "p99": .number(p99)]
    }
  }
}
