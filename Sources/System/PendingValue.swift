/// A value that one thread sets and another one waits for, up to a limit.
///
/// Unlike a task, the waiting thread needs no other thread of Swift's pool, which may be busy.
///
/// `@unchecked Sendable`: `monitor` guards the value.
public final class PendingValue<Value: Sendable>: @unchecked Sendable {
  private let monitor = Monitor()
  private var value: Value?

  /// Creates one without a value.
  public init() {}

  /// Sets the value and wakes the thread that waits for it.
  public func set(_ value: Value) {
    monitor.withLock { self.value = value }
    monitor.wake()
  }

  /// Waits until the value is set; nil when it is not set within the limit.
  public func wait(_ limit: Duration) -> Value? {
    let end = ContinuousClock.now + limit
    return monitor.withLock {
      while value == nil, monitor.wait(until: end) {}
      return value
    }
  }
}
