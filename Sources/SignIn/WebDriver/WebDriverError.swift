import System

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
}
