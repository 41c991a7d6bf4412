internal import System
internal import HTTP

extension WebDriverError {
  /// Converts an error that a driver reports (WebDriver Level 2 section 6.6).
  init(reported value: JSON) {
    let name = value["error"]?.string ?? ""
    let words = value["message"]?.string ?? ""
    let said = words.isEmpty ? nil : Secret(words)
    if let versions = Versions(words) {
      self = versions.error(said)
    } else if Self.isFull(words) {
      self.init(
        .sessionNotCreated, "the driver has a session open and allows no more",
        hint:
          "end the other session, run one sign-in at a time, or start another driver on a port of "
          + "its own", driverMessage: said)
    } else if let code = Self.ended[name] ?? Self.ending(words) {
      self.init(code, driverMessage: said)
    } else if let reason = Self.networkError(in: words) {
      self.init(
        .pageUnreachable, "the browser could not load the page: \(reason)", driverMessage: said)
    } else if words.contains("no chrome binary") || words.contains("cannot find Chrome binary") {
      self.init(.browserMissing, driverMessage: said)
    } else {
      self.init(Code(wireName: name) ?? .unknownError, driverMessage: said)
    }
  }

  /// Recognizes the errors of WebKitWebDriver and geckodriver, which allow one session each.
  private static func isFull(_ words: String) -> Bool {
    ["Maximum number of active sessions", "Session is already started"]
      .contains { words.contains($0) }
  }

  /// Error names of chromedriver that are not in the specification.
  private static let ended: [String: Code] = [
    "disconnected": .browserCrashed, "chrome not reachable": .browserCrashed,
    "tab crashed": .browserCrashed, "invalid session id": .browserCrashed,
  ]

  /// Recognizes a lost browser that chromedriver reports under a general name.
  private static func ending(_ words: String) -> Code? {
    let isLost = [
      "not connected to DevTools", "chrome not reachable", "tab crashed", "page crash",
    ].contains { words.contains($0) }
    return isLost ? .browserCrashed : nil
  }

  /// Returns Chromium's name of a failed load, such as `net::ERR_CONNECTION_REFUSED`.
  private static func networkError(in words: String) -> String? {
    guard let range = words.firstRange(of: "net::ERR_") else { return nil }
    let rest = words[range.upperBound...].prefix { $0.isASCII && ($0.isUppercase || $0 == "_") }
    return "net::ERR_\(rest)"
  }

  /// Converts an HTTP error of the connection to the driver.
  init(_ failure: HTTPError, at url: WebURL) {
    switch failure.code {
    case .cancelled: self.init(.cancelled)
    case .timedOut: self.init(.timedOut, "the driver at \(url.authority) did not answer in time")
    case .tooLarge, .unsupported, .malformedURL, .tooManyRedirects, .bodyRedirected:
      self.init(.unexpectedAnswer, failure.message, hint: failure.hint)
    case .connect, .resolve, .tls:
      self.init(
        .driverGone, "the driver cannot be reached: \(failure.message)", hint: failure.hint)
    default: self.init(.driverGone)
    }
  }

  /// The error to report when it occurred before there was a session.
  var atStart: WebDriverError {
    switch code {
    case .driverGone: WebDriverError(.cannotStart, message, hint: hint)
    case .timedOut: WebDriverError(.cannotStart, "the browser did not start in time")
    // Chromedriver reports a browser that ends during its start as a crash.
    case .browserCrashed: WebDriverError(.cannotStart, driverMessage: driverMessage)
    default: self
    }
  }

  /// The error for a response that is not from a WebDriver server.
  static func foreign(_ response: HTTPResponse, _ what: String) -> WebDriverError {
    WebDriverError(
      .unexpectedAnswer,
      "what answers at \(response.url.authority) does not speak WebDriver: status \(response.status)"
        + ", \(what)")
  }
}

/// The versions in chromedriver's error about an unsupported browser.
private struct Versions {
  let driver: String
  let browser: String?

  init?(_ words: String) {
    guard let range = words.firstRange(of: "only supports Chrome version ") else { return nil }
    driver = Self.number(words[range.upperBound...])
    browser = words.firstRange(of: "browser version is ").map {
      Self.number(words[$0.upperBound...])
    }
  }

  private static func number(_ words: Substring) -> String {
    String(words.prefix(24).prefix { $0.isASCII && ($0.isNumber || $0 == ".") })
  }

  func error(_ said: Secret?) -> WebDriverError {
    WebDriverError(
      .versionMismatch,
      "chromedriver is for version \(driver) and the browser is of version "
        + (browser ?? "another"), driverMessage: said)
  }
}
