public import Client
public import HTTP

/// Opens a page where the user can see it.
public protocol PageOpener {
  /// Opens the page, and returns when opening can no longer fail.
  ///
  /// It is canceled when the sign-in ends earlier.
  func open(_ page: WebURL) async throws(PageOpeningFailure)
}

/// Why a page was not opened.
public enum PageOpeningFailure: Error {
  /// There is no browser, for this reason; the user is asked to open the page elsewhere.
  case unavailable(String)
  /// The sign-in ends with this error.
  case failed(AuthError)
}
