import Glibc

/// Runs work that takes long on a few threads, so that event loops and tasks do not wait for it.
///
/// `@unchecked Sendable`: `monitor` guards the variables.
public final class WorkerThreads: @unchecked Sendable {
  /// Leaves a processor to the other threads, if there are several.
  public static let shared = WorkerThreads(
    maximum: max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))) - 1))

  private let maximum: Int
  private let monitor = Monitor()
  private var waiting = Queue<@Sendable () -> Void>()
  private var running = 0

  /// - Parameter maximum: The number of threads; further work waits for its turn.
  init(maximum: Int) {
    self.maximum = maximum
  }

  /// Returns the result of `body`, which runs on another thread and may block it.
  public func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      submit { continuation.resume(returning: body()) }
    }
  }

  private func submit(_ work: @escaping @Sendable () -> Void) {
    let needsThread = monitor.withLock {
      waiting.append(work)
      guard running < maximum else { return false }
      running += 1
      return true
    }
    guard needsThread else { return }
    do throws(SystemError) {
      try SystemThread.start(name: "worker") { [self] in carryOut() }
    } catch {
      carryOut()
    }
  }

  /// Carries out work until there is none.
  private func carryOut() {
    while let next = monitor.withLock({ next() }) { next() }
  }

  private func next() -> (@Sendable () -> Void)? {
    let work = waiting.popFirst()
    if work == nil { running -= 1 }
    return work
  }
}
