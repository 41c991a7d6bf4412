internal import Auth

/// What the listener at the redirect address was brought, for a driver that looks now and then.
///
/// Used on the loop's thread only.
final class BrowserInbox {
  private var result: Result<PageAnswer, AuthError>?

  func settle(_ result: Result<PageAnswer, AuthError>) {
    if self.result == nil { self.result = result }
  }

  /// The answer, if there is one; or why what came is none.
  var answer: PageAnswer? {
    get throws(AuthError) { try result?.get() }
  }
}
