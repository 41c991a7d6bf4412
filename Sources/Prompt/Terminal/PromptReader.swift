/// Reads entries from a user or a file.
protocol PromptReader: AnyObject, Sendable {
  /// Waits for an entry and blocks the calling thread.
  ///
  /// - Parameters:
  ///   - prompt: shown before the first line.
  ///   - continuation: shown before each further line.
  func readText(prompt: String, continuation: String) -> TypedText

  /// Prints text above the edited entry; from any thread.
  func printAbove(_ text: String)

  /// Makes the waiting `readText`, or else the next one, return `interrupted`; from any thread.
  func interrupt()
}
