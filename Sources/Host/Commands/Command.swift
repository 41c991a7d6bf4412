public import HTTP
import System

/// A command of luath, with code to run or with subcommands.
public struct Command: Sendable {
  /// Runs the command; throws for a command line that is not valid.
  public typealias Runner =
    @Sendable (ParsedArguments, Console) async throws(UsageError) -> ExitStatus

  /// The name, options and help text.
  public let description: CommandDescription
  private let run: Runner?
  /// The subcommands; empty for a command with code to run.
  public let parts: [Command]

  /// A command with code to run.
  public init(_ description: CommandDescription, _ run: @escaping Runner) {
    self.description = description
    self.run = run
    parts = []
  }

  /// A command with subcommands.
  public init(_ description: CommandDescription, parts: [Command]) {
    self.description = description
    run = nil
    self.parts = parts
  }

  /// The last word of the command's name.
  public var word: String {
    description.name.split(separator: " ").last.map(String.init) ?? description.name
  }

  /// Runs the command with the arguments after its name, and returns the exit status.
  public func main(_ arguments: [String], _ console: Console) async -> Int32 {
    guard let run else { return await part(arguments, console) }
    do throws(UsageError) {
      let parsed = try ParsedArguments(arguments, description)
      if parsed.flags.contains("help") {
        console.writeOutput(help(HelpStyle(console)))
        return 0
      }
      return try await run(parsed, console).rawValue
    } catch {
      console.writeError(
        Console.words(
          error.message, excerpt: error.excerpt,
          hint: error.hint ?? "luath \(description.name) --help shows what there is"))
      return ExitCode.usage.rawValue
    }
  }

  private func part(_ arguments: [String], _ console: Console) async -> Int32 {
    switch arguments.first {
    case nil:
      console.writeError(help(HelpStyle(console)))
      return ExitCode.usage.rawValue
    case "--help"?, "-h"?, "help"?:
      guard arguments[0] == "help", arguments.count > 1 else {
        console.writeOutput(help(HelpStyle(console)))
        return 0
      }
      return await part(Array(arguments.dropFirst()) + ["--help"], console)
    case let name?:
      guard let part = parts.first(where: { $0.word == name }) else {
        let advice = nearestName(to: name, among: parts.map(\.word))
        console.report(
          "luath \(description.name) has no command '\(name.printable)'",
          hint: advice.map { "did you mean luath \(description.name) \($0)?" }
            ?? "luath \(description.name) --help lists them")
        return ExitCode.usage.rawValue
      }
      return await part.main(Array(arguments.dropFirst()), console)
    }
  }

  /// The help, for a terminal.
  public func help(_ style: HelpStyle) -> String {
    guard !parts.isEmpty else { return description.help(style) }
    var text = style.wrapped(description.summary, indent: 0) + "\n\n"
    text += "Usage: luath \(description.name) COMMAND [options]\n"
    text += "\n\(style.bold("Commands:"))\n"
    text += style.list(parts.map { ($0.word, $0.description.summary) }, indent: 2)
    text += "\nluath \(description.name) COMMAND --help describes a command.\n"
    if !description.examples.isEmpty {
      text += "\n\(style.bold("Examples:"))\n" + description.examples.map { "  \($0)\n" }.joined()
    }
    return text
  }
}

/// The exit codes.
public enum ExitCode: Int32, CaseIterable, Sendable {
  case ok = 0
  case failed = 1
  case usage = 2
  case notLoaded = 3
  /// The host or the network was not available.
  case unavailable = 4
  case nothing = 5
  case timedOut = 6
  /// An internal error (a bug in luath).
  case internalError = 8
  /// The command of `luath exec` cannot be executed.
  case notExecutable = 126
  /// The command of `luath exec` does not exist.
  case notFound = 127
  /// Ended in an orderly way by Ctrl-C or another signal.
  case interrupted = 130

  /// The meaning, for the overview and the manual.
  public var meaning: String {
    switch self {
    case .ok: "success"
    case .failed: "the script, a journey, a row or a check failed"
    case .usage: "the command line is invalid, or names a target that does not exist"
    case .notLoaded: "a script, the project file, a plan or a state file does not load"
    case .unavailable: "the backend, the network, the machine or an output file failed"
    case .nothing: "nothing was selected or found"
    case .timedOut: "a time limit was reached"
    case .internalError: "internal error (a bug in luath; please report it)"
    case .notExecutable: "the command of luath exec cannot be executed"
    case .notFound: "the command of luath exec does not exist"
    case .interrupted: "Ctrl-C or SIGTERM stopped the command"
    }
  }

  /// The condition for commands whose description has no other; nil for codes that not every command has.
  var general: String? {
    switch self {
    case .ok: "success"
    case .usage: "the command line is invalid"
    case .unavailable: "the output cannot be written"
    case .internalError: meaning
    default: nil
    }
  }
}

/// The exit status of a command: one of luath's codes or the script's own.
public enum ExitStatus: Sendable {
  case code(ExitCode)
  case script(Int32)

  /// The status for `exit`, from 0 to 255.
  public var rawValue: Int32 {
    switch self {
    case .code(let code): code.rawValue
    // The system keeps only eight bits, and 256 must not become 0.
    case .script(let status): (0...255).contains(status) ? status : ExitCode.failed.rawValue
    }
  }
}

/// An error that ends a command, with its exit code.
public struct CommandFailure: Error {
  /// The exit code of the command.
  public let code: ExitCode
  /// What failed.
  public let message: String
  /// The lines around the error; empty if there are none.
  public let excerpt: String
  /// What to do; nil if there is no advice.
  public let hint: String?

  /// An error with its exit code.
  public init(_ code: ExitCode, _ message: String, excerpt: String = "", hint: String? = nil) {
    self.code = code
    self.message = message
    self.excerpt = excerpt
    self.hint = hint
  }

  /// Reports the failure and returns the exit status.
  public func report(_ console: Console) -> ExitStatus {
    console.writeError(Console.words(message, excerpt: excerpt, hint: hint))
    return .code(code)
  }

  /// A server that could not be reached.
  public init(_ error: HTTPError) {
    self.init(.unavailable, error.message, hint: error.hint)
  }
}
