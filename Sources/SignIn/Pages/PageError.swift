internal import System

/// Why a page operation failed.
///
/// No text contains what was entered: fields are named by their locators.
public struct PageError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of failure, as scripts see them.
  public enum Code: String, Sendable, CaseIterable {
    /// No element matches the locator.
    case elementNotFound
    /// More than one element matches.
    case ambiguousLocator
    /// The locator is invalid, such as a malformed CSS selector.
    case invalidLocator
    /// The element is present but hidden, disabled or covered.
    case notInteractable
    /// The time limit was reached.
    case timedOut
    case javascriptError
    case navigationFailed
    /// The page opened a dialog, which blocks it.
    case dialogOpened
    case pageClosed
    /// The browser ended or does not respond.
    case browserFailed
    /// No browser or driver could be started.
    case browserUnavailable
    case notSupported
    /// A file could not be read or written.
    case fileFailed
    case cancelled
  }

  /// The kind of failure.
  public let code: Code
  /// What happened.
  public let message: String
  /// What to do about it.
  public let hint: String
  /// The page's URL without its query, if known.
  public var page: String?
  /// The page's title.
  public var title: String?

  /// Creates an error.
  public init(_ code: Code, _ message: String, hint: String) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// The message with the hint.
  public var description: String { "\(message); \(hint)" }
}

extension PageError {
  /// Converts an error of the browser.
  ///
  /// - Parameter deed: The failed action, to follow "could not".
  init(_ error: WebDriverError, to deed: String) {
    var deed = "could not \(deed): "
    let code: Code
    switch error.code {
    case .noSuchElement, .staleElementReference, .detachedShadowRoot, .noSuchFrame,
      .noSuchShadowRoot:
      code = .elementNotFound
    case .elementClickIntercepted, .elementNotInteractable, .invalidElementState,
      .moveTargetOutOfBounds:
      code = .notInteractable
    case .invalidSelector: code = .invalidLocator
    case .javascriptError: code = .javascriptError
    case .pageUnreachable, .insecureCertificate: code = .navigationFailed
    case .scriptTimeout, .timeout: code = .timedOut
    case .unexpectedAlertOpen: code = .dialogOpened
    case .noSuchWindow, .invalidSessionID: code = .pageClosed
    case .driverMissing, .browserMissing, .versionMismatch, .cannotStart, .sessionNotCreated,
      .unexpectedAnswer:
      code = .browserUnavailable
      deed = ""
    case .cancelled: code = .cancelled
    case .unknownCommand, .unknownMethod, .unsupportedOperation, .invalidArgument,
      .unableToSetCookie, .invalidCookieDomain, .noSuchCookie, .noSuchAlert:
      code = .notSupported
    default: code = .browserFailed
    }
    var said = error.message
    if error.code == .javascriptError, let words = error.driverMessage?.reveal() {
      // The error that the user's script threw is shown, because it says what to fix.
      said = Self.thrown(words)
    }
    self.init(
      code, deed + said, hint: error.hint.isEmpty ? "check page:screenshot()" : error.hint)
  }

  /// Returns the first line of chromedriver's message, without its prefix.
  private static func thrown(_ words: String) -> String {
    let first = words.prefix { $0 != "\n" }
    let prefix = "javascript error: "
    return SignInPage.words(
      String(first.hasPrefix(prefix) ? first.dropFirst(prefix.count) : first))
  }
}
