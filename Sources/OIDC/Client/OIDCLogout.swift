public import Encoding
public import HTTP

/// One sign-out at a provider, from the page to open to the address it comes back to.
public struct OIDCLogout: Sendable {
  /// The page to open; its query may hold an ID token.
  public let url: WebURL
  /// Where the browser comes back to; nil when it stays at the provider.
  public let redirectURI: WebURL?
  /// What ties the way back to this sign-out; nil when there is none.
  public let state: Secret?

  /// What the request carries that no error text may show.
  let secrets: [Secret]

  /// Returns when the browser came back from this sign-out.
  public func finish(finalURL: String, postBody: Secret? = nil) throws(OIDCError) {
    guard let redirectURI, let state else { return }
    let answer = try AuthorizationAnswer(finalURL, postBody: postBody, to: redirectURI, by: .query)
    if let failure = answer.failure(without: secrets + [state]) { throw failure }
    guard let claimed = answer["state"], constantTimeEqual(claimed, state.reveal()) else {
      throw OIDCError(
        .stateMismatch, "the browser did not come back from this sign-out",
        hint: "pass the address at which this sign-out ended")
    }
  }
}

extension OIDCLogout: CustomStringConvertible {
  /// The provider's origin, without what is secret.
  public var description: String { "sign-out at \(url.origin)" }
}
