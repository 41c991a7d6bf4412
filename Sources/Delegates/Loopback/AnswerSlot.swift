internal import Auth
internal import HTTP
internal import IdentityToolkit

/// The one answer of a sign-in, from whoever has it first.
///
/// Sendable, because only the loop's thread touches it.
final class AnswerSlot: @unchecked Sendable {
  /// What was found first.
  private(set) var result: Result<PageAnswer, AuthError>?

  private let loop: EventLoop
  private var waiter: UnsafeContinuation<Void, Never>?
  private var timer: TimerToken?

  init(_ loop: EventLoop) { self.loop = loop }

  /// Gives what was found; only the first counts.
  func settle(_ found: Result<PageAnswer, AuthError>) {
    if let timer { loop.cancel(timer) }
    timer = nil
    if result == nil { result = found }
    waiter?.resume()
    waiter = nil
  }

  /// Waits for it, as long as the limit and the task last.
  func answer(
    within limit: Duration?, orElse timedOut: AuthError
  ) async throws(AuthError) -> PageAnswer {
    precondition(waiter == nil, "one waits for the answer")
    if result == nil {
      if let limit { timer = loop.schedule(after: limit) { self.settle(.failure(timedOut)) } }
      await wait()
    }
    guard let result else { throw AuthError(.webContextCancelled) }
    return try result.get()
  }

  private func wait(isolation: isolated (any Actor)? = #isolation) async {
    await withTaskCancellationHandler {
      _ = isolation
      await withUnsafeContinuation { continuation in
        waiter = continuation
        // The answer may have come, or the task gone, on the way here.
        if result != nil || Task.isCancelled { cancel() }
      }
    } onCancel: {
      loop.perform { self.cancel() }
    }
  }

  /// Ends the wait without an answer.
  func cancel() { settle(.failure(AuthError(.webContextCancelled))) }
}
