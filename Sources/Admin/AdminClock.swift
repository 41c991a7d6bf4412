/// The time that signed tokens carry and that access tokens are judged by.
public protocol AdminClock {
  /// Seconds since 1970.
  var now: Int64 { get }
}
