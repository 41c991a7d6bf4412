internal import System
internal import HTTP
internal import Glibc

/// A browser with its own profile, controlled by W3C WebDriver.
///
/// Driver and browser end with the session, and with this process, however it ends. Use it from an
/// actor of the loop only. A canceled task ends its command at once.
final class BrowserSession {
  let connection: WebDriverConnection
  /// Our driver process; nil for a running driver.
  let driver: DriverProcess?
  private let loop: EventLoop
  private let path: String
  /// The time limit for the driver's response to a command.
  private var answerTimeout: Duration
  private let keepsLogs: Bool
  private let isHeadless: Bool
  private var hasEnded = false

  /// The browser's name according to the driver, such as `chrome` or `chrome-headless-shell`.
  let browserName: String

  /// The browser's version, such as `156.0.8078.79`.
  let browserVersion: String

  static func open(
    _ options: BrowserOptions, loop: EventLoop
  ) async throws(WebDriverError) -> BrowserSession {
    guard let url = options.driverURL else { return try await openHere(options, loop: loop) }
    guard url.scheme == "https" || url.isLoopback || options.trustsDriver else {
      throw WebDriverError(
        .invalidArgument, "the driver at \(url.authority) would get all that is typed in the clear",
        hint: "use https, or a tunnel to an address of this machine")
    }
    return try await BrowserSession(
      WebDriverConnection(url, loop: loop), nil, options, browser: options.browser, loop: loop)
  }

  private static func openHere(
    _ options: BrowserOptions, loop: EventLoop
  ) async throws(WebDriverError) -> BrowserSession {
    let programs = try BrowserPrograms(options)
    let (driver, url) = try await DriverProcess.start(programs.driver, options, loop: loop)
    do throws(WebDriverError) {
      return try await BrowserSession(
        WebDriverConnection(url, loop: loop), driver, options, browser: programs.browser,
        loop: loop)
    } catch {
      await driver.end(loop: loop)
      throw error
    }
  }

  private init(
    _ connection: WebDriverConnection, _ driver: DriverProcess?, _ options: BrowserOptions,
    browser: String?, loop: EventLoop
  ) async throws(WebDriverError) {
    let wanted = options.capabilities(browser: browser, profile: driver?.profile)
    let answer: JSON
    do throws(WebDriverError) {
      answer = try await connection.send(
        "POST", "/session", wanted, timeout: options.startTimeout)
    } catch {
      if error.code != .cancelled { try driver?.check() }
      throw error.atStart
    }
    guard let id = answer["sessionId"]?.string, !id.isEmpty else {
      throw WebDriverError(.unexpectedAnswer, "the driver opened a session without a name")
    }
    self.connection = connection
    self.driver = driver
    self.loop = loop
    isHeadless = options.isHeadless
    keepsLogs = options.keepsLogs
    path = "/session/\(PercentEncoding.encode(id))"
    browserName = answer["capabilities"]?["browserName"]?.string ?? ""
    browserVersion = answer["capabilities"]?["browserVersion"]?.string ?? ""
    // The driver enforces the limits itself; this one is for a driver that hangs.
    answerTimeout =
      max(options.pageLoadTimeout, options.scriptTimeout) + options.implicitWait
      + options.driverSlack
  }

  /// Ends the browser and everything started for it.
  ///
  /// Cannot be canceled and returns within 300 ms. We do not ask our own driver to close the
  /// browser: its warden ends both, even during a command.
  func end() async {
    guard !hasEnded else { return }
    hasEnded = true
    if let driver {
      await driver.end(loop: loop)
    } else {
      await connection.sendAnyway("DELETE", path, timeout: DriverProcess.endLimit)
    }
  }

  /// Runs commands with a shorter time limit for each of the driver's responses.
  func hurrying<T>(
    _ limit: Duration, _ body: () async throws(WebDriverError) -> T
  ) async throws(WebDriverError) -> T {
    let usual = answerTimeout
    answerTimeout = min(limit, usual)
    defer { answerTimeout = usual }
    return try await body()
  }

