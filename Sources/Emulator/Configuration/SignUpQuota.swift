internal import System

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
