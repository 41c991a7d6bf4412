public import Encoding
public import HTTP

/// How a sign-in came back to the redirect address, which is never itself fetched.
public struct SignInArrival: Sendable {
  /// The address a browser would stand at, query and fragment included.
  public let url: WebURL
  /// The fields of a `form_post` answer, or nil when the answer is in the address.
  public let posted: FormFields?

  /// The address with everything in it: posted fields take the place a fragment answer has.
  ///
  /// Whoever finishes the sign-in then needs to look at one text only.
  public var finalAddress: String {
    guard let posted else { return url.description }
    return url.with(fragment: posted.encoded).description
  }

  /// The provider's `error`, when it came back with one.
  public var providerError: String? {
    posted?["error"] ?? url.fields["error"] ?? url.fragmentFields["error"]
  }
}
