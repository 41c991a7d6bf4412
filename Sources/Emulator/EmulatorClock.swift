import System
import Glibc
internal import HTTP

/// The emulated project's clock, which a test can move forward without waiting.
///
/// Token expiry, the recent-login rule, pending tokens and authorization codes all read this clock, so
/// advancing it by ten minutes makes every one of them ten minutes older at once.
public final class EmulatorClock: Sendable {
  private let advanced = Guarded<Int64>(0)
  private let frozenAt: Int64?

  /// A clock that follows the system clock.
  public init() {
    frozenAt = nil
  }

  /// A clock that stands still at `seconds` since 1970 until it is advanced or set.
  init(frozenAt seconds: Int64) {
    frozenAt = seconds
  }

  /// Milliseconds since 1970.
  var milliseconds: Int64 {
    advanced.withLock { $0 } * 1000 + machineMilliseconds
  }

  /// Whole seconds since 1970.
  var seconds: Int64 { milliseconds / 1000 }

  /// How many seconds this clock is ahead of its source; negative when it is behind.
  public var advance: Int64 { advanced.withLock { $0 } }

  /// Moves the clock forward; a century at most, so that no later sum can overflow.
  func advance(bySeconds seconds: Int64) {
    advanced.withLock { $0 = min(Self.century, $0 + min(Self.century, max(0, seconds))) }
  }

  /// Sets the clock to a time between 1970 and a century from now; it continues from there.
  public func set(seconds: Int64) {
    let now = machineMilliseconds / 1000
    advanced.withLock { $0 = min(Self.century, max(-now, max(0, seconds) - now)) }
  }

  /// Restores the offset of an earlier run's clock.
  func restore(advance seconds: Int64) {
    advanced.withLock { $0 = min(Self.century, max(-machineMilliseconds / 1000, seconds)) }
  }

  private static let century: Int64 = 3_155_760_000

  private var machineMilliseconds: Int64 {
    if let frozenAt { return frozenAt * 1000 }
    return Timestamp.now
  }
}
