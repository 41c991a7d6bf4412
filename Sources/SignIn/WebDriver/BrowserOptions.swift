internal import System
public import HTTP
internal import Glibc

/// The options for opening a browser.
public struct BrowserOptions: Sendable {
  /// The URL of a running driver, on this machine or elsewhere; nil starts a chromedriver.
  ///
  /// With a running driver, only the session is ended. If opening a session is given up, the
  /// session stays with that driver. The driver receives everything that is entered, so its URL
  /// must be HTTPS or on this machine, unless `trustsDriver` is set.
  public var driverURL: WebURL?

  /// Whether a remote driver may be used without encryption.
  var trustsDriver = false

  /// The path of the chromedriver to start; nil searches PATH.
  var driver: String?

  /// The path of the browser; nil searches the usual places.
  public var browser: String?

  /// Whether the browser runs without a window.
  public var isHeadless = true

  /// The window's width and height in pixels.
  public var windowSize: (width: Int, height: Int) = (1280, 900)

  /// The language of pages and browser, such as `fr` or `de-CH`; nil for the system's.
  public var language: String?

  /// Whether to accept untrusted certificates.
  var acceptsInsecureCertificates = false

  /// The time limit for starting driver and browser.
  var startTimeout: Duration = .seconds(30)

  /// The time limit for loading a page.
  var pageLoadTimeout: Duration = .seconds(30)

  /// The time limit for a script in the page.
  var scriptTimeout: Duration = .seconds(30)

  /// How long the driver waits for an element to appear.
  var implicitWait: Duration = .zero

  /// Whether Chromium keeps what pages write to the console, and their requests, for `BrowserSession.logs`.
  var keepsLogs = false

  /// Extra time for the driver's responses, on top of the limits above.
  var driverSlack: Duration = .seconds(5)

  /// The environment of started programs, also used to find them.
  var environment = ProcessEnvironment.current

  /// Creates the default options: a headless browser on this machine.
  public init() {}
}

extension BrowserOptions {
  /// Returns the requested capabilities (WebDriver Level 2 section 7).
  func capabilities(browser: String?, profile: String?) -> JSON {
    var always: JSONObject = [
      "timeouts": [
        "implicit": .integer(implicitWait.milliseconds),
        "pageLoad": .integer(pageLoadTimeout.milliseconds),
        "script": .integer(scriptTimeout.milliseconds),
      ]
    ]
    if acceptsInsecureCertificates { always["acceptInsecureCerts"] = true }
    let chrome = chromeOptions(browser: browser, profile: profile)
    guard driverURL != nil, browser == nil else {
      always["browserName"] = .string(Self.name(of: browser ?? ""))
      always["goog:chromeOptions"] = chrome
      always["goog:loggingPrefs"] = logs
      return ["capabilities": ["alwaysMatch": .object(always)]]
    }
    var chromium: JSONObject = ["browserName": "chrome", "goog:chromeOptions": chrome]
    chromium["goog:loggingPrefs"] = logs
    // A remote driver may be of any browser: an unknown name or option matches none.
    let firefox: JSON = isHeadless ? ["args": ["-headless"]] : [:]
    return [
      "capabilities": [
        "alwaysMatch": .object(always),
        "firstMatch": [
          .object(chromium),
          ["browserName": "firefox", "moz:firefoxOptions": firefox],
          [:],
        ],
      ]
    ]
  }

  /// The logs that chromedriver keeps for us; nil for none.
  private var logs: JSON? { keepsLogs ? ["browser": "ALL", "performance": "ALL"] : nil }

  private static func name(of browser: String) -> String {
    browser.hasSuffix("headless-shell") ? "chrome-headless-shell" : "chrome"
  }

  private func chromeOptions(browser: String?, profile: String?) -> JSON {
    var options: JSONObject = [
      "args": .array(arguments(profile: profile).map { .string($0) }),
      // Its log would repeat the console output of pages, next to the executable.
      "excludeSwitches": ["enable-logging"],
    ]
    var preferences: JSONObject = [
      "credentials_enable_service": false, "profile.password_manager_enabled": false,
      "profile.password_manager_leak_detection": false,
    ]
    if let language { preferences["intl.accept_languages"] = .string(language) }
    options["prefs"] = .object(preferences)
    if let browser { options["binary"] = .string(browser) }
    // The log "performance" of requests only.
    if keepsLogs { options["perfLoggingPrefs"] = ["enableNetwork": true, "enablePage": false] }
    return .object(options)
  }

  private func arguments(profile: String?) -> [String] {
    var arguments = [
      "--no-first-run", "--no-default-browser-check", "--disable-background-networking",
      "--disable-component-update", "--disable-sync", "--disable-default-apps",
      "--disable-extensions", "--disable-dev-shm-usage", "--password-store=basic",
      "--window-size=\(windowSize.width),\(windowSize.height)",
    ]
    if isHeadless { arguments.append("--headless=new") }
    // The headless shell reads only the second one.
    if let language { arguments += ["--lang=\(language)", "--accept-lang=\(language)"] }
    if let profile {
      // A pipe rather than a port, through which any local user could control the browser.
      arguments += ["--user-data-dir=\(profile)", "--remote-debugging-pipe"]
    }
    // Chromium does not run as root in its sandbox.
    if geteuid() == 0, driverURL?.isLoopback ?? true { arguments.append("--no-sandbox") }
    return arguments
  }
}

extension Duration {
  /// The duration in whole milliseconds, as in WebDriver.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    return min(seconds, 1 << 40) * 1000 + attoseconds / 1_000_000_000_000_000
  }
}
