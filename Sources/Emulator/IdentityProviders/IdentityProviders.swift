internal import HTTP

/// The emulated Microsoft, Yahoo, Google and OIDC servers: their pages, tokens and profile endpoints.
final class IdentityProviders {
  private let site: Site

  init(site: Site) {
    self.site = site
  }

  /// The answer when the path belongs to an identity provider, else nil.
  func answer(_ request: HTTPRequest) -> Answer? {
    nil
  }
}
