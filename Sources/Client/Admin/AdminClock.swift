/// The clock for the times in tokens and for their expiry.
public protocol AdminClock {
  /// Seconds since 1970.
  var now: Int64 { get }
}
