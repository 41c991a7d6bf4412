internal import HTTP
internal import IdentityToolkit
internal import Client

/// The response of a sign-in; the first source that has one wins.
///
/// Sendable, because only the loop's thread uses it.
final class AnswerSlot: @unchecked Sendable {
  /// The first result.
  private(set) var result: Result<PageAnswer, AuthError>?

  private let loop: EventLoop
  private var waiter: UnsafeContinuation<Void, Never>?
  private var timer: TimerToken?

  init(_ loop: EventLoop) { self.loop = loop }

  /// Sets the result; later calls have no effect.
  func settle(_ found: Result<PageAnswer, AuthError>) {
    if let timer { loop.cancel(timer) }
    timer = nil
    if result == nil { result = found }
    waiter?.resume()
    waiter = nil
  }

  /// Sets the result to that of `source`.
  func settle(by source: () async throws(AuthError) -> PageAnswer) async {
    do throws(AuthError) {
      settle(.success(try await source()))
    } catch {
      settle(.failure(error))
    }
  }

  /// Waits for the result until the time limit or until the task is canceled.
  func answer(
    within limit: Duration?, orElse timedOut: AuthError
  ) async throws(AuthError) -> PageAnswer {
    precondition(waiter == nil, "a caller already waits for the response")
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
        // The result may have arrived, or the task been canceled, before this.
        if result != nil || Task.isCancelled { cancel() }
      }
    } onCancel: {
      loop.perform { self.cancel() }
    }
  }

  /// Ends the wait with a cancellation error.
  func cancel() { settle(.failure(AuthError(.webContextCancelled))) }
}

/// A concurrent task on the loop's thread.
struct LoopTask {
  /// Unchecked, because the work is created, run and released on the loop's thread.
  private struct Work: @unchecked Sendable {
    let body: () async -> Void
  }

  private let task: Task<Void, Never>

  init(on loop: EventLoop, _ body: @escaping () async -> Void) {
    let work = Work(body: body)
    task = LoopActor(loop).assumeIsolated { actor in
      // Without the preference, each continuation would hop through the global pool.
      Task(executorPreference: loop) {
        _ = actor
        await work.body()
      }
    }
  }

  /// Waits for the task's end, also in a canceled task.
  var value: Void {
    get async { await task.value }
  }

  /// Cancels the task and waits for its end.
  func end() async {
    task.cancel()
    await task.value
  }
}
