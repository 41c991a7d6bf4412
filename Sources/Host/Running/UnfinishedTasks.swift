/// Tasks that one line of a script spawned and that did not end in time.
public struct UnfinishedTasks: Sendable {
  /// `file:line` of the call that spawned them or added their listener; nil when it was not in the script.
  public let origin: String?
  /// The number of tasks.
  public let count: Int
  /// The traceback of the first task.
  public let traceback: String
}
