internal import HTTP

/// Work on the loop's thread, beside whoever started it there.
struct LoopTask {
  /// Unchecked, because the work is made, run and dropped on the loop's thread.
  private struct Work: @unchecked Sendable {
    let body: () async -> Void
  }

  private let task: Task<Void, Never>

  init(on loop: EventLoop, _ body: @escaping () async -> Void) {
    let work = Work(body: body)
    task = LoopActor(loop).assumeIsolated { actor in
      // Without the preference each continuation would take a turn through the global pool.
      Task(executorPreference: loop) {
        _ = actor
        await work.body()
      }
    }
  }

  /// Cancels the work and waits for its end.
  func end() async {
    task.cancel()
    await task.value
  }
}
