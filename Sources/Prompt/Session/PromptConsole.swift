/// What a prompt reads from and writes to, as the command that runs it has it.
public struct PromptConsole: Sendable {
  /// Writes results.
  public var write: @Sendable (String) -> Void
  /// Writes errors and notes.
  public var writeError: @Sendable (String) -> Void
  /// Whether a person types, who is greeted and asked; nothing but results and errors is written otherwise.
  public var isInteractive: Bool
  /// How wide the terminal is.
  public var columns: @Sendable () -> Int
  /// The environment variables.
  public var environment: [String: String]
  /// The folder that paths start from.
  public var folder: String
  /// Reads a file; says in words why not.
  public var read: @Sendable (_ path: String) -> Result<[UInt8], PromptProblem>
  /// Ends the process at once with last words, for work that cannot be stopped otherwise.
  public var abandon: @Sendable (_ words: String) -> Void

  /// A console of these streams.
  public init(
    isInteractive: Bool, columns: @escaping @Sendable () -> Int, environment: [String: String],
    folder: String, write: @escaping @Sendable (String) -> Void,
    writeError: @escaping @Sendable (String) -> Void,
    read: @escaping @Sendable (_ path: String) -> Result<[UInt8], PromptProblem>,
    abandon: @escaping @Sendable (_ words: String) -> Void
  ) {
    self.isInteractive = isInteractive
    self.columns = columns
    self.environment = environment
    self.folder = folder
    self.write = write
    self.writeError = writeError
    self.read = read
    self.abandon = abandon
  }

  /// A path that starts from the folder, unless it starts from the root.
  func whole(_ path: String) -> String { path.hasPrefix("/") ? path : "\(folder)/\(path)" }
}

/// Why something that a prompt was asked for cannot be done.
public struct PromptProblem: Error {
  /// What happened.
  public let message: String
  /// What to do; nil when the message says all.
  public let hint: String?

  /// A problem in words.
  public init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }
}
