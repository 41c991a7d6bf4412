/// Why journeys cannot be run at all.
public struct RunProblem: Error, Sendable {
  /// What is wrong.
  public let message: String
  /// Places that the message is about, a line each.
  public let excerpt: String
  /// What to do.
  public let hint: String?
  /// What the process answers.
  public let exit: Int32

  /// Describes what is missing; without `exit` it is the machine or the network.
  public init(_ message: String, excerpt: String = "", hint: String?, exit: Int32 = 4) {
    self.message = message
    self.excerpt = excerpt
    self.hint = hint
    self.exit = exit
  }
}
