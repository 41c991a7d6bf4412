/// Why the journeys cannot be run at all.
struct RunProblem: Error, Sendable {
  /// What is wrong.
  let message: String
  /// The places that the message concerns, one per line.
  let excerpt: String
  /// What to do.
  let hint: String?
  /// The exit code of the process.
  let exit: Int32

  /// Creates a problem; the default exit code 4 means the machine or the network.
  init(_ message: String, excerpt: String = "", hint: String?, exit: Int32 = 4) {
    self.message = message
    self.excerpt = excerpt
    self.hint = hint
    self.exit = exit
  }
}
