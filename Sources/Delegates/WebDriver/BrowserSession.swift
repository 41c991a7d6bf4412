internal import Encoding
import Glibc
public import HTTP

/// One browser with one profile of its own, told what to do over W3C WebDriver.
///
/// Driver and browser end with the session, and with this process, whatever ends it. Only from an
/// actor of the loop. Every command ends at once when its task is cancelled.
public final class BrowserSession {
  let connection: WebDriverConnection
  /// The driver, when it is ours.
  let driver: DriverProcess?
  private let loop: EventLoop
  private let path: String
  private let answerTimeout: Duration
  private let isHeadless: Bool
  private var hasEnded = false

  /// What the driver says it drives, such as `chrome` or `chrome-headless-shell`.
  public let browserName: String

  /// The browser's version, such as `156.0.8078.79`.
  public let browserVersion: String

  /// Opens a browser.
  public static func open(
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
    // The driver keeps the time itself; this is for one that hangs.
    answerTimeout =
      max(options.pageLoadTimeout, options.scriptTimeout) + options.implicitWait
      + options.driverSlack
  }

  /// Ends the browser and all that was started for it.
  ///
  /// Cannot be cancelled and returns within 300 ms. A driver of our own is not asked to close its
  /// browser: its warden ends both, in the middle of a command too.
  public func end() async {
    guard !hasEnded else { return }
    hasEnded = true
    if let driver {
      await driver.end(loop: loop)
    } else {
      await connection.sendAnyway("DELETE", path, timeout: DriverProcess.endLimit)
    }
  }

  /// Sends a command of this session and returns the driver's value.
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

  /// A failure with what only the session knows.
  private func explained(_ failure: WebDriverError) async -> WebDriverError {
    // The connection of a driver that ends is lost before its warden has told of the end.
    if failure.code == .driverGone { await driver?.waitForEnd(loop: loop) }
    // Another task has closed the browser under the command.
    if hasEnded, failure.code != .cancelled { return Self.closed }
    // Chromedriver speaks to its browser through a pipe, and a write into a broken one ends it.
    if failure.code == .driverGone, driver?.wasEnded(by: SIGPIPE) == true {
      return WebDriverError(.browserCrashed)
    }
    if failure.code == .driverGone, let end = driver?.end {
      return WebDriverError(.driverGone, "the driver \(end) in the middle")
    }
    // Chromedriver cannot tell a browser that a person closed from one that crashed.
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

  /// The answer as text, or the failure of a driver that gives none.
  func text(_ name: String) async throws(WebDriverError) -> String {
    guard let text = try await get(name).string else { throw Self.unexpected("text") }
    return text
  }

  static func unexpected(_ what: String) -> WebDriverError {
    WebDriverError(.unexpectedAnswer, "the driver's answer should be \(what) and is not")
  }
}
