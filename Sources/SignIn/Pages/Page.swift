public import System
public import HTTP

/// A browser tab that a script drives.
///
/// Every verb waits until its element is present, visible and enabled, and fails after `timeout`.
/// Used on the loop's thread only.
public final class Page {
  /// The default time limit of a verb.
  public var timeout: Duration
  let session: BrowserSession
  let loop: EventLoop
  let turns = PageLock()
  /// Records what the page shows and its browser logs; nil when nothing does.
  let recorder: PageRecorder?
  /// The requests that have no response so far.
  var log = BrowserLog()
  /// Whether commands currently go to a frame.
  private var isInFrame = false
  /// Whether the page is closed; all calls fail then.
  public private(set) var isClosed = false
  private var isClosing = false
  /// Whether a failure later on would record the page, so that it must not be closed before.
  public var isRecorded: Bool { recorder?.wants(.failure) == true }
  /// Whether an error ended the page's scope, so that the page is recorded before it is closed.
  public var hasFailed = false

  init(
    _ session: BrowserSession, loop: EventLoop, timeout: Duration = .seconds(10),
    recorder: PageRecorder? = nil
  ) {
    self.session = session
    self.recorder = recorder
    self.loop = loop
    self.timeout = timeout
  }

  /// Opens a page in a new browser.
  public static func open(
    _ options: BrowserOptions, loop: EventLoop, timeout: Duration = .seconds(10),
    recorder: PageRecorder? = nil
  ) async throws(PageError) -> Page {
    var options = options
    options.keepsLogs = recorder?.logged != nil
    do throws(WebDriverError) {
      return Page(
        try await BrowserSession.open(options, loop: loop), loop: loop, timeout: timeout,
        recorder: recorder)
    } catch {
      throw PageError(error, to: "open a browser")
    }
  }

  /// Closes the browser; may be called more than once.
  public func close() async {
    if isClosing { return }
    isClosing = true
    if hasFailed { await record("failed", .failure) }
    isClosed = true
    await readLastLogs()
    await session.end()
  }

  // MARK: Navigation

  /// Opens a URL and waits until the page has loaded.
  public func open(_ address: String) async throws(PageError) {
    guard let url = Self.openable(address) else {
      throw PageError(
        .navigationFailed, "the address is not one a page can be opened at",
        hint: "write the full URL: https://host/path")
    }
    let place = Self.place(address)
    let isOpened = try await command("open \(place)") { session throws(WebDriverError) in
      try await session.go(to: url)
      return try await session.execute("return location.protocol;").string != "chrome-error:"
    }
    if !isOpened {
      // Chromium blocks ports of other services (Fetch standard, "port blocking").
      throw PageError(
        .navigationFailed, "could not open \(place): the browser shows its own error page",
        hint: "check the address, and that browsers allow its port")
    }
  }

  private static func openable(_ address: String) -> String? {
    if address == "about:blank" || address.hasPrefix("data:") { return address }
    return WebURL(address)?.description
  }

  /// Returns a URL without the parts that may be secret; of a `data:` URL, which has the content itself, the type.
  public static func place(_ address: String) -> String {
    if let url = WebURL(address) { return "\(url.origin)\(url.path)" }
    return withoutData(address) ?? String(address.prefix { $0 != "?" && $0 != "#" && $0 != "," })
  }

  /// Returns a `data:` URL without its content; nil for other URLs.
  static func withoutData(_ address: String) -> String? {
    guard address.prefix(5).lowercased() == "data:" else { return nil }
    let type = address.prefix { $0 != "," }
    return type.endIndex == address.endIndex ? "data:…" : type + ",…"
  }

  /// Returns the browser's URL, with query and fragment.
  public func address() async throws(PageError) -> String {
    try await command("ask for the address") { session throws(WebDriverError) in
      try await session.url()
    }
  }

  /// Returns the page's title.
  public func title() async throws(PageError) -> String {
    try await command("ask for the title") { session throws(WebDriverError) in
      try await session.title()
    }
  }

  /// Returns the current document as HTML.
  public func source() async throws(PageError) -> String {
    try await command("read the document") { session throws(WebDriverError) in
      try await session.source()
    }
  }

  /// Goes back one page.
  public func back() async throws(PageError) {
    try await command("go back") { session throws(WebDriverError) in try await session.back() }
  }

  /// Reloads the page.
  public func reload() async throws(PageError) {
    try await command("reload the page") { session throws(WebDriverError) in
      try await session.reload()
    }
  }

  /// Takes a screenshot as PNG.
  public func screenshot() async throws(PageError) -> [UInt8] {
    try await command("take a picture") { session throws(WebDriverError) in
      try await session.screenshot()
    }
  }

