public import Encoding
import HTTP

/// Where a sign-in page ended.
public struct PageAnswer: Sendable {
  /// The address the provider sent the browser to, with query and fragment.
  public let finalURL: String

  /// The body, when the browser was made to POST it (OAuth 2.0 Form Post Response Mode).
  public let postBody: Secret?

  /// An answer in an address, or in the body of a request to it.
  public init(finalURL: String, postBody: Secret? = nil) {
    self.finalURL = finalURL
    self.postBody = postBody
  }

  /// The address with everything in it: posted fields take the place a fragment has.
  ///
  /// Whoever finishes a flow of their own then needs to look at one text only.
  public var address: String {
    guard let postBody, let url = WebURL(finalURL) else { return finalURL }
    return url.with(fragment: postBody.reveal()).description
  }
}
