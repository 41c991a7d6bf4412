internal import System
internal import HTTP
internal import IdentityToolkit
internal import Glibc

/// The active faults, with the random numbers that decide when they occur.
///
/// The same seed and the same requests in the same order give the same faults.
struct Faults: Sendable {
  /// The combined effect of all faults on one request.
  struct Strike: Sendable {
    var milliseconds = 0.0
    var error: FaultError?
    var retryAfter: Int?
    var delivery = Delivery.whole
    var isCarriedOut = true
    var revokesTokens = false
    var advancesClock: Int64 = 0
  }

  private struct Armed: Sendable {
    let fault: Fault
    var random: SeededGenerator
    var seen = 0
    var struck = 0

    /// Counts a request and decides whether the fault occurs.
    mutating func strikes(_ operation: APIOperation, _ project: String) -> Bool {
      if let wanted = fault.operation, wanted != operation { return false }
      if let wanted = fault.project,
        !sameText(wanted, project)
      {
        return false
      }
      seen += 1
      guard seen > fault.after, fault.count.map({ struck < $0 }) ?? true else { return false }
      guard fault.rate >= 1 || random.unit() < fault.rate else { return false }
      struck += 1
      return true
    }
  }

  private(set) var seed: UInt64 = 0
  private var armed: [Armed] = []

  init() {}

  init(_ faults: [Fault], seed: UInt64) {
    self.seed = seed
    armed = faults.enumerated().map { index, fault in
      Armed(fault: fault, random: SeededGenerator(seed: seed &+ UInt64(index) &* 0x1_0000_0001))
    }
  }

  /// The faults of a project file, then those of the command line; the command line's seed wins unless it is 0.
  init(_ project: FaultPlan, and command: FaultPlan, chance: UInt64 = 0) {
    let seed = command.seed == 0 ? project.seed : command.seed
    self.init(project.faults + command.faults, seed: seed ^ chance)
  }

  var isEmpty: Bool { armed.isEmpty }

  /// The combined effect of the faults on this request; nil when none occurs.
  mutating func strike(_ operation: APIOperation, project: String) -> Strike? {
    var strike: Strike?
    for index in armed.indices {
      guard armed[index].strikes(operation, project) else { continue }
      let fault = armed[index].fault
      var sum = strike ?? Strike()
      if let latency = fault.latency {
        sum.milliseconds += latency.sample(&armed[index].random)
      }
      if let error = fault.error {
        sum.error = sum.error ?? error
        sum.retryAfter = fault.retryAfter ?? sum.retryAfter
        sum.isCarriedOut = fault.isCarriedOut ?? false
      }
      switch fault.delivery {
      case .drop: sum.delivery = .drop
      case .cut(let bytes): sum.delivery = .cutAfter(bytes: bytes)
      case nil: break
      }
      if fault.delivery != nil, let isCarriedOut = fault.isCarriedOut {
        sum.isCarriedOut = isCarriedOut
      }
      if fault.revokesTokens { sum.revokesTokens = true }
      sum.advancesClock += fault.advancesClock ?? 0
      strike = sum
    }
    return strike
  }

