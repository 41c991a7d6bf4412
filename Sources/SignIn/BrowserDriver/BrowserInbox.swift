internal import Client

/// Keeps what the listener at the redirect address received, for a driver that polls.
///
/// Used on the loop's thread only.
final class BrowserInbox {
  private var result: Result<PageAnswer, AuthError>?

  func settle(_ result: Result<PageAnswer, AuthError>) {
    if self.result == nil { self.result = result }
  }

  /// The response, if one has arrived; throws if what arrived is not a response.
  var answer: PageAnswer? {
    get throws(AuthError) { try result?.get() }
  }
}
