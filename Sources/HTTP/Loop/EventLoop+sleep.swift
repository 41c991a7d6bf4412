extension EventLoop {
  /// Sleeps without blocking the loop; safe from any thread.
  ///
  /// Throws early when the task is canceled or the loop stops.
  public func sleep(for duration: Duration) async throws(CancellationError) {
    guard await rest(for: duration) else { throw CancellationError() }
  }

  private func rest(
    for duration: Duration, isolation: isolated (any Actor)? = #isolation
  ) async -> Bool {
    let sleeper = Sleeper(loop: self)
    return await withTaskCancellationHandler {
      // The capture keeps the closure on the caller's actor instead of the global executor.
      _ = isolation
      return await withUnsafeContinuation { continuation in
        performSoon { sleeper.begin(duration, continuation) }
      }
    } onCancel: {
      // Deferred, because the handler runs under the task's own lock.
      perform { sleeper.cancel() }
    }
  }
}

extension EventLoop {
  /// Sleeps without a task: calls `done` afterwards, with false when the loop stops first.
  ///
  /// Call it on the loop's thread only. After `cancel` of the token `done` is not called.
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

/// A sleep that begins after the loop has stopped; used on the loop's thread only.
private struct LateSleep: @unchecked Sendable {
  let done: (Bool) -> Void
}

/// One sleep.
///
/// Sendable, because only the loop's thread uses it.
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
