internal import Encoding
internal import Glibc
internal import HTTP

extension BrowserOptions {
  /// What the driver is asked for (WebDriver Level 2 section 7).
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
    // Whatever the driver there drives: a name or an option it does not know makes no match.
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
      // Its log would repeat what pages write to their console, and lie beside the program.
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
    // The headless shell looks at the second only.
    if let language { arguments += ["--lang=\(language)", "--accept-lang=\(language)"] }
    if let profile {
      // By a pipe and not by a port, through which everybody on this machine could rule the browser.
      arguments += ["--user-data-dir=\(profile)", "--remote-debugging-pipe"]
    }
    // Chromium refuses to run as root in its sandbox.
    if geteuid() == 0, driverURL?.isLoopback ?? true { arguments.append("--no-sandbox") }
    return arguments
  }
}

extension Duration {
  /// The length in whole milliseconds, as drivers count.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    return min(seconds, 1 << 40) * 1000 + attoseconds / 1_000_000_000_000_000
  }
}
