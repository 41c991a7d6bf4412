public import System
public import HTTP

/// One sign-out at a provider, from its URL to the redirect.
public struct OIDCLogout: Sendable {
  /// The page to open; its query may contain an ID token.
  public let url: WebURL
  /// The redirect address; nil when the browser stays at the provider.
  public let redirectURI: WebURL?
  /// The state, which ties the redirect to this sign-out, if there is one.
  public let state: Secret?

  /// Secrets in the request that no error message may contain.
  let secrets: [Secret]

  /// Throws unless the browser was redirected from this sign-out.
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
  /// The provider's origin, without secrets.
  public var description: String { "sign-out at \(url.origin)" }
}
