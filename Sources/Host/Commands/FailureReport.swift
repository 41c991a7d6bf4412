import Glibc
import HTTP

/// Reports how a script ended: the location, the line with a caret, and a hint.
public struct FailureReport {
  private let script: Script
  private let console: Console
  private let secrets: RunSecrets

  /// A report on runs of this script.
  public init(_ script: Script, _ console: Console, hiding secrets: RunSecrets) {
    self.script = script
    self.console = console
    self.secrets = secrets
  }

  /// Error codes of the auth, http and oidc modules for a server that could not be reached.
  private static let unreachable: Set = [
    "networkError", "transport", "issuerUnreachable", HTTPError.Code.resolve.rawValue,
    HTTPError.Code.connect.rawValue,
    HTTPError.Code.tls.rawValue, HTTPError.Code.timedOut.rawValue,
  ]

  /// The exit status of an outcome, after printing why the script failed.
  ///
  /// - Parameters:
  ///   - place: Where the script was stopped, as `file:line`, if it was.
  ///   - timeout: The value of `--timeout`.
  ///   - memory: The value of `--memory`.
  public func status(
    of outcome: ScriptOutcome, at place: String? = nil, timeout: String?, memory: String? = nil
  ) -> ExitStatus {
    switch outcome {
    case .finished: return .code(.ok)
    case .exited(let status): return .script(status)
    case .failed(let failure):
      report(failure)
      return .code(failure.code.map(Self.unreachable.contains) == true ? .unavailable : .failed)
    case .notLoaded(let failure):
      report(failure, place: failure.place ?? script.name)
      return .code(.notLoaded)
    case .stopped(.time):
      report(
        ScriptFailure(
          message: "the script was stopped after its time limit of \(limit(timeout))",
          hint:
            "look at this line: does it wait, or is it in a loop without end? otherwise raise --timeout"
        ),
        place: place ?? script.name)
      return .code(.timedOut)
    case .stopped(.memory):
      report(
        ScriptFailure(
          message:
            "the script was stopped: it needs more memory than --memory \(memory ?? "") allows",
          hint: "look for a table or text that grows without end; otherwise raise --memory"),
        place: place ?? script.name)
      return .code(.failed)
    case .stopped(.interrupt):
      console.report("\(script.name.printable) was interrupted")
      return .code(.interrupted)
    }
  }

  private func limit(_ timeout: String?) -> String {
    guard let timeout else { return "its run" }
    return timeout.last?.isNumber == true ? "\(timeout) s" : timeout
  }

  private func report(_ failure: ScriptFailure, place: String? = nil) {
    let traceback = Traceback(failure.traceback)
    // Errors raised by C functions have no location; use the script's innermost line in the traceback.
    let place = place ?? failure.place ?? traceback.place
    let code = failure.code.map { "\(secrets.clean($0).printable): " } ?? ""
    // Read the excerpt first, because the secrets in its file must be masked in the message as well.
    let excerpt = place.flatMap { line(at: $0, failure) } ?? ""
    let message = secrets.clean(message: failure.message).split(
      separator: "\n", omittingEmptySubsequences: false
    )
    .map { String($0.map { $0 == "\t" ? " " : $0 }).printable }.joined(separator: "\n  ")
    console.writeError(
      Console.words(
        (place.map { "\($0.printable): " } ?? "") + code + message, excerpt: excerpt,
        hint: failure.hint.map { hint in
          (failure.quotesSource ? hint : secrets.clean(message: hint)).printableLines
        }))
    // A single call is named too if the failure is elsewhere, in a function that was given to it.
    let isElsewhere = traceback.calls.first.map { !$0.hasPrefix("\(place ?? ""):") } ?? false
    if traceback.calls.count > 1 || isElsewhere {
      console.writeError(
        "  called from:\n" + traceback.calls.map { "    \(secrets.clean($0).printable)\n" }.joined()
      )
    }
  }

  private func line(at place: String, _ failure: ScriptFailure) -> String? {
    guard let place = SourceLine(place) else { return nil }
    var text = script.text
    if place.file != script.name {
      guard case .success(let content) = console.read(place.file) else { return nil }
      text = content
      secrets.hide(source: text)
    }
    let source = ShownSource(text) { secrets.clean($0) }
    return SourceExcerpt(place.line, of: source, for: failure)?.text(
      marking: failure.name, as: failure.role, near: failure.column)
  }
}
