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