  /// Sends a command of this session and returns its value.
  func command(
    _ method: String, _ command: String, _ body: JSON? = nil
  ) async throws(WebDriverError) -> JSON {
    guard !hasEnded else { throw Self.closed }
    do throws(WebDriverError) {
      return try await connection.send(method, path + command, body, timeout: answerTimeout)
    } catch {
      throw await explained(error)
    }
  }

  private static let closed = WebDriverError(
    .invalidSessionID, "the browser has been closed already")

  /// Refines an error with what the session knows.
  private func explained(_ failure: WebDriverError) async -> WebDriverError {
    // The connection to an ending driver closes before its warden reports the end.
    if failure.code == .driverGone { await driver?.waitForEnd(loop: loop) }
    // Another task closed the browser during the command.
    if hasEnded, failure.code != .cancelled { return Self.closed }
    // Chromedriver uses a pipe to its browser; when the browser crashes, SIGPIPE ends chromedriver.
    if failure.code == .driverGone, driver?.wasEnded(by: SIGPIPE) == true {
      return WebDriverError(.browserCrashed)
    }
    if failure.code == .driverGone, let end = driver?.end {
      return WebDriverError(.driverGone, "the driver \(end) in the middle")
    }
    // Chromedriver cannot distinguish a browser closed by the user from a crashed one.
    let said = failure.driverMessage?.reveal() ?? ""
    guard failure.code == .browserCrashed, !isHeadless, !said.contains("crash") else {
      return failure
    }
    return WebDriverError(.noSuchWindow, driverMessage: failure.driverMessage)
  }

  func get(_ name: String) async throws(WebDriverError) -> JSON { try await command("GET", name) }

  @discardableResult
  func post(_ name: String, _ body: JSON = [:]) async throws(WebDriverError) -> JSON {
    try await command("POST", name, body)
  }

  func delete(_ name: String) async throws(WebDriverError) { _ = try await command("DELETE", name) }

  /// Returns a text value, or throws if the driver returned something else.
  func text(_ name: String) async throws(WebDriverError) -> String {
    guard let text = try await get(name).string else { throw Self.unexpected("text") }
    return text
  }

  static func unexpected(_ what: String) -> WebDriverError {
    WebDriverError(.unexpectedAnswer, "the driver's response should be \(what) and is not")
  }
}

extension BrowserSession {
  // MARK: Pages

  /// Opens a URL and waits until the page has loaded.
  func go(to address: String) async throws(WebDriverError) {
    try await post("/url", ["url": .string(address)])
  }

  /// Returns the page's URL, with query and fragment.
  func url() async throws(WebDriverError) -> String { try await text("/url") }

  /// Returns the page's title.
  func title() async throws(WebDriverError) -> String { try await text("/title") }

  /// Returns the current page as HTML.
  func source() async throws(WebDriverError) -> String { try await text("/source") }

  /// Goes back in the history, if possible.
  func back() async throws(WebDriverError) { try await post("/back") }

  /// Reloads the page.
  func reload() async throws(WebDriverError) { try await post("/refresh") }

  /// Takes a screenshot of the window as PNG.
  func screenshot() async throws(WebDriverError) -> [UInt8] {
    guard let bytes = Base64.decode(try await text("/screenshot")) else {
      throw Self.unexpected("a picture")
    }
    return bytes
  }

  /// Returns what Chromium has logged since the last call: console lines, and events of requests.
  ///
  /// Empty for another browser, and without `keepsLogs`.
  func logs() async throws(WebDriverError) -> (console: [JSON], performance: [JSON]) {
    guard keepsLogs, browserName.hasPrefix("chrom") else { return ([], []) }
    let console = try await post("/se/log", ["type": "browser"]).array ?? []
    return (console, try await post("/se/log", ["type": "performance"]).array ?? [])
  }

