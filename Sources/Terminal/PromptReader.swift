/// Asks a person, or a file, for texts to run.
public protocol PromptReader: AnyObject, Sendable {
  /// Waits for a text, and blocks the calling thread meanwhile.
  ///
  /// - Parameters:
  ///   - prompt: what stands before the first line.
  ///   - continuation: what stands before each further line.
  func readText(prompt: String, continuation: String) -> TypedText

  /// Shows a text beside what is being typed; whole lines, from whatever thread.
  func printAbove(_ text: String)

  /// Has the `readText` that waits, or else the next one, return `interrupted`; from any thread.
  func interrupt()
}
