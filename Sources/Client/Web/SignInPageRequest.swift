public import HTTP

/// The page that a delegate shows.
public struct SignInPageRequest: Sendable {
  /// The URL to open; its query has the state of this sign-in.
  public let url: WebURL

  /// The provider of the page.
  public let providerID: String

  /// The redirect URL without query, where the sign-in ends.
  public let redirectURI: WebURL

  /// The user who will probably sign in.
  public let loginHint: String?

  /// The language for the page, such as `fr`; nil leaves it to the provider.
  public let language: String?

  /// Whether the backend is an emulator.
  public let isEmulated: Bool

  /// A page to show.
  public init(
    url: WebURL, providerID: String, redirectURI: WebURL, loginHint: String? = nil,
    language: String? = nil, isEmulated: Bool
  ) {
    self.url = url
    self.providerID = providerID
    self.redirectURI = redirectURI
    self.loginHint = loginHint
    self.language = language
    self.isEmulated = isEmulated
  }
}

extension SignInPageRequest: CustomStringConvertible {
  /// The provider and the page's origin.
  public var description: String { "sign-in page of \(providerID) at \(url.origin)" }
}
