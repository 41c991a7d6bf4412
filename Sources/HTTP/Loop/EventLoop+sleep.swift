extension EventLoop {
  /// Waits for a time without blocking the loop; callable from any thread.
  ///
  /// Ends early with an error when the task is cancelled or the loop stops.
  public func sleep(for duration: Duration) async throws(CancellationError) {
    guard await rest(for: duration) else { throw CancellationError() }
  }

  private func rest(
    for duration: Duration, isolation: isolated (any Actor)? = #isolation
  ) async -> Bool {
    let sleeper = Sleeper(loop: self)
    return await withTaskCancellationHandler {
      // Naming it keeps the closure on the caller's actor instead of the global executor.
      _ = isolation
      return await withUnsafeContinuation { continuation in
        performSoon { sleeper.begin(duration, continuation) }
      }
    } onCancel: {
      // Not at once: the handler runs under the task's own lock.
      perform { sleeper.cancel() }
    }
  }
}

extension EventLoop {
  /// Waits without a task: calls `done` after a time, or with false when the loop stops before.
  ///
  /// Only on the loop's thread. After `cancel` of the token `done` is not called.
  public func beginSleep(
    for duration: Duration, _ done: @escaping (_ isRested: Bool) -> Void
  ) -> TimerToken {
    let action = TimerQueue.Action(fire: { done(true) }, abandon: { done(false) })
    guard isClosed else { return schedule(after: duration, action) }
    let late = LateSleep(done: done)
    perform { late.done(false) }
    return TimerToken(number: 0)
  }
}

/// A sleep that begins when the loop has stopped; made and used on the loop's thread only.
private struct LateSleep: @unchecked Sendable {
  let done: (Bool) -> Void
}

/// One sleep; only the loop's thread touches it, which makes it safe to send there.
private final class Sleeper: @unchecked Sendable {
  private let loop: EventLoop
  private var continuation: UnsafeContinuation<Bool, Never>?
  private var timer: TimerToken?
  private var isCancelled = false

  init(loop: EventLoop) { self.loop = loop }

  func begin(_ duration: Duration, _ continuation: UnsafeContinuation<Bool, Never>) {
    guard !isCancelled, !loop.isClosed else { return continuation.resume(returning: false) }
    self.continuation = continuation
    timer = loop.schedule(
      after: duration,
      TimerQueue.Action(fire: { self.finish(true) }, abandon: { self.finish(false) }))
  }

  func cancel() {
    isCancelled = true
    if let timer { loop.cancel(timer) }
    finish(false)
  }

  private func finish(_ isRested: Bool) {
    continuation?.resume(returning: isRested)
    continuation = nil
    timer = nil
  }
}
