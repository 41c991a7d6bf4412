import System
import Glibc

/// The clock for the expiry of tokens.
public protocol AuthClock {
  /// Seconds since 1970.
  var now: Int64 { get }
}

/// The clock of this machine.
public struct SystemClock: AuthClock, Sendable {
  /// Creates the clock.
  public init() {}

  /// Seconds since 1970.
  public var now: Int64 { Timestamp.now / 1000 }
}
