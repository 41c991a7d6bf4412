internal import Glibc
internal import HTTP

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
