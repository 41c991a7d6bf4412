/// Why a sign-in through HTML forms did not come back, and the page where it ended.
///
/// No field ever holds a password or a query: addresses are cut at the path, and the answers given
/// are removed from whatever the page repeats.
public struct FormDriverError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of failure, one per remedy.
  public enum Code: String, Sendable, CaseIterable {
    /// Page followed page and the redirect address was never reached.
    case neverRedirects
    /// The page has nothing the driver can fill or press.
    case noUsableForm
    /// The page wants a field for which there is no answer.
    case missingAnswer
    /// The provider asks for the password again.
    case passwordRefused
    /// The provider does not know the user name.
    case usernameRefused
    /// The provider asks for a code or another secret answer again.
    case answerRefused
    /// The provider shows an error and does not come back.
    case errorPage
    /// Consent was denied, as the answers wanted.
    case consentDenied
    /// The page cannot be denied here, and nothing was sent.
    case cannotDeny
    /// Consent was denied, and the provider signed the person in all the same.
    case denialIgnored
    /// A sign-out asks for a login, and nothing was typed.
    case loginAtSignOut
    /// The provider shows a page although `prompt=none` asked for none, and nothing was typed.
    case pageDespitePromptNone
    /// The provider does not know the redirect address.
    case redirectNotRegistered
    /// The password was not sent, because the page belongs to somebody else or is not encrypted.
    case unsafePage
    /// The total time ran out.
    case timedOut
    /// A page is larger than allowed.
    case tooLarge
    /// The transfer failed.
    case network
    /// The task was cancelled.
    case cancelled
  }

  /// The kind of failure.
  public let code: Code
  /// What happened, with the place.
  public let message: String
  /// What to do about it.
  public let hint: String?
  /// The page's address without its query.
  public let page: String?
  /// The page's title, or its heading when it has no title.
  public let title: String?
  /// What the page itself says went wrong.
  public let pageMessage: String?
  /// The field or button the driver stopped at.
  public let field: String?
  /// The file that holds the page, secrets taken out, when pages are kept.
  public internal(set) var saved: String?

  /// The message, with the hint when there is one.
  public var description: String { hint.map { "\(message); \($0)" } ?? message }

  func saved(in file: String?) -> FormDriverError {
    var failure = self
    failure.saved = file
    return failure
  }
}
