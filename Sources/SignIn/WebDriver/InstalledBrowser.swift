public import System
internal import HTTP
internal import Glibc

/// The paths of driver and browser for a session.
struct BrowserPrograms {
  let driver: String
  let browser: String

  /// Finds both programs, or throws what is missing.
  init(_ options: BrowserOptions) throws(WebDriverError) {
    driver = try Self.driver(options)
    browser = try Self.browser(options)
    guard !options.isHeadless else { return }
    guard options.environment["DISPLAY"] != nil || options.environment["WAYLAND_DISPLAY"] != nil
    else {
      throw WebDriverError(
        .cannotStart, "a browser with a window needs a display, and there is none",
        hint: "set DISPLAY or WAYLAND_DISPLAY, run under xvfb-run, or use a headless browser")
    }
  }

  static func driver(_ options: BrowserOptions) throws(WebDriverError) -> String {
    if let driver = options.driver {
      guard ProcessEnvironment.isProgram(driver) else {
        throw WebDriverError(.driverMissing, "the driver \(driver) is not a program")
      }
      return driver
    }
    guard let driver = options.environment.program(["chromedriver", "chromium.chromedriver"]) else {
      throw WebDriverError(.driverMissing)
    }
    return driver
  }

  /// The headless shell, which starts fastest.
  ///
  /// Debian's program of that name in PATH is a wrapper script that would stay between driver and
  /// browser, so we use the browser itself.
  private static let shell = "/usr/lib/chromium/chromium-headless-shell"

  static func browser(_ options: BrowserOptions) throws(WebDriverError) -> String {
    if let browser = options.browser {
      guard ProcessEnvironment.isProgram(browser) else {
        throw WebDriverError(.browserMissing, "the browser \(browser) is not a program")
      }
      return browser
    }
    if options.isHeadless, ProcessEnvironment.isProgram(shell) { return shell }
    let names = [
      "chromium", "google-chrome", "google-chrome-stable", "chromium-browser", "chrome",
    ]
    let found = options.environment.program(
      options.isHeadless ? names + ["chrome-headless-shell"] : names)
    guard let found else { throw WebDriverError(.browserMissing) }
    return found
  }
}

/// The installed driver and browser, to diagnose why a browser does not start.
public struct InstalledBrowser: Sendable {
  /// A program and its version; the version is nil when the program does not run.
  public struct Program: Sendable {
    /// The path of the program.
    public let path: String
    /// Its version, such as 120.0.6099.71.
    public let version: String?
  }

  /// The WebDriver program.
  public let driver: Result<Program, Problem>
  /// The browser.
  public let browser: Result<Program, Problem>

  /// Finds both programs as a sign-in would, and runs them for their versions.
  ///
  /// This takes up to ten seconds for each program that does not respond.
  public static func find() async -> InstalledBrowser {
    let options = BrowserOptions()
    var driver: Result<Program, Problem>
    do throws(WebDriverError) {
      driver = .success(await program(try BrowserPrograms.driver(options)))
    } catch {
      driver = .failure(Problem(error.message, hint: error.hint))
    }
    do throws(WebDriverError) {
      let browser = await program(try BrowserPrograms.browser(options))
      return InstalledBrowser(driver: driver, browser: .success(browser))
    } catch {
      return InstalledBrowser(
        driver: driver, browser: .failure(Problem(error.message, hint: error.hint)))
    }
  }

  private static func program(_ path: String) async -> Program {
    Program(path: path, version: await version(of: path))
  }

  /// Returns the output of `PROGRAM --version` from the first digit to the next space.
  private static func version(of path: String) async -> String? {
    guard let folder = try? PrivateFolder(), let file = try? folder.file("version") else {
      return nil
    }
    defer {
      close(file)
      folder.remove()
    }
    guard
      let supervisor = try? ProcessSupervisor(
        program: path, arguments: ["--version"], environment: ProcessEnvironment.current.lines,
        output: file, folder: nil)
    else { return nil }
    defer { supervisor.close() }
    let deadline = ContinuousClock.now + .seconds(10)
    while case .running = supervisor.state {
      guard ContinuousClock.now < deadline else { return nil }
      guard (try? await Task.sleep(for: .milliseconds(5))) != nil else { return nil }
    }
    guard supervisor.state == .ended(code: 0) else { return nil }
    var bytes = [UInt8](repeating: 0, count: 1024)
    let count = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, 0) }
    let text = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    let version = text.drop { !($0.isASCII && $0.isNumber) }
      .prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    return version.isEmpty ? nil : String(version)
  }
}
