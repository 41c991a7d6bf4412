/// The input and output of a prompt, provided by the command that runs it.
struct PromptConsole: Sendable {
  /// Writes results.
  var write: @Sendable (String) -> Void
  /// Writes errors and notes.
  var writeError: @Sendable (String) -> Void
  /// Whether a user types at a terminal; otherwise only results and errors are written, no prompts.
  var isInteractive: Bool
  /// The width of the terminal.
  var columns: @Sendable () -> Int
  /// The environment variables.
  var environment: [String: String]
  /// The folder that relative paths start from.
  var folder: String
  /// Reads a file.
  var read: @Sendable (_ path: String) -> Result<[UInt8], PromptProblem>
  /// Writes a message and ends the process at once, for work that cannot be stopped otherwise.
  var abandon: @Sendable (_ words: String) -> Void

  /// Creates a console.
  init(
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

  /// The absolute path, from the folder unless it is absolute already.
  func whole(_ path: String) -> String { path.hasPrefix("/") ? path : "\(folder)/\(path)" }
}

/// An error of the prompt.
struct PromptProblem: Error {
  /// The error message.
  let message: String
  /// What the user can do; nil when the message suffices.
  let hint: String?

  /// Creates an error.
  init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }
}
