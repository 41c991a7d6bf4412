public import HTTP

/// What a delegate must know to show a sign-in page.
public struct SignInPageRequest: Sendable {
  /// The page to open; its query holds the state of this sign-in.
  public let url: WebURL

  /// The provider whose page it is.
  public let providerID: String

  /// The address, without query, at which the sign-in is done.
  public let redirectURI: WebURL

  /// The person the page is likely for.
  public let loginHint: String?

  /// The language the page shall speak, such as `fr`; nil leaves it to the provider.
  public let language: String?

  /// Whether the backend is an emulator.
  public let isEmulated: Bool

  /// Describes a page to show.
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
