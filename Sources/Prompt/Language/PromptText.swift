import Synchronization

/// Tells whether a text at the prompt is whole; for readers on any thread.
public final class PromptText: Sendable {
  private let parser = Mutex(SendableParser())

  /// Begins without any text.
  public init() {}

  /// Whether it can be run as it is, or be refused.
  public func isComplete(_ text: String) -> Bool {
    if PromptCommand.isCommand(text) { return true }
    return parser.withLock { $0.parser.find(text) != .incomplete }
  }
}

/// Unchecked, because the lock lets one thread at a time use the parser's state, which runs no code.
private struct SendableParser: @unchecked Sendable {
  let parser = LuaParser()
}
