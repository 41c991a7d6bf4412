/// Why something could not be done with a page.
///
/// No text has what was typed: fields are named by their locators.
public struct PageError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of failure, as scripts know them.
  public enum Code: String, Sendable, CaseIterable {
    /// Nothing on the page fits the locator.
    case elementNotFound
    /// More than one element fits.
    case ambiguousLocator
    /// The locator is none, such as a broken CSS selector.
    case invalidLocator
    /// The element is there, and a person could not use it: hidden, disabled, covered.
    case notInteractable
    /// What was waited for did not happen in time.
    case timedOut
    /// A script in the page failed.
    case javascriptError
    /// The address could not be opened.
    case navigationFailed
    /// The page shows a dialog of its own, which is in the way.
    case dialogOpened
    /// The page was closed.
    case pageClosed
    /// The browser ended or does not answer.
    case browserFailed
    /// No browser or no driver could be started.
    case browserUnavailable
    /// The browser cannot do this.
    case notSupported
    /// A file could not be read or written.
    case fileFailed
    /// The task was cancelled.
    case cancelled
  }

  /// The kind of failure.
  public let code: Code
  /// What happened.
  public let message: String
  /// What to do about it.
  public let hint: String
  /// The address of the page without query, when it is known.
  public var page: String?
  /// The page's title.
  public var title: String?

  /// Describes a failure.
  public init(_ code: Code, _ message: String, hint: String) {
    self.code = code
    self.message = message
    self.hint = hint
  }

  /// The message with the hint.
  public var description: String { "\(message); \(hint)" }
}
