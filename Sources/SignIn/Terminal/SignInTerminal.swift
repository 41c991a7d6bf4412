internal import HTTP

/// The terminal that sign-ins use to talk to the user.
public final class SignInTerminal: Sendable {
  /// Whether input and output are both a terminal.
  public let isInteractive: Bool
  /// The number of characters per line; nil when the output is not a terminal.
  public let columns: Int?
  /// Writes text for the user, separate from the program's results.
  let write: @Sendable (String) -> Void
  /// Reads a line without its end; nil at the end of input or when the task is canceled.
  let readLine: @Sendable () async -> String?

  private let isTaken = Guarded(false)

  /// Creates a terminal.
  ///
  /// - Parameters:
  ///   - isInteractive: whether input and output are both a terminal.
  ///   - columns: the number of characters per line; nil when the output is not a terminal.
  ///   - write: writes text for the user, separate from the program's results.
  ///   - readLine: reads a line without its end, or several lines pasted at once, and leaves the rest
  ///     to other readers. Returns nil at the end of input, and soon after the task is canceled. It
  ///     must not block the caller's thread.
  public init(
    isInteractive: Bool, columns: Int?, write: @escaping @Sendable (String) -> Void,
    readLine: @escaping @Sendable () async -> String?
  ) {
    self.isInteractive = isInteractive
    self.columns = columns
    self.write = write
    self.readLine = readLine
  }

  /// Asks a question and returns the entered line.
  ///
  /// Nil at the end of input, when the task is canceled, and while a sign-in is asking for something.
  public func ask(_ question: String) async -> String? {
    guard takeTurn() else { return nil }
    defer { endTurn() }
    write(question)
    return await readLine()
  }

  /// Reserves the terminal until `endTurn`; false when it is in use.
  func takeTurn() -> Bool {
    isTaken.withLock { isTaken in
      defer { isTaken = true }
      return !isTaken
    }
  }

  func endTurn() { isTaken.withLock { $0 = false } }
}
