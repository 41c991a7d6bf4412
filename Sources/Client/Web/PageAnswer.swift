public import System
import HTTP

/// The end of a sign-in page.
public struct PageAnswer: Sendable {
  /// The URL that the provider redirected to, with query and fragment.
  public let finalURL: String

  /// The body, if the browser posted it (OAuth 2.0 Form Post Response Mode).
  public let postBody: Secret?

  /// The final URL, and the body if the browser posted one.
  public init(finalURL: String, postBody: Secret? = nil) {
    self.finalURL = finalURL
    self.postBody = postBody
  }

  /// The final URL; posted fields become its fragment.
  ///
  /// Code that finishes its own flow then needs only one string.
  public var address: String {
    guard let postBody, let url = WebURL(finalURL) else { return finalURL }
    return url.with(fragment: postBody.reveal()).description
  }
}
