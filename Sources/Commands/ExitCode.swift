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
  var meaning: String {
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
  var word: String {
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
