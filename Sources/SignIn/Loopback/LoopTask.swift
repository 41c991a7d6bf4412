internal import HTTP

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

  /// Cancels the task and waits for its end.
  func end() async {
    task.cancel()
    await task.value
  }
}
