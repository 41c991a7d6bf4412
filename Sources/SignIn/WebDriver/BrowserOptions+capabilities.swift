internal import System
internal import Glibc
internal import HTTP

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
      return ["capabilities": ["alwaysMatch": .object(always)]]
    }
    // A remote driver may be of any browser: an unknown name or option matches none.
    let firefox: JSON = isHeadless ? ["args": ["-headless"]] : [:]
    return [
      "capabilities": [
        "alwaysMatch": .object(always),
        "firstMatch": [
          ["browserName": "chrome", "goog:chromeOptions": chrome],
          ["browserName": "firefox", "moz:firefoxOptions": firefox],
          [:],
        ],
      ]
    ]
  }

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
