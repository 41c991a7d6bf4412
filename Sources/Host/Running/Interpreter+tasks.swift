import Lua

/// Tasks that are not awaited: they belong to a journey, its hooks and fixtures, or the file.
extension Interpreter {
  /// The running tasks of a lifetime, without the current call and cancelled tasks; `file` includes `hooks` and `run`.
  func tasks(_ lifetime: TaskLifetime) -> [Job] { jobs.filter { isOpen($0, lifetime) } }

  private func isOpen(_ job: Job, _ lifetime: TaskLifetime) -> Bool {
    guard !job.cancelled, job !== called, job !== waitForTasks?.job else { return false }
    return job.lifetime == lifetime || lifetime == .file && job.lifetime != .journey
  }

  /// Waits until the tasks of a lifetime have ended, including those that they spawn meanwhile.
  func awaitTasks(_ lifetime: TaskLifetime, for waiting: Job?) async throws(LuaError) {
    if let waiting { waitForTasks = (waiting, lifetime) }
    defer { waitForTasks = nil }
    while let job = jobs.first(where: { isOpen($0, lifetime) }) {
      await end(of: job)
      if Task.isCancelled { throw TaskErrors.cancelled }
    }
  }

  /// Cancels the tasks that a timed-out call waits for in `awaitTasks`; none when it is doing something else.
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

  /// Groups tasks by the line that spawned them, without those that other tasks in the list await.
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

  /// Whether a task failed without being awaited; `isLast` as in `takeUnseenFailures`.
  func hasUnseenFailures(isLast: Bool) -> Bool {
    failures.contains { !$0.observed && (isLast || !$0.lifetime.isWide) }
  }

  /// Returns the failures of tasks that were not awaited, each only once.
  ///
  /// - Parameter isLast: Whether to include tasks that outlast a journey; their failures belong to the file, whichever
  ///   journey runs when they fail.
  public func takeUnseenFailures(isLast: Bool = true) -> [ScriptFailure] {
    let unseen = failures.filter { !$0.observed && (isLast || !$0.lifetime.isWide) }
    for job in unseen { job.observed = true }
    failures.removeAll(where: \.observed)
    return unseen.compactMap(failure)
  }

  /// The failure of a task; nil when it did not fail.
  ///
  /// If the traceback contains no line of the script, the place is the line that spawned the task.
  func failure(of job: Job) -> ScriptFailure? {
    guard case .failed(let value, let traceback) = job.state else { return nil }
    var failure = describe(.value(value), traceback: traceback)
    if failure.place == nil, !Self.namesScript(failure.traceback) { failure.place = job.origin }
    return failure
  }

  /// Whether a traceback contains a line of the script, not only of C and luath's library.
  private static func namesScript(_ traceback: String) -> Bool {
    traceback.split(separator: "\n").dropFirst().contains { line in
      !["\t[C]", "\t(...", "\tluath/"].contains { line.hasPrefix($0) }
    }
  }

  /// Sets the lifetime of resources and tasks that the running job creates; returns the previous one.
  func setLifetime(_ lifetime: TaskLifetime) -> TaskLifetime {
    guard let job = currentJob else { return .journey }
    let before = job.lifetime
    job.lifetime = lifetime
    resources.keeping += (lifetime.isWide ? 1 : 0) - (before.isWide ? 1 : 0)
    return before
  }
}
