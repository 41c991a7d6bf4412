import Emulator
import Host
import System

/// The input and output of a prompt, provided by the command that runs it.
struct PromptConsole: Sendable {
  /// Whether a user types at a terminal; otherwise only results and errors are written, no prompts.
  var isInteractive: Bool
  /// The width of the terminal.
  var columns: @Sendable () -> Int
  /// The environment variables.
  var environment: [String: String]
  /// The folder that relative paths start from.
  var folder: String
  /// The commands of luath, which `.help` explains.
  var commands: [Command] = []
  /// Writes results.
  var write: @Sendable (String) -> Void
  /// Writes errors and notes.
  var writeError: @Sendable (String) -> Void
  /// Reads a file.
  var read: @Sendable (_ path: String) -> Result<[UInt8], PromptProblem>
  /// Writes a message and ends the process at once, for work that cannot be stopped otherwise.
  var abandon: @Sendable (_ words: String) -> Void

  /// The absolute path, from the folder unless it is absolute already.
  func whole(_ path: String) -> String { path.hasPrefix("/") ? path : "\(folder)/\(path)" }
}

extension PromptConsole {
  /// The console of a command.
  init(_ console: Console, _ commands: [Command]) {
    self.init(
      isInteractive: console.isInteractive, columns: { console.inputColumns() },
      environment: console.environment, folder: console.folder, commands: commands,
      write: console.writeOutput, writeError: console.writeError,
      read: { path in
        switch console.read(path) {
        case .success(let text): .success(text)
        case .failure(let problem):
          .failure(PromptProblem("cannot read \(path.printable): \(problem.words)"))
        }
      },
      abandon: { words in
        TerminalDevice.restore()
        console.abandon(.interrupted, words)
      })
  }
}

/// What a prompt needs of the command that runs it.
protocol PromptHost: Sendable {
  /// Opens the target of a session.
  func place(_ wish: PromptWish) async throws(PromptProblem) -> PromptTarget

  /// Removes passwords from all later output, the history and saved files.
  func hide(_ passwords: [String])

  /// A text without known secrets.
  func clean(_ text: String) -> String
}

/// An error of the prompt.
struct PromptProblem: Error {
  /// The error message.
  let message: String
  /// What the user can do; nil when the message suffices.
  let hint: String?

  init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }
}

/// The target and project of the next session, where they differ from the command line.
struct PromptWish: Sendable, Equatable {
  /// The target, as `--target` names it.
  var target: String?
  /// The path of the project file.
  var project: String?
}

/// The target of a session at the prompt.
struct PromptTarget: Sendable {
  /// The context of the session's scripts.
  let context: ScriptContext
  /// The description of the target: `the emulator inside luath, project demo-luath`.
  let words: String
  /// The path of the project file; nil when there is none.
  var projectFile: String?
  /// An entry for users who do not know where to begin.
  let firstStep: String
  /// Whether the emulated providers create a test user for any address.
  var admitsAnyone = false
  /// The test users of the built-in emulator, or those of the project file.
  var testUsers: @Sendable () async -> [Person] = { [] }
  /// Closes the target, such as an emulator that was started for it.
  var close: @Sendable () async -> Void = {}
}
