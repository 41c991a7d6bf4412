import Host

/// Failures that the host reports when it ends a journey, its hooks or its tasks.
extension Failure {
  static func overdue(_ limit: Duration) -> Failure {
    Failure(
      kind: .timeout, message: "the journey did not end within \(limit / .seconds(1)) s",
      hint: "allow more time with --timeout or { timeout = … }, or look for what it waits for")
  }

  static func overdueEnd(_ limit: Duration, _ label: String? = nil) -> Failure {
    Failure(
      kind: .hook,
      message: (label ?? "hooks and fixtures") + " did not end within \(limit / .seconds(1)) s",
      hint: "look for what their cleaning up waits for")
  }

  static func interruptedEnd(_ label: String?) -> Failure {
    Failure(kind: .hook, message: (label ?? "the end of hooks and fixtures") + " was interrupted")
  }

  static var silent: Failure {
    Failure(
      kind: .error, message: "the journey ended without a result",
      hint: "something in the file has changed luath's own modules")
  }

  /// Returns the failure with the label of a hook or fixture in front.
  func named(_ label: String?) -> Failure {
    guard let label else { return self }
    var failure = self
    failure.message = "\(label): \(message)"
    return failure
  }

  /// A task that was never awaited and did not end in time, at the line that spawned it.
  static func unfinished(_ tasks: UnfinishedTasks, within limit: Duration) -> Failure {
    let which = tasks.count == 1 ? "a task" : "\(tasks.count) tasks of this line"
    return Failure(
      kind: .task, message: "\(which) did not end within \(limit / .seconds(1)) s",
      hint: "await or cancel what task.spawn returns, or allow more time with --timeout"
    ).spawned(by: tasks)
  }

  /// A task that did not end after it was canceled, at the line that spawned it.
  static func endless(_ tasks: UnfinishedTasks) -> Failure {
    let which = tasks.count == 1 ? "a task" : "\(tasks.count) tasks of this line"
    return Failure(
      kind: .task, message: "\(which) did not end when cancelled",
      hint: "a task that catches errors in a loop must end on the code cancelled"
    ).spawned(by: tasks)
  }

  private func spawned(by tasks: UnfinishedTasks) -> Failure {
    var placed = placed(by: tasks.traceback)
    guard let place = tasks.origin.flatMap(Self.place) else { return placed }
    placed.file = place.file
    placed.line = place.line
    return placed
  }
}
