public import Auth
public import HTTP

/// Opens a page where a person can see it.
public protocol PageOpener {
  /// Opens the page, and waits as long as there may be a failure to tell of.
  ///
  /// It is cancelled when the sign-in ends before.
  func open(_ page: WebURL) async throws(PageOpeningFailure)
}

/// Why a page was not opened.
public enum PageOpeningFailure: Error {
  /// There is no browser, for this reason: the person is asked to open the page elsewhere.
  case unavailable(String)
  /// The sign-in ends with this.
  case failed(AuthError)
}
