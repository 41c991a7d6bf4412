public import HTTP

/// Whoever shows a sign-in page to a person, or acts as one.
public protocol AuthUIDelegate {
  /// Where the identity provider shall send the browser, if not to the project's own handler.
  ///
  /// A delegate that listens on this machine answers with its own address.
  var redirectURL: WebURL? { get }

  /// Shows the page and returns the address it ended at, with query and fragment.
  func present(_ request: SignInPageRequest) async throws(AuthError) -> String
}

extension AuthUIDelegate {
  /// The project's own handler.
  public var redirectURL: WebURL? { nil }
}
