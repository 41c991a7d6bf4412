public import Encoding

/// Why a browser did not do what it was told, or could not be told.
///
/// Message and hint are our own words: no typed text, no query and nothing of a page is in them.
public struct WebDriverError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of failure: those of WebDriver Level 2 section 6.6 under their own names, and ours.
  public enum Code: String, Sendable, CaseIterable {
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

    /// The page's server did not answer, as far as the browser could tell.
    case pageUnreachable
    /// There is no driver program.
    case driverMissing
    /// There is no browser program.
    case browserMissing
    /// Driver and browser are of different versions.
    case versionMismatch
    /// Driver or browser ended before there was a session.
    case cannotStart
    /// The browser or its page process ended in the middle.
    case browserCrashed
    /// The driver ended, or cannot be reached.
    case driverGone
    /// The driver did not answer in time.
    case timedOut
    /// The task was cancelled.
    case cancelled
    /// What answered does not speak WebDriver.
    case unexpectedAnswer
  }

  /// The kind of failure.
  public let code: Code

  /// What happened.
  public let message: String

  /// What to do about it.
  public let hint: String

  /// What the driver said, which may repeat scripts, selectors and parts of the page.
  public let driverMessage: Secret?

  /// A failure in the words of its kind, or in better ones.
  public init(
    _ code: Code, _ message: String? = nil, hint: String? = nil, driverMessage: Secret? = nil
  ) {
    self.code = code
    self.message = message ?? code.summary
    self.hint = hint ?? code.hint
    self.driverMessage = driverMessage
  }

  /// The message, with the hint when there is one.
  public var description: String { hint.isEmpty ? message : "\(message); \(hint)" }
}

extension WebDriverError.Code {
  /// The kind a driver names, such as `no such element`.
  init?(wireName: String) {
    let words = wireName.split(separator: " ")
    guard let first = words.first else { return nil }
    let name = words.dropFirst().reduce(String(first)) { name, word in
      name + (word == "id" ? "ID" : word.prefix(1).uppercased() + word.dropFirst())
    }
    self.init(rawValue: name)
  }
}
