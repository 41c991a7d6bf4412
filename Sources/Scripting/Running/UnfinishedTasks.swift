/// Tasks that one line of a script spawned and that did not end in time.
public struct UnfinishedTasks: Sendable {
  /// `file:line` of the call that spawned them or added their listener; nil when no line of the script did.
  public let origin: String?
  /// How many tasks did not end.
  public let count: Int
  /// The calls that the first of them is in.
  public let traceback: String
}
