internal import Encoding
internal import OIDC

/// Values that can be taken once, and only for a while.
struct ShortLived<Value> {
  private var values: [ExactString: (value: Value, expires: Int64)] = [:]
  private var sweepAt = 1024

  /// Keeps `value` under `key` until `expires`, in seconds since 1970.
  mutating func put(_ value: Value, under key: String, expires: Int64, now: Int64) {
    if values.count >= sweepAt {
      values = values.filter { $0.value.expires > now }
      sweepAt = max(1024, values.count * 2)
    }
    values[ExactString(string: key)] = (value, expires)
  }

  /// Takes the value out, unless it has expired or was taken before.
  mutating func take(_ key: String, now: Int64) -> Value? {
    guard let kept = values.removeValue(forKey: ExactString(string: key)) else { return nil }
    return kept.expires > now ? kept.value : nil
  }

  /// The value, unless it has expired or was taken before; it stays.
  func peek(_ key: String, now: Int64) -> Value? {
    guard let kept = values[ExactString(string: key)], kept.expires > now else { return nil }
    return kept.value
  }
}