  /// An argument of a script in the page.
  public enum Argument: Sendable {
    case json(JSON)
    /// An element; the call waits for it.
    case element(ElementPath)
  }

  /// Runs the body of a function in the page with `arguments`; awaits a returned promise.
  public func evaluate(
    _ script: String, _ arguments: [Argument] = []
  ) async throws(PageError) -> JSON {
    var values: [JSON] = []
    for argument in arguments {
      switch argument {
      case .json(let value): values.append(value)
      case .element(let path):
        values.append(
          try await act(on: path, .there) { (element) throws(WebDriverError) in element.element.json
          })
      }
    }
    let given = values
    do throws(PageError) {
      return try await command("run a script in the page") { session throws(WebDriverError) in
        try await session.execute(script, given)
      }
    } catch {
      throw await placed(error)
    }
  }

  // MARK: Commands

  /// Sends a command to the browser, in turn and outside of all frames.
  func command<T>(
    _ words: String, _ body: (BrowserSession) async throws(WebDriverError) -> T
  ) async throws(PageError) -> T {
    try await turn { () async throws(PageError) in
      do throws(WebDriverError) {
        try await leaveFrames()
        return try await body(session)
      } catch {
        throw PageError(error, to: words)
      }
    }
  }

  /// Runs commands that must not be mixed with those of other tasks.
  func turn<T>(_ body: () async throws(PageError) -> T) async throws(PageError) -> T {
    await turns.take()
    defer { turns.give() }
    if isClosed {
      throw PageError(.pageClosed, "the page was closed", hint: "open another page")
    }
    return try await body()
  }

  func leaveFrames() async throws(WebDriverError) {
    guard isInFrame else { return }
    try await session.switchToTopFrame()
    isInFrame = false
  }

  func enter(_ frame: ElementID) async throws(WebDriverError) {
    try await session.switchTo(frame: frame)
    isInFrame = true
  }

  /// Waits between two attempts, with increasing pauses up to 100 ms.
  func pause(_ round: Int) async throws(PageError) {
    do {
      try await loop.sleep(for: .milliseconds(min(100, 10 << min(round, 4))))
    } catch {
      throw PageError(
        .cancelled, "the task was cancelled",
        hint: "a call of cancel ended it, or another task won the race")
    }
  }
}

/// A condition that a script can wait for.
public enum PageCondition: Sendable {
  /// The URL matches.
  case address(AddressPattern)
  /// At least one matching element is visible.
  case seen(ElementPath)
  /// No matching element is visible.
  case gone(ElementPath)
  /// The body of a JavaScript function returns a truthy value.
  case script(String, [JSON])

  /// The description in error messages.
  var words: String {
    switch self {
    case .address(let pattern): "the address \(Page.place(pattern.text))"
    case .seen(let path): path.words
    case .gone(let path): "the end of \(path.words)"
    case .script: "what the function looks for"
    }
  }
}

extension Page {
  /// Waits until a condition holds.
  public func wait(
    until condition: PageCondition, within limit: Duration? = nil
  ) async throws(PageError) {
    let limit = limit ?? timeout
    let deadline = ContinuousClock.now + limit
    var round = 0
    while true {
      if try await holds(condition) { return }
      guard ContinuousClock.now < deadline else {
        throw await placed(
          PageError(
            .timedOut, "\(condition.words) did not come within \(limit)",
            hint: "allow more time with timeout, or check page:screenshot()"))
      }
      try await pause(round)
      round += 1
    }
  }

  private func holds(_ condition: PageCondition) async throws(PageError) -> Bool {
    switch condition {
    case .address(let pattern): return pattern.matches(try await address())
    case .seen(let path): return try await count(path) > 0
    case .gone(let path): return try await count(path) == 0
    case .script(let text, let arguments):
      return try await command("run a script in the page") { session throws(WebDriverError) in
        // The script runs in its own function, so that its `return` only ends that one.
        let script = """
          const f = new Function(arguments[0]);
          return Promise.resolve(f.apply(null, arguments[1])).then(Boolean);
          """
        let answer = try await session.execute(script, [.string(text), .array(arguments)])
        return answer.bool ?? false
      }
    }
  }
}

/// A lock for tasks that send commands to one page.
///
/// The current frame is a state of the browser, so related commands must not be interleaved with
/// others. Used on the loop's thread only.
final class PageLock {
  private(set) var isTaken = false
  private var waiting: [UnsafeContinuation<Void, Never>] = []

  func take() async {
    guard isTaken else {
      isTaken = true
      return
    }
    await withUnsafeContinuation { waiting.append($0) }
  }

  func give() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
  }
}