  /// Runs a function body in the page and returns its result; awaits a promise.
  ///
  /// Elements are passed and returned as `ElementID.json`.
  func execute(
    _ script: String, _ arguments: [JSON] = []
  ) async throws(WebDriverError) -> JSON {
    try await post(
      "/execute/sync", ["script": .string(script), "args": .array(arguments)])
  }

  /// Performs a sequence of key, pointer and wheel actions (WebDriver Level 2 section 15).
  func perform(actions: JSON) async throws(WebDriverError) {
    try await post("/actions", ["actions": actions])
  }

  /// Switches to the frame in an element of the page.
  func switchTo(frame element: ElementID) async throws(WebDriverError) {
    try await post("/frame", ["id": element.json])
  }

  /// Switches to the top-level page.
  func switchToTopFrame() async throws(WebDriverError) {
    try await post("/frame", ["id": .null])
  }

  // MARK: Elements

  /// Scrolls to an element and clicks its center.
  func click(_ element: ElementID) async throws(WebDriverError) {
    try await post("\(element.path)/click")
  }

  /// Clears a field.
  func clear(_ element: ElementID) async throws(WebDriverError) {
    try await post("\(element.path)/clear")
  }

  /// Appends a text to a field; for a file field, the text is a path.
  ///
  /// Characters from U+E000 are keys such as Enter (WebDriver Level 2 section 15.4.2).
  func type(_ text: Secret, into element: ElementID) async throws(WebDriverError) {
    try await post("\(element.path)/value", ["text": .string(text.reveal())])
  }

  // MARK: Cookies

  /// Returns the cookies of the page.
  func cookies() async throws(WebDriverError) -> [BrowserCookie] {
    guard let list = try await get("/cookie").array else { throw Self.unexpected("cookies") }
    return list.compactMap { BrowserCookie($0) }
  }

  /// Deletes all cookies of the page.
  func deleteCookies() async throws(WebDriverError) { try await delete("/cookie") }

  // MARK: Virtual authenticators

  /// Adds a virtual authenticator and returns its id.
  func add(_ authenticator: VirtualAuthenticator) async throws(WebDriverError) -> String {
    let answer = try await post("/webauthn/authenticator", authenticator.json)
    guard let name = answer.string else { throw Self.unexpected("an authenticator's name") }
    return name
  }

  /// Removes a virtual authenticator and its passkeys.
  func removeAuthenticator(_ name: String) async throws(WebDriverError) {
    try await delete(authenticator(name))
  }

  /// Returns the passkeys of a virtual authenticator, with their private keys.
  func credentials(of name: String) async throws(WebDriverError) -> [VirtualCredential] {
    guard let list = try await get("\(authenticator(name))/credentials").array else {
      throw Self.unexpected("a list of credentials")
    }
    return list.compactMap { VirtualCredential($0) }
  }

  /// Sets whether user verification succeeds from now on.
  func setUserVerified(
    _ isVerified: Bool, in name: String
  ) async throws(WebDriverError) {
    try await post("\(authenticator(name))/uv", ["isUserVerified": .bool(isVerified)])
  }

  private func authenticator(_ name: String) -> String {
    "/webauthn/authenticator/\(PercentEncoding.encode(name))"
  }
}

/// The driver's id of an element.
struct ElementID: Sendable, Hashable {
  /// The JSON key of element references (WebDriver Level 2 section 12.1).
  static let key = "element-6066-11e4-a52e-4f735466cecf"

  /// The id.
  let name: String

  /// The element as an argument of scripts and actions.
  var json: JSON { [Self.key: .string(name)] }

  /// Reads an element from a script's result; nil when it is something else.
  init?(_ json: JSON) {
    guard let name = json[Self.key]?.string, !name.isEmpty else { return nil }
    self.name = name
  }

  var path: String { "/element/\(PercentEncoding.encode(name))" }
}
