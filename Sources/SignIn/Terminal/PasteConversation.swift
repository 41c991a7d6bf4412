internal import Client
internal import System
internal import HTTP
internal import IdentityToolkit

/// Asks the user at the terminal for the final URL of a sign-in page.
struct PasteConversation {
  let terminal: SignInTerminal
  let request: SignInPageRequest

  /// The maximum number of wrong pastes.
  private static let attempts = 3
  /// The maximum size of a URL in bytes.
  private static let longest = 256 << 10

  /// Asks until the final URL of this sign-in is pasted; joins a URL pasted in pieces.
  ///
  /// - Throws: `webStateMismatch` for a URL of another sign-in, or after the third wrong one;
  ///   `webContextCancelled` when the input ends or the task is canceled.
  func answer() async throws(AuthError) -> PageAnswer {
    let paste = PastedAddress(
      redirectURI: request.redirectURI, state: request.url.fields["state"],
      needsResult: !request.isSignOut)
    var kept = ""
    var failures = 0
    while let line = await terminal.readLine() {
      guard line.contains(where: { !$0.isWhitespace }) else { continue }
      let isNew = kept.isEmpty || PastedAddress.begins(line)
      if isNew, !kept.isEmpty { failures = try failed("that was not the whole address", failures) }
      kept = isNew ? line : kept + line
      switch paste.judge(kept) {
      case .whole(let url): return PageAnswer(finalURL: url.description)
      case .foreign(let problem):
        throw AuthError(.webStateMismatch, "the address that was pasted holds \(problem)")
      case .begun where kept.utf8.count < Self.longest:
        if isNew { terminal.write("That is not the whole address yet: paste the rest of it.\n") }
      case .begun: (kept, failures) = ("", try failed("that is too long", failures))
      case .wrong(let reason): (kept, failures) = ("", try failed(reason, failures))
      }
    }
    throw AuthError(
      .webContextCancelled,
      Task.isCancelled ? nil : "the input ended before the final address was pasted",
      hint: "run the script where somebody can paste, or use ui.form or ui.webdriver")
  }

  private func failed(_ reason: String, _ failures: Int) throws(AuthError) -> Int {
    guard failures + 1 < Self.attempts else {
      throw AuthError(
        .webStateMismatch, "\(Self.attempts) pastes were not the final address: \(reason)",
        hint: "paste the whole address that the browser shows at the end; "
          + "what a page posts does not stand there: use ui.browser or ui.webdriver for it")
    }
    terminal.write("luath: \(reason). Paste the final address again:\n")
    return failures + 1
  }
}
