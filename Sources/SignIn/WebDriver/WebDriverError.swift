internal import System
internal import HTTP

/// Why a browser command failed.
///
/// Message and hint are our own texts, without entered text, queries or page content.
struct WebDriverError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The error codes of WebDriver Level 2 section 6.6, and our own.
  enum Code: String, Sendable, CaseIterable {
    case detachedShadowRoot
    case elementClickIntercepted
    case elementNotInteractable
    case insecureCertificate
    case invalidArgument
    case invalidCookieDomain
    case invalidElementState
    case invalidSelector
    case invalidSessionID
    case javascriptError
    case moveTargetOutOfBounds
    case noSuchAlert
    case noSuchCookie
    case noSuchElement
    case noSuchFrame
    case noSuchShadowRoot
    case noSuchWindow
    case scriptTimeout
    case sessionNotCreated
    case staleElementReference
    case timeout
    case unableToCaptureScreen
    case unableToSetCookie
    case unexpectedAlertOpen
    case unknownCommand
    case unknownError
    case unknownMethod
    case unsupportedOperation

    /// The browser could not load the page from its server.
    case pageUnreachable
    case driverMissing
    case browserMissing
    case versionMismatch
    /// Driver or browser ended before the session began.
    case cannotStart
    /// The browser or its page process ended during the session.
    case browserCrashed
    /// The driver ended or cannot be reached.
    case driverGone
    /// The driver did not respond in time.
    case timedOut
    case cancelled
    /// The response is not from a WebDriver server.
    case unexpectedAnswer
  }

  /// The kind of failure.
  let code: Code

  /// What happened.
  let message: String

  /// What to do about it.
  let hint: String

  /// The driver's message, which may contain scripts, selectors and parts of the page.
  let driverMessage: Secret?

  /// Creates an error; message and hint default to those of its code.
  init(
    _ code: Code, _ message: String? = nil, hint: String? = nil, driverMessage: Secret? = nil
  ) {
    self.code = code
    self.message = message ?? code.summary
    self.hint = hint ?? code.hint
    self.driverMessage = driverMessage
  }

  /// The message, with the hint when there is one.
  var description: String { hint.isEmpty ? message : "\(message); \(hint)" }
}

extension WebDriverError.Code {
  /// Creates a code from a driver's error name, such as `no such element`.
  init?(wireName: String) {
    let words = wireName.split(separator: " ")
    guard let first = words.first else { return nil }
    let name = words.dropFirst().reduce(String(first)) { name, word in
      name + (word == "id" ? "ID" : word.prefix(1).uppercased() + word.dropFirst())
    }
    self.init(rawValue: name)
  }

  /// The default message.
  var summary: String {
    switch self {
    case .detachedShadowRoot: "the shadow root is no longer part of the page"
    case .elementClickIntercepted: "another element covers the one to click"
    case .elementNotInteractable: "the element cannot be clicked or typed into"
    case .insecureCertificate: "the page's certificate is refused by the browser"
    case .invalidArgument: "the driver refuses an argument of the command"
    case .invalidCookieDomain: "the cookie belongs to another host than the page"
    case .invalidElementState: "the element cannot be changed, as it is disabled or read-only"
    case .invalidSelector: "the selector is not one"
    case .invalidSessionID: "the driver has no such session"
    case .javascriptError: "the script threw an error in the page"
    case .moveTargetOutOfBounds: "the pointer would leave the window"
    case .noSuchAlert: "no dialog is open"
    case .noSuchCookie: "there is no such cookie"
    case .noSuchElement: "there is no such element"
    case .noSuchFrame: "there is no such frame"
    case .noSuchShadowRoot: "the element has no shadow root"
    case .noSuchWindow: "the window was closed"
    case .scriptTimeout: "the script did not end in time"
    case .sessionNotCreated: "the driver could not start a browser"
    case .staleElementReference: "the element is no longer part of the page"
    case .timeout: "the page did not load in time"
    case .unableToCaptureScreen: "the browser could not take a screenshot"
    case .unableToSetCookie: "the browser refuses the cookie"
    case .unexpectedAlertOpen: "the page opened a dialog, which was dismissed"
    case .unknownCommand: "the driver has no such command"
    case .unknownError: "the driver failed"
    case .unknownMethod: "the driver does not accept this method for the command"
    case .unsupportedOperation: "the driver cannot do this"
    case .pageUnreachable: "the browser could not load the page"
    case .driverMissing: "there is no chromedriver on this machine"
    case .browserMissing: "there is no browser on this machine that chromedriver can drive"
    case .versionMismatch: "chromedriver and the browser are of different versions"
    case .cannotStart: "the browser could not be started"
    case .browserCrashed: "the browser ended in the middle"
    case .driverGone: "the driver ended in the middle"
    case .timedOut: "the driver did not respond in time"
    case .cancelled: "the browser was no longer wanted"
    case .unexpectedAnswer: "the server does not support WebDriver"
    }
  }

  /// The default hint.
  var hint: String {
    switch self {
    case .driverMissing:
      "install chromium and chromium-driver of one version, or name a driver by its address"
    case .browserMissing:
      "install chromium (or chromium-headless-shell) of chromedriver's version, or name a browser"
    case .versionMismatch: "install chromium and chromium-driver of one version"
    case .cannotStart, .sessionNotCreated:
      "run the browser by hand to see what it lacks; a headed one needs a display"
    case .browserCrashed:
      "check the machine's free memory and /dev/shm, and the versions of browser and driver"
    case .driverGone: "start again, and check the driver's log if it happens again"
    case .timedOut, .timeout: "allow more time, or check why the page is slow"
    case .scriptTimeout: "allow more time, and call the callback in every branch of the script"
    case .unexpectedAnswer: "check that the address is that of a WebDriver server"
    case .elementNotInteractable, .elementClickIntercepted:
      "wait until the element can be seen, and close what covers it"
    case .staleElementReference, .detachedShadowRoot: "find the element again"
    case .invalidSelector: "check the selector's spelling"
    case .noSuchWindow: "leave the window open until the sign-in is done"
    case .noSuchElement: "check the page: it may be another one, or still be loading"
    case .noSuchFrame: "check the page: it may be another one, or still be loading"
    case .insecureCertificate: "let the browser trust the issuing authority"
    case .invalidCookieDomain, .unableToSetCookie: "open a page of the cookie's host first"
    case .unknownCommand, .unknownMethod, .unsupportedOperation:
      "use chromedriver, or a newer version of this driver"
    case .pageUnreachable: "check the address, and that its server runs"
    case .invalidSessionID: "open another session"
    default: ""
    }
  }
}

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
    case .timedOut: self.init(.timedOut, "the driver at \(url.authority) did not respond in time")
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
      "the server at \(response.url.authority) does not support WebDriver: status \(response.status)"
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
