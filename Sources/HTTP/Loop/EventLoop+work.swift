import Glibc
import Synchronization
import System

extension EventLoop {
  enum Work: Sendable {
    case job(UnownedJob)
    case call(@Sendable () -> Void)
  }

  enum Phase: Int, Comparable {
    case new, starting, running, ended

    static func < (left: Phase, right: Phase) -> Bool { left.rawValue < right.rawValue }
  }

  /// The state shared with other threads, under the mutex.
  struct Shared {
    var incoming: [Work] = []
    var phase = Phase.new
    var isAsleep = false
    var isStopping = false
    /// Whether a thread runs the jobs that arrived after the end.
    var hasSuccessor = false
    var thread: pthread_t?
    var isJoined = false

    /// Whether the caller must wake the loop; true once per sleep.
    mutating func takeWakeUp() -> Bool {
      defer { isAsleep = false }
      return isAsleep
    }
  }

  func submit(_ work: Work) {
    if isOnThread { return local.append(work) }
    let (mustWake, mustSucceed) = shared.withLock { state in
      state.incoming.append(work)
      let mustSucceed = state.phase == .ended && !state.hasSuccessor
      if mustSucceed { state.hasSuccessor = true }
      return (state.takeWakeUp(), mustSucceed)
    }
    if mustWake { poller.wake() }
    guard mustSucceed else { return }
    do throws(SystemError) {
      try SystemThread.start(name: name, stackBytes: 8 << 20) { [self] in runLateWork() }
    } catch {
      runLateWork()
    }
  }

  /// Runs a closure at once on the loop's thread, otherwise queues it there.
  func performSoon(_ body: @escaping @Sendable () -> Void) {
    if isOnThread { body() } else { submit(.call(body)) }
  }

  func run(_ work: Work) {
    switch work {
    case .job(let job):
      // As both kinds of executor, so that a task that prefers this loop can enter and leave an
      // actor of this loop without being queued.
      job.runSynchronously(
        isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    case .call(let body): body()
    }
  }

  /// Runs a limited number of queued jobs, so that sockets and timers are not starved.
  func runQueuedWork() {
    for _ in 0..<256 {
      guard let work = local.popFirst() else { return }
      run(work)
    }
  }

  /// Runs the work that arrived after the end, until the queue is empty.
  func runLateWork() {
    owner.store(pthread_self(), ordering: .releasing)
    while true {
      while let work = local.popFirst() { run(work) }
      let isDone = shared.withLock { state in
        local.append(contentsOf: state.incoming)
        state.incoming.removeAll()
        guard local.isEmpty else { return false }
        state.hasSuccessor = false
        owner.store(0, ordering: .releasing)
        return true
      }
      if isDone { return }
    }
  }
}

/// Deduplicates concurrent work: the first caller does it, the others wait for its result.
///
/// All callers must be isolated to the same actor; it is not shared between threads.
public final class SharedWork<Value: Sendable, Failure: Error> {
  private var isUnderWay = false
  /// The waiting callers; nil means that the work was given up.
  private var waiters: [CheckedContinuation<Result<Value, Failure>?, Never>] = []

  /// Creates work that has not begun.
  public init() {}

  /// Does the work, or waits for the caller that is doing it.
  ///
  /// Returns nil when the other caller gave up, which is not a failure of this one: check again
  /// whether the work is still needed, and call `share` again.
  ///
  /// - Parameter isGivenUp: whether an error only means that the caller was canceled.
  public func share(
    _ work: () async throws(Failure) -> Value,
    isGivenUp: (Failure) -> Bool = { _ in Task.isCancelled }
  ) async throws(Failure) -> Value? {
    guard !isUnderWay else {
      return try await withCheckedContinuation { waiters.append($0) }?.get()
    }
    isUnderWay = true
    let result: Result<Value, Failure>
    var isOver = false
    do throws(Failure) {
      result = .success(try await work())
    } catch {
      result = .failure(error)
      isOver = isGivenUp(error)
    }
    isUnderWay = false
    let waiting = waiters
    waiters = []
    for waiter in waiting { waiter.resume(returning: isOver ? nil : result) }
    return try result.get()
  }
}
