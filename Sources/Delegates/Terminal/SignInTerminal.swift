internal import HTTP

/// The person at the terminal, as far as a sign-in talks with them.
public final class SignInTerminal: Sendable {
  /// Whether a person reads what is written, and types what is read.
  public let isInteractive: Bool
  /// How many characters a line has; nil when nobody looks at what is written.
  public let columns: Int?
  /// Shows text to the person, not to whoever reads the results.
  let write: @Sendable (String) -> Void
  /// Reads one line without its end; nil when there is no more, or the task is cancelled.
  let readLine: @Sendable () async -> String?

  private let isTaken = Guarded(false)

  /// Describes a terminal.
  ///
  /// - Parameters:
  ///   - isInteractive: whether a person reads what is written, and types what is read.
  ///   - columns: how many characters a line has; nil when nobody looks at what is written.
  ///   - write: shows text to the person, not to whoever reads the results.
  ///   - readLine: reads one line without its end, or the lines that a person pasted at once, and
  ///     leaves the rest to others; nil when there is no more, and soon after the task is cancelled.
  ///     The caller's thread goes on meanwhile.
  public init(
    isInteractive: Bool, columns: Int?, write: @escaping @Sendable (String) -> Void,
    readLine: @escaping @Sendable () async -> String?
  ) {
    self.isInteractive = isInteractive
    self.columns = columns
    self.write = write
    self.readLine = readLine
  }

  /// Asks one question and returns the line that was typed; nil when there is none, when the task is
  /// cancelled, and while a sign-in asks for something.
  public func ask(_ question: String) async -> String? {
    guard takeTurn() else { return nil }
    defer { endTurn() }
    write(question)
    return await readLine()
  }

  /// Whether nobody else asks the person for something, from now on until `endTurn`.
  func takeTurn() -> Bool {
    isTaken.withLock { isTaken in
      defer { isTaken = true }
      return !isTaken
    }
  }

  func endTurn() { isTaken.withLock { $0 = false } }
}