  /// The faults with their counters.
  var json: JSON {
    let list = armed.map { armed -> JSON in
      var entry = armed.fault.json.object ?? JSONObject()
      entry["seen"] = .integer(Int64(armed.seen))
      entry["struck"] = .integer(Int64(armed.struck))
      return .object(entry)
    }
    return ["seed": .string(String(seed)), "faults": .array(list)]
  }
}

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

  func sample(_ random: inout SeededGenerator) -> Double {
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
  private static func gaussian(_ random: inout SeededGenerator) -> Double {
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

/// Google's documented limits, counted on the emulator's clock so that a test can skip an hour.
///
/// The numbers are those of firebase.google.com/docs/auth/limits and the Identity Platform quota page. All callers
/// share one address here, so a limit per address applies to all callers together.
struct Quotas: Sendable {
  struct Limit: Sendable {
    /// The counted operations; nil for all.
    let operations: [APIOperation]?
    /// Whether only administrators' requests count, or only other requests; nil for both.
    let isAdmin: Bool?
    let count: Int
    /// The window in seconds.
    let seconds: Int64
    let refusal: Refusal
  }

  private static let busy = Refusal(
    message: "Quota exceeded for quota metric 'Identity Toolkit requests'.", status: 429,
    reason: "rateLimitExceeded", canonicalStatus: "RESOURCE_EXHAUSTED")

  private static func exceeded(_ words: String) -> Refusal {
    Refusal(.quotaExceeded, "Exceeded quota for \(words).")
  }

  /// New accounts per address and hour, unless the project sets its own quota.
  static let signUpsPerHour = 100

  static func limits(signUpsPerHour: Int) -> [Limit] {
    [
      Limit(operations: nil, isAdmin: nil, count: 1000, seconds: 1, refusal: busy),
      Limit(operations: nil, isAdmin: true, count: 500, seconds: 1, refusal: busy),
      Limit(
        operations: [.signUp], isAdmin: false, count: signUpsPerHour, seconds: 3600,
        refusal: Refusal(.tooManyAttemptsTryLater)),
      Limit(
        operations: [.createAuthUri], isAdmin: false, count: 120, seconds: 3600,
        refusal: Refusal(.tooManyAttemptsTryLater)),
      Limit(
        operations: [.updateConfig], isAdmin: nil, count: 10, seconds: 1,
        refusal: exceeded("updating configuration")),
      Limit(
        operations: [.delete], isAdmin: nil, count: 10, seconds: 1,
        refusal: exceeded("deleting accounts")),
      Limit(
        operations: [.batchDelete], isAdmin: nil, count: 1, seconds: 1,
        refusal: exceeded("deleting accounts")),
      Limit(
        operations: [.batchCreate], isAdmin: nil, count: 3600, seconds: 60,
        refusal: exceeded("uploading accounts")),
      Limit(
        operations: [.batchGet], isAdmin: nil, count: 21_000, seconds: 60,
        refusal: exceeded("downloading accounts")),
      Limit(
        operations: [.lookup], isAdmin: nil, count: 500_000, seconds: 60,
        refusal: exceeded("getting account information")),
      Limit(
        operations: [.signInWithCustomToken], isAdmin: nil, count: 45_000, seconds: 60,
        refusal: exceeded("verifying custom tokens")),
      Limit(
        operations: [.token], isAdmin: nil, count: 18_000, seconds: 60,
        refusal: Refusal(
          message: "QUOTA_EXCEEDED : Exceeded quota for exchanging tokens.", status: 400,
          reason: "invalid", canonicalStatus: "INVALID_ARGUMENT")),
      Limit(
        operations: [.signInWithPhoneNumber], isAdmin: nil, count: 1600, seconds: 60,
        refusal: exceeded("phone sign-in")),
      Limit(
        operations: [.sendVerificationCode, .startMFAEnrollment, .startMFASignIn], isAdmin: nil,
        count: 50, seconds: 60, refusal: exceeded("sending verification codes")),
    ]
  }

  private struct Window: Sendable {
    var start: Int64 = 0
    var count = 0
  }

  private var windows: [ExactString: [Window]] = [:]

  /// Counts a request; throws when it exceeds a limit.
  mutating func spend(
    _ call: Call, project: String, signUpsPerHour: Int, now: Int64
  ) throws(Refusal) {
    let limits = Self.limits(signUpsPerHour: signUpsPerHour)
    let key = ExactString(string: project)
    var counted = windows[key] ?? Array(repeating: Window(), count: limits.count)
    for (index, limit) in limits.enumerated() where limit.counts(call) {
      let start = now - now % limit.seconds
      if counted[index].start != start { counted[index] = Window(start: start) }
      guard counted[index].count < limit.count else { throw limit.refusal }
      counted[index].count += 1
    }
    windows[key] = counted
  }
}

extension Quotas.Limit {
  fileprivate func counts(_ call: Call) -> Bool {
    if let isAdmin, isAdmin != call.isAdmin { return false }
    return operations?.contains(call.operation) ?? true
  }
}

/// A temporary limit on new accounts per hour from clients: Google's `TemporaryQuota` for sign-ups.
struct SignUpQuota {
  let quota: Int
  /// When the quota applies, in seconds since 1970.
  let period: Range<Int64>

  /// Reads the message; nil when a required field is missing or invalid.
  init?(_ config: JSONObject) {
    guard let quota = config["quota"]?.string.flatMap({ Int($0) }),
      let start = config["startTime"]?.string.flatMap({ Timestamp.seconds(of: $0) }),
      let text = config["quotaDuration"]?.string, text.utf8.last == UInt8(ascii: "s"),
      let duration = Double(text.dropLast()), duration.isFinite, (0...1e12).contains(duration)
    else { return nil }
    self.quota = quota
    period = start..<start + Int64(duration)
  }
}

struct SignUpCount {
  private var hour: Int64 = 0
  private var count = 0

  /// Counts one more account; returns false when the quota is exceeded.
  mutating func count(_ now: Int64, quota: SignUpQuota?) -> Bool {
    guard let quota, quota.period.contains(now) else { return true }
    let hour = (now - quota.period.lowerBound) / 3600
    if hour != self.hour {
      self.hour = hour
      count = 0
    }
    count += 1
    return count <= quota.quota
  }
}
