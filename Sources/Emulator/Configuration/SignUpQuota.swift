internal import Encoding

/// How many accounts clients may make an hour, for a while: Google's `TemporaryQuota` of sign-ups.
struct SignUpQuota {
  let quota: Int
  /// Seconds since 1970 between which the quota holds.
  let period: Range<Int64>

  /// Reads the message; nil when it leaves anything out, which it may not.
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

/// Counts accounts by the hour.
struct SignUpCount {
  private var hour: Int64 = 0
  private var count = 0

  /// Counts one more account; false when the quota does not allow it.
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
