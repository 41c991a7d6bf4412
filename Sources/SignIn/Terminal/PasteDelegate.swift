internal import System
public import HTTP
internal import IdentityToolkit
public import Client

/// Lets the user open the page anywhere and paste its final URL.
public final class PasteDelegate: PageDelegate {
  private let terminal: SignInTerminal
  private let loop: EventLoop
  private let limit: Duration
  private let showsPicture: Bool

  /// Creates a delegate for a terminal.
  ///
  /// - Parameters:
  ///   - limit: the time limit of a sign-in.
  ///   - showsPicture: whether to show the URL as a QR code.
  public init(
    terminal: SignInTerminal, loop: EventLoop, limit: Duration = .seconds(300),
    showsPicture: Bool = true
  ) {
    self.terminal = terminal
    self.loop = loop
    self.limit = limit
    self.showsPicture = showsPicture
  }

  /// Shows the URL and returns the pasted one.
  public func present(_ request: SignInPageRequest) async throws(AuthError) -> PageAnswer {
    let slot = AnswerSlot(loop)
    let asking = LoopTask(on: loop) { [self] in
      await slot.settle { () async throws(AuthError) in try await ask(request) }
    }
    let timedOut = AuthError(
      .webContextTimedOut, "no address was pasted in time",
      hint: "give the user more time with ui.paste{ timeout = … }")
    let outcome: Result<PageAnswer, AuthError>
    do throws(AuthError) {
      outcome = .success(try await slot.answer(within: limit, orElse: timedOut))
    } catch {
      outcome = .failure(error)
    }
    await asking.end()
    return try outcome.get()
  }

  /// Shows the URL and asks for the final one, without a time limit.
  func ask(_ request: SignInPageRequest) async throws(AuthError) -> PageAnswer {
    guard terminal.takeTurn() else {
      throw AuthError(
        .webContextAlreadyPresented, "another sign-in asks for an address at the terminal",
        hint: "let the users paste one after the other")
    }
    defer { terminal.endTurn() }
    let picture = showsPicture ? terminal.picture(of: request.url) : ""
    terminal.write(
      """
      luath: open the sign-in page of \(request.providerID), on any device:

        \(request.url)

      \(picture)Then paste the address the browser ends at, whatever is shown there. It begins with
        \(request.redirectURI)

      """)
    return try await PasteConversation(terminal: terminal, request: request).answer()
  }
}

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
      if isNew, !kept.isEmpty {
        failures = try failed("that was not the complete address", failures)
      }
      kept = isNew ? line : kept + line
      switch paste.judge(kept) {
      case .whole(let url): return PageAnswer(finalURL: url.description)
      case .foreign(let problem):
        throw AuthError(.webStateMismatch, "the address that was pasted holds \(problem)")
      case .begun where kept.utf8.count < Self.longest:
        if isNew { terminal.write("That is not the complete address yet: paste the rest of it.\n") }
      case .begun: (kept, failures) = ("", try failed("that is too long", failures))
      case .wrong(let reason): (kept, failures) = ("", try failed(reason, failures))
      }
    }
    throw AuthError(
      .webContextCancelled,
      Task.isCancelled ? nil : "the input ended before the final address was pasted",
      hint: "run the script at a terminal, or use ui.form or ui.webdriver")
  }

  private func failed(_ reason: String, _ failures: Int) throws(AuthError) -> Int {
    guard failures + 1 < Self.attempts else {
      throw AuthError(
        .webStateMismatch, "\(Self.attempts) pastes were not the final address: \(reason)",
        hint: "paste the complete address that the browser shows at the end; "
          + "what a page posts does not stand there: use ui.browser or ui.webdriver for it")
    }
    terminal.write("luath: \(reason). Paste the final address again:\n")
    return failures + 1
  }
}

/// Checks a pasted final URL.
struct PastedAddress {
  enum Verdict: Equatable {
    /// It is a valid response.
    case whole(WebURL)
    /// It may continue in the next line.
    case begun
    /// It is something else, for this reason; ask again.
    case wrong(String)
    /// It is the response of another sign-in, which ends this one.
    case foreign(String)
  }

  /// The redirect address, without query.
  let redirectURI: WebURL
  /// The state of the sign-in; nil when it has none.
  let state: String?
  /// Whether a code or token is required.
  var needsResult = true

  /// Checks a pasted text, which may be incomplete.
  func judge(_ text: String) -> Verdict {
    let text = Self.stripped(text)
    guard !text.isEmpty else { return .wrong("nothing was pasted") }
    guard let url = WebURL(text) else {
      return .wrong("that is no address: it begins with http:// or https://")
    }
    guard url.origin == redirectURI.origin, url.path == redirectURI.path else {
      if redirectURI.description.hasPrefix(url.description) { return .begun }
      return .wrong(
        "that is an address at \(url.origin), and the sign-in ends at "
          + "\(redirectURI.origin)\(redirectURI.path)")
    }
    let fields = LoopbackFields(url, postBody: nil)
    guard fields.isAnswer || !needsResult else {
      return url.query == redirectURI.query && url.fragment == nil
        ? .wrong("that address has no response: wait until the page has changed to it") : .begun
    }
    guard let problem = fields.problem(expecting: state, needsResult: needsResult) else {
      return .whole(url)
    }
    return fields.mayGoOn(to: state) ? .begun : .foreign(problem)
  }

  /// Whether a line begins a new URL, rather than continuing the one before.
  static func begins(_ line: String) -> Bool {
    let start = stripped(line).prefix(8).lowercased()
    return start.hasPrefix("http://") || start.hasPrefix("https://")
  }

  /// Removes what mail programs, shells and chats put around URLs (RFC 3986 appendix C).
  private static func stripped(_ text: String) -> String {
    var text = Substring(text.filter { !$0.isWhitespace })
    let pairs: [(Character, Character)] = [
      ("<", ">"), ("\"", "\""), ("'", "'"), ("`", "`"), ("(", ")"), ("“", "”"), ("«", "»"),
    ]
    while let pair = pairs.first(where: { text.first == $0.0 }) {
      text = text.dropFirst()
      if text.last == pair.1 { text = text.dropLast() }
    }
    return String(text.hasPrefix("URL:") ? text.dropFirst(4) : text)
  }
}
