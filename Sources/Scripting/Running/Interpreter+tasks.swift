import Lua

/// The tasks that nobody awaits: they belong to a journey, its hooks and fixtures, or the file.
extension Interpreter {
  /// The tasks of a lifetime that go on, of `file` those of `hooks` and `run` too; without the call at hand and tasks that
  /// were cancelled.
  func tasks(_ lifetime: TaskLifetime) -> [Job] { jobs.filter { isOpen($0, lifetime) } }

  private func isOpen(_ job: Job, _ lifetime: TaskLifetime) -> Bool {
    guard !job.cancelled, job !== called, job !== waitForTasks?.job else { return false }
    return job.lifetime == lifetime || lifetime == .file && job.lifetime != .journey
  }

  /// Waits until the tasks of a lifetime have ended, also those that they spawn meanwhile.
  func awaitTasks(_ lifetime: TaskLifetime, for waiting: Job?) async throws(LuaError) {
    if let waiting { waitForTasks = (waiting, lifetime) }
    defer { waitForTasks = nil }
    while let job = jobs.first(where: { isOpen($0, lifetime) }) {
      await end(of: job)
      if Task.isCancelled { throw TaskErrors.cancelled }
    }
  }

  /// Cancels the tasks that a call waits for as its time is over; none while it does something else.
  func cancelTasks(awaitedBy call: Job) -> [UnfinishedTasks] {
    guard let wait = waitForTasks, wait.job === call else { return [] }
    let tasks = tasks(wait.lifetime)
    let unfinished = Self.unfinished(tasks)
    for task in tasks {
      task.observed = true
      cancel(task)
    }
    return unfinished
  }

  /// Tasks by the line that spawned them, without those that another one of them awaits.
  static func unfinished(_ tasks: [Job]) -> [UnfinishedTasks] {
    let awaited = Set(tasks.flatMap(\.awaited).map(ObjectIdentifier.init))
    let outer = tasks.filter { !awaited.contains(ObjectIdentifier($0)) }
    return Dictionary(grouping: outer, by: \.origin)
      .sorted { ($0.key ?? "") < ($1.key ?? "") }
      .map { origin, tasks in
        UnfinishedTasks(
          origin: origin, count: tasks.count, traceback: tasks.first?.coroutine.traceback ?? "")
      }
  }

  /// Whether a task failed and nobody has seen it; `isLast` as for `takeUnseenFailures`.
  func hasUnseenFailures(isLast: Bool) -> Bool {
    failures.contains { !$0.observed && (isLast || !$0.lifetime.isWide) }
  }

  /// The failures of tasks that nobody has seen, each once.
  ///
  /// - Parameter isLast: Whether those of tasks that outlast a journey are among them: the file's, whichever journey
  ///   runs when they fail.
  public func takeUnseenFailures(isLast: Bool = true) -> [ScriptFailure] {
    let unseen = failures.filter { !$0.observed && (isLast || !$0.lifetime.isWide) }
    for job in unseen { job.observed = true }
    failures.removeAll(where: \.observed)
    return unseen.compactMap(failure)
  }

  /// The failure of a task; nil for one that did not fail.
  ///
  /// Where no line of the script was under way, its place is the line that spawned the task.
  func failure(of job: Job) -> ScriptFailure? {
    guard case .failed(let value, let traceback) = job.state else { return nil }
    var failure = describe(.value(value), traceback: traceback)
    if failure.place == nil, !Self.namesScript(failure.traceback) { failure.place = job.origin }
    return failure
  }

  /// Whether a traceback has a call of the script, beside those of C and of luath's library.
  private static func namesScript(_ traceback: String) -> Bool {
    traceback.split(separator: "\n").dropFirst().contains { line in
      !["\t[C]", "\t(...", "\tluath/"].contains { line.hasPrefix($0) }
    }
  }

  /// Sets how long what the running job opens and spawns lasts; returns what was set before.
  func setLifetime(_ lifetime: TaskLifetime) -> TaskLifetime {
    guard let job = currentJob else { return .journey }
    let before = job.lifetime
    job.lifetime = lifetime
    resources.keeping += (lifetime.isWide ? 1 : 0) - (before.isWide ? 1 : 0)
    return before
  }
}
