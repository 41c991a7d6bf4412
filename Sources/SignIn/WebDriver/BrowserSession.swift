internal import System
import Glibc
import HTTP

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
  private let answerTimeout: Duration
  private let isHeadless: Bool
  private var hasEnded = false

  /// The browser's name according to the driver, such as `chrome` or `chrome-headless-shell`.
  let browserName: String

  /// The browser's version, such as `156.0.8078.79`.
  let browserVersion: String

  /// Opens a browser.
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
    WebDriverError(.unexpectedAnswer, "the driver's answer should be \(what) and is not")
  }
}
