public import HTTP
import System

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
  /// Ended in an orderly way by Ctrl-C or another signal.
  case interrupted = 130
}

extension ExitCode {
  /// The description for the manual.
  public var meaning: String {
    switch self {
    case .ok: "Everything went well."
    case .failed: "The script, a journey or a row failed."
    case .usage: "The command line makes no sense."
    case .notLoaded: "A script or the project file does not load."
    case .unavailable: "The host or the network could not run it."
    case .nothing: "Nothing was selected, or nothing found."
    case .timedOut: "The time limit was reached."
    case .internalError: "luath itself is wrong."
    case .interrupted: "Ended in good order by Ctrl-C or another signal."
    }
  }

  /// The description in a word or two, for the help.
  public var word: String {
    switch self {
    case .ok: "ok"
    case .failed: "failed"
    case .usage: "usage"
    case .notLoaded: "does not load"
    case .unavailable: "host or network"
    case .nothing: "nothing selected or found"
    case .timedOut: "timed out"
    case .internalError: "luath is wrong"
    case .interrupted: "interrupted"
    }
  }
}

/// The exit status of a command: one of luath's codes or the script's own.
public enum ExitStatus: Sendable {
  case code(ExitCode)
  case script(Int32)

  public var rawValue: Int32 {
    switch self {
    case .code(let code): code.rawValue
    // The system keeps only eight bits, and 256 must not become 0.
    case .script(let status): (0...255).contains(status) ? status : ExitCode.failed.rawValue
    }
  }
}

public struct CommandFailure: Error {
  public let code: ExitCode
  public let message: String
  public let excerpt: String
  public let hint: String?

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

  public init(_ error: HTTPError) {
    self.init(.unavailable, error.message, hint: error.hint)
  }
}
