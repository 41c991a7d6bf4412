import Glibc

/// A lock, and a signal for threads that wait for a change of what it guards.
///
/// `@unchecked Sendable`: a mutex and a condition of POSIX may be used by any thread.
public final class Monitor: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  /// Creates an unlocked one.
  public init() {
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    // The wall clock may jump.
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// Runs a function while no other thread has the lock.
  public func withLock<Value>(_ body: () -> Value) -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }

  /// Wakes all threads that wait.
  public func wake() { pthread_cond_broadcast(changed) }

  /// Gives the lock away until another thread calls `wake`; for functions inside `withLock` only.
  ///
  /// It may also return without a call, so check again what you wait for.
  ///
  /// - Returns: False if the time is over.
  @discardableResult
  public func wait(until end: ContinuousClock.Instant? = nil) -> Bool {
    guard let end else {
      pthread_cond_wait(changed, mutex)
      return true
    }
    let left = ContinuousClock.now.duration(to: end)
    guard left > .zero else { return false }
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let (seconds, attoseconds) = left.components
    let nanoseconds = time.tv_nsec + Int(attoseconds / 1_000_000_000)
    time.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
    time.tv_nsec = nanoseconds % 1_000_000_000
    pthread_cond_timedwait(changed, mutex, &time)
    return true
  }
}
