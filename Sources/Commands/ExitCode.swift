/// What the process answers its caller.
public enum ExitCode: Int32, CaseIterable, Sendable {
  /// Everything went well.
  case ok = 0
  /// The script, a journey or a row failed.
  case failed = 1
  /// The command line makes no sense.
  case usage = 2
  /// A script or the project file does not load.
  case notLoaded = 3
  /// The host or the network could not run it.
  case unavailable = 4
  /// Nothing was selected, or nothing found.
  case nothing = 5
  /// The time limit was reached.
  case timedOut = 6
  /// luath itself is wrong.
  case internalError = 8
  /// Ended in good order by Ctrl-C or another signal.
  case interrupted = 130
}

extension ExitCode {
  /// What it means, in the words of the manual.
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

  /// The same in a word or two, for the help.
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
