import Glibc

/// A value that one thread sets and another one waits for, up to a limit.
///
/// Unlike a task, the waiting thread needs no other thread of Swift's pool, which may be busy.
///
/// `@unchecked Sendable`: `lock` guards the value.
public final class PendingValue<Value: Sendable>: @unchecked Sendable {
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var value: Value?

  /// Creates one without a value.
  public init() {
    pthread_mutex_init(lock, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(lock)
    changed.deallocate()
    lock.deallocate()
  }

  /// Sets the value and wakes the thread that waits for it.
  public func set(_ value: Value) {
    pthread_mutex_lock(lock)
    self.value = value
    pthread_cond_broadcast(changed)
    pthread_mutex_unlock(lock)
  }

  /// Waits until the value is set; nil when it is not set within the limit.
  public func wait(_ limit: Duration) -> Value? {
    var end = timespec()
    clock_gettime(CLOCK_MONOTONIC, &end)
    let (seconds, attoseconds) = limit.components
    let nanoseconds = end.tv_nsec + Int(attoseconds / 1_000_000_000)
    end.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
    end.tv_nsec = nanoseconds % 1_000_000_000
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while value == nil {
      guard pthread_cond_timedwait(changed, lock, &end) != ETIMEDOUT else { break }
    }
    return value
  }
}
