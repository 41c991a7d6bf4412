/// Why a sign-in through HTML forms failed, and the page where it ended.
///
/// No field contains a password or a query: URLs end at the path, and answers are removed from texts of the page.
struct FormDriverError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind of failure; each has its own remedy.
  enum Code: String, Sendable, CaseIterable {
    /// The page or redirect limit was reached before the redirect address.
    case neverRedirects
    /// The page has no form or button that the driver can use.
    case noUsableForm
    /// The page requires a field without an answer.
    case missingAnswer
    /// The provider asks for the password again.
    case passwordRefused
    case usernameRefused
    /// The provider asks for a code or another secret answer again.
    case answerRefused
    case errorPage
    /// Consent was denied, as configured.
    case consentDenied
    /// The page cannot be denied reliably, and nothing was sent.
    case cannotDeny
    /// Consent was denied, but the provider signed the user in.
    case denialIgnored
    /// A sign-out asks for a login; nothing was entered.
    case loginAtSignOut
    /// The provider shows a page although `prompt=none` forbids it; nothing was entered.
    case pageDespitePromptNone
    case redirectNotRegistered
    /// Nothing secret was sent, because the page belongs to another site or is not encrypted.
    case unsafePage
    /// The time limit of the sign-in was reached.
    case timedOut
    /// A page exceeds the size limit.
    case tooLarge
    case network
    case cancelled
  }

  /// The kind of failure.
  let code: Code
  /// What happened, and at which page.
  let message: String
  /// What to do about it.
  let hint: String?
  /// The page's URL without its query.
  let page: String?
  /// The page's title, or its heading when it has no title.
  let title: String?
  /// The error message on the page.
  let pageMessage: String?
  /// The field or button at which the driver stopped.
  let field: String?
  /// The file with the saved page, if pages are saved; secrets are removed.
  var saved: String?

  /// The message, with the hint when there is one.
  var description: String { hint.map { "\(message); \($0)" } ?? message }

  func saved(in file: String?) -> FormDriverError {
    var failure = self
    failure.saved = file
    return failure
  }
}
