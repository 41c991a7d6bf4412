internal import System

/// One emulated identity provider: its ids and the paths of its pages.
struct IdentityProvider: Sendable {
  enum Kind: Sendable { case microsoft, yahoo, google, oidc }

  let kind: Kind
  /// The Firebase provider id.
  let id: String
  /// The app registration; nil when the project has none with this provider.
  let registration: ProviderConfiguration?

  /// The path prefix of all pages in a browser; its cookies are limited to it.
  var root: String {
    switch kind {
    case .microsoft: "/login.microsoftonline.com"
    case .yahoo: "/api.login.yahoo.com"
    case .google: "/accounts.google.com"
    case .oidc: "/oidc/\(PercentEncoding.encode(String(id.dropFirst("oidc.".count))))"
    }
  }

  /// Whether users can sign in for a device (RFC 8628).
  var hasDevices: Bool { kind != .yahoo }

  /// The provider's name on its pages.
  var name: String {
    switch kind {
    case .microsoft: "Microsoft"
    case .yahoo: "Yahoo"
    case .google: "Google"
    case .oidc: registration?.displayName ?? String(id.dropFirst("oidc.".count))
    }
  }

  /// The path of the sign-in pages; Microsoft's includes the tenant.
  func signInPath(tenant: String?) -> String {
    guard let tenant, kind == .microsoft else { return "\(root)/signin" }
    return "\(root)/\(PercentEncoding.encode(tenant))/signin"
  }

  /// The issuer of ID tokens, exactly as in the discovery document.
  ///
  /// The real host is only the first path segment, so a token of the emulator can never be mistaken for a real one.
  func issuer(origin: String, tenantID: String? = nil) -> String {
    guard kind == .microsoft else { return origin + root }
    return "\(origin)\(root)/\(tenantID ?? "{tenantid}")/v2.0"
  }
}
