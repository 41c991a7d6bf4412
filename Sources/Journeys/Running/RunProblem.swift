/// Why the journeys cannot be run at all.
public struct RunProblem: Error, Sendable {
  /// What is wrong.
  public let message: String
  /// The places that the message concerns, one per line.
  public let excerpt: String
  /// What to do.
  public let hint: String?
  /// The exit code of the process.
  public let exit: Int32

  /// Creates a problem; the default exit code 4 means the machine or the network.
  public init(_ message: String, excerpt: String = "", hint: String?, exit: Int32 = 4) {
    self.message = message
    self.excerpt = excerpt
    self.hint = hint
    self.exit = exit
  }
}
