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
  public func status(of outcome: ScriptOutcome, timeout: String?) -> ExitStatus {
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
      console.report(
        "\(script.name.printable) was stopped after its time limit of \(limit(timeout))",
        hint: "raise --timeout, or look for what it waits for with --trace")
      return .code(.timedOut)
    case .stopped(.memory):
      console.report(
        "\(script.name.printable) was stopped: it took more memory than --memory allows",
        hint: "raise --memory, or look for a table that grows without end")
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
    let calls = calls(failure.traceback)
    // Errors raised by C functions have no location; use the script's innermost line in the traceback.
    let place = place ?? failure.place ?? calls.lazy.compactMap { innermost($0) }.first
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
        hint: failure.hint.map { secrets.clean(message: $0).printable }))
    if calls.count > 1 {
      console.writeError(
        "  called from:\n" + calls.map { "    \(secrets.clean($0).printable)\n" }.joined())
    }
  }

  private func line(at place: String, _ failure: ScriptFailure) -> String? {
    let (name, message) = (failure.name, failure.message)
    guard let colon = place.lastIndex(of: ":"),
      let number = Int(place[place.index(after: colon)...])
    else { return nil }
    let file = String(place[..<colon])
    var text = script.text
    if file != script.name {
      guard case .success(let content) = console.read(file) else { return nil }
      text = content
      secrets.hide(source: text)
    }
    let source = ShownSource(text) { secrets.clean($0) }
    if let excerpt = SourceExcerpt(number, of: source), !excerpt.isBlank {
      return excerpt.text(marking: name)
    }
    // The error is at the end of the file: show the line of the unclosed block, or else the last non-blank line.
    if let opened = message.firstMatch(of: /at line (\d+)/).flatMap({ Int($0.output.1) }) {
      return SourceExcerpt(opened, of: source)?.text(marking: name)
    }
    let lines = stride(from: number - 1, to: 0, by: -1).lazy
    return lines.compactMap { SourceExcerpt($0, of: source) }.first { !$0.isBlank }?.text(
      marking: name)
  }

  /// The `file:line` of a traceback line such as `file:line: in function 'f'`.
  private func innermost(_ call: String) -> String? {
    call.firstRange(of: ": in ").map { String(call[..<$0.lowerBound]) }
  }

  /// The lines of a traceback that are in the script.
  private func calls(_ traceback: String) -> [String] {
    traceback.split(separator: "\n").dropFirst()
      .map { String($0.drop { $0 == "\t" }.map { $0 == "\t" ? " " : $0 }) }
      .filter { !$0.hasPrefix("[C]") && !$0.hasPrefix("(...") && !$0.hasPrefix("luath/") }
      .prefix(12).map { $0 }
  }
}
