@testable import System
import Glibc
@testable import HTTP
import Testing

@testable import SignIn

/// Drivers that are missing, do not start or are none; no browser is started here.
@Suite(.timeLimit(.minutes(2))) struct DriverFailureTests {
  /// Options with temporary files of their own, so that a test sees what is left of them.
  private static func options(_ temporary: PrivateFolder) -> BrowserOptions {
    var options = BrowserOptions()
    options.environment["TMPDIR"] = temporary.path
    options.startTimeout = .seconds(60)
    options.driverSlack = .milliseconds(100)
    return options
  }

  /// How opening fails, after which nothing may be left.
  private static func failure(
    driver script: String, _ change: (inout BrowserOptions) -> Void = { _ in },
    _ location: SourceLocation = #_sourceLocation
  ) async throws -> WebDriverError {
    let temporary = try PrivateFolder()
    let programs = try PrivateFolder()
    defer {
      temporary.remove()
      programs.remove()
    }
    var options = options(temporary)
    options.driver = "\(programs.path)/chromedriver"
    try write(script, to: "\(programs.path)/chromedriver")
    change(&options)
    let failure = try #require(await Browser().openingFailure(options), sourceLocation: location)
    settles({ RunningProcesses.names(in: temporary.path).isEmpty }, sourceLocation: location)
    settles({ RunningProcesses.holding(temporary.path).isEmpty }, sourceLocation: location)
    return failure
  }

  private static func write(_ text: String, to path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o700)
    defer { close(file) }
    try #require(Glibc.write(file, text, text.utf8.count) == text.utf8.count)
  }

  /// How opening fails with a driver that answers so.
  private static func failure(
    _ answer: @escaping @Sendable (HTTPRequest) -> ServerResponse
  ) async throws -> WebDriverError {
    let browser = try Browser()
    var options = BrowserOptions()
    options.driverURL = WebURL(try await browser.serve(answer))
    return try #require(await browser.openingFailure(options))
  }

  @Test func `a driver that is missing is told with what to install`() async throws {
    let temporary = try PrivateFolder()
    defer { temporary.remove() }
    var options = Self.options(temporary)
    options.environment["PATH"] = temporary.path
    let missing = try #require(await Browser().openingFailure(options))
    #expect(missing.code == .driverMissing)
    #expect(missing.hint.contains("chromium-driver"))
    #expect(missing.message.hasPrefix("there is no chromedriver"))
    options.driver = "/no/such/chromedriver"
    let misnamed = try #require(await Browser().openingFailure(options))
    #expect(misnamed.code == .driverMissing)
    #expect(misnamed.message == "the driver /no/such/chromedriver is not a program")
  }

  @Test func `a browser that is missing is told with what to install`() async throws {
    let failure = try await Self.failure(driver: "") { $0.browser = "/no/such/browser" }
    #expect(failure.code == .browserMissing)
    #expect(failure.hint.contains("chromium"))
  }

  @Test func `a browser with a window needs a display`() async throws {
    let failure = try await Self.failure(driver: "") { options in
      options.isHeadless = false
      options.environment["DISPLAY"] = nil
      options.environment["WAYLAND_DISPLAY"] = nil
    }
    #expect(failure.code == .cannotStart)
    #expect(failure.hint.contains("DISPLAY"))
  }

  @Test func `a driver that ends at once is told with its exit code`() async throws {
    let failure = try await Self.failure(driver: "#!/bin/sh\nexit 7\n")
    #expect(failure.code == .cannotStart)
    #expect(failure.message == "the driver ended with exit code 7")
  }

  @Test func `a driver that misses its port is started again, but not for ever`() async throws {
    let tries = try PrivateFolder()
    defer { tries.remove() }
    let failure = try await Self.failure(
      driver:
        "#!/bin/sh\necho >> \(tries.path)/tries\necho IPv6 port not available. Exiting...\nexit 1\n"
    )
    #expect(RunningProcesses.contents(of: "\(tries.path)/tries") == "\n\n\n\n\n")
    #expect(
      failure.message
        == "the driver ended with exit code 1, with the message: IPv6 port not available. Exiting..."
    )
  }

  @Test func `a driver that is killed at once is told with its signal`() async throws {
    let failure = try await Self.failure(driver: "#!/bin/sh\nkill -11 $$\n")
    #expect(failure.message == "the driver was ended by SIGSEGV")
  }

  @Test func `a driver the system cannot run is told with the system's reason`() async throws {
    let failure = try await Self.failure(driver: "#!/no/such/interpreter\n")
    #expect(failure.code == .cannotStart)
    #expect(failure.message == "the driver cannot be started: no such file or directory")
  }

  @Test func `a driver that names no port is given up in time`() async throws {
    let failure = try await Self.failure(driver: "#!/bin/sh\necho hello\nsleep 600\n") {
      $0.startTimeout = .milliseconds(200)
    }
    #expect(failure.code == .cannotStart)
    #expect(failure.message == "the driver did not name its port in time")
  }

  @Test func `a driver that names a port where nobody listens is told`() async throws {
    let failure = try await Self.failure(
      driver: "#!/bin/sh\necho ChromeDriver was started successfully on port 1.\nexec sleep 600\n")
    #expect(failure.code == .cannotStart)
    #expect(failure.message.contains("127.0.0.1:1"))
  }

  @Test func `a name too long for a socket is not taken for a folder`() throws {
    let folder = try PrivateFolder(
      ProcessEnvironment(["TMPDIR": "/tmp/" + String(repeating: "x", count: 40)]))
    defer { folder.remove() }
    #expect(folder.path.utf8.count < 30)
  }

  @Test func `the port is read once its line is whole`() {
    #expect(DriverProcess.port(in: "was started successfully on port 3953") == nil)
    #expect(DriverProcess.port(in: "was started successfully on port 39531.\n") == 39531)
    #expect(DriverProcess.port(in: "was started successfully on port 99999.\n") == nil)
    #expect(DriverProcess.port(in: "Starting ChromeDriver on port 0\n") == nil)
  }

  @Test func `versions that do not fit are both named`() async throws {
    let failure = try await Self.failure { _ in
      reported(
        "session not created",
        "session not created: This version of ChromeDriver only supports Chrome version 114\n"
          + "Current browser version is 156.0.8078.79 with binary path /usr/bin/chromium")
    }
    #expect(failure.code == .versionMismatch)
    #expect(
      failure.message
        == "chromedriver is for version 114 and the browser is of version 156.0.8078.79")
  }

  @Test func `a browser that ends at once could not be started`() async throws {
    let failure = try await Self.failure { _ in
      reported("session not created", "session not created: Chrome instance exited.")
    }
    #expect(failure.code == .sessionNotCreated)
  }

  @Test(arguments: [
    // WebKitWebDriver's words, and geckodriver's.
    "Maximum number of active sessions", "Session is already started",
  ])
  func `a driver that serves one session says so for the next`(words: String) async throws {
    let failure = try await Self.failure { _ in reported("session not created", words) }
    #expect(failure.code == .sessionNotCreated)
    #expect(failure.message == "the driver has a session open and allows no more")
    #expect(failure.hint.contains("end the other session"))
  }

  @Test(arguments: [
    html("<h1>It works</h1>"), html("not here", status: 404), ServerResponse(text: ""),
    ServerResponse(status: 502), ServerResponse(text: "[1, 2", type: "application/json"),
    ServerResponse(text: "[]", type: "application/json"),
    ServerResponse(text: #"{"status": 0}"#, type: "application/json"),
    ServerResponse(text: #"{"value": {}}"#, type: "application/json"),
    ServerResponse(text: #"{"value": {"sessionId": ""}}"#, type: "application/json"),
    ServerResponse(text: #"{"value": {"sessionId": 7}}"#, type: "application/json"),
    ServerResponse(status: 500, text: #"{"value": null}"#, type: "application/json"),
    redirect("http://127.0.0.1:1/"),
  ])
  func `what does not speak WebDriver is told so`(answer: ServerResponse) async throws {
    let failure = try await Self.failure { _ in answer }
    #expect(failure.code == .unexpectedAnswer)
    #expect(!failure.description.contains("It works"))
  }

  @Test func `a driver elsewhere is reached safely or not at all`() async throws {
    var options = BrowserOptions()
    options.driverURL = WebURL("http://driver.contoso.example:4444/")
    let failure = try #require(await Browser().openingFailure(options))
    #expect(failure.code == .invalidArgument)
    #expect(failure.message.contains("driver.contoso.example:4444"))
    options.driverURL = WebURL("http://127.0.0.1:1/")
    let absent = try #require(await Browser().openingFailure(options))
    #expect(absent.code == .cannotStart)
    #expect(absent.message.contains("127.0.0.1:1"))
  }

  @Test func `a session elsewhere is deleted at its end`() async throws {
    let browser = try Browser()
    let log = Log()
    let origin = try await browser.serve { request in
      log.note("\(request.method) \(request.url.path)")
      return ServerResponse(
        text: #"{"value": {"sessionId": "a/b", "capabilities": {}}}"#, type: "application/json")
    }
    var options = BrowserOptions()
    options.driverURL = WebURL("\(origin)/wd/hub/")
    try await browser.open(options) { session in
      #expect(await session.failure { _ = try await $0.title() } == .unexpectedAnswer)
      await session.end()
      #expect(await session.failure { _ = try await $0.title() } == .invalidSessionID)
    }
    #expect(
      log.all == [
        "POST /wd/hub/session", "GET /wd/hub/session/a%2Fb/title", "DELETE /wd/hub/session/a%2Fb",
      ])
  }

  @Test(arguments: WebDriverError.Code.allCases)
  func `every kind of failure is told`(code: WebDriverError.Code) {
    #expect(!code.summary.isEmpty && code.summary.last != ".")
    #expect(!PageError(WebDriverError(code), to: "look").hint.isEmpty)
  }

  @Test func `failures reported by a driver keep its words apart`() {
    let failure = WebDriverError(
      reported: ["error": "no such element", "message": "no such element: #geheim"])
    #expect(failure.code == .noSuchElement)
    #expect(!"\(failure)".contains("geheim"))
    #expect(failure.driverMessage?.reveal() == "no such element: #geheim")
    #expect(WebDriverError(reported: ["error": "of another world"]).code == .unknownError)
    #expect(WebDriverError(reported: ["error": "chrome not reachable"]).code == .browserCrashed)
  }
}

/// A failure as drivers report it.
private func reported(_ name: String, _ message: String) -> ServerResponse {
  let body: JSON = ["value": ["error": .string(name), "message": .string(message)]]
  return ServerResponse(status: 500, text: body.encoded(), type: "application/json")
}
