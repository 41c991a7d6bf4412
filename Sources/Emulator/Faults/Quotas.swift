internal import System
internal import IdentityToolkit

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
