internal import Encoding

/// One emulated identity provider: what it is called and where its pages are.
struct IdentityProvider: Sendable {
  enum Kind: Sendable { case microsoft, yahoo, google, oidc }

  let kind: Kind
  /// The Firebase provider id.
  let id: String
  /// The app registration, or nil when the project has none with this provider.
  let registration: ProviderConfiguration?

  /// The path all pages a browser sees are under; its cookies go nowhere else.
  var root: String {
    switch kind {
    case .microsoft: "/login.microsoftonline.com"
    case .yahoo: "/api.login.yahoo.com"
    case .google: "/accounts.google.com"
    case .oidc: "/oidc/\(PercentEncoding.encode(String(id.dropFirst("oidc.".count))))"
    }
  }

  /// Whether people can sign in at it for a device elsewhere (RFC 8628).
  var hasDevices: Bool { kind != .yahoo }

  /// What the pages call the provider.
  var name: String {
    switch kind {
    case .microsoft: "Microsoft"
    case .yahoo: "Yahoo"
    case .google: "Google"
    case .oidc: registration?.displayName ?? String(id.dropFirst("oidc.".count))
    }
  }

  /// The path of the sign-in pages; Microsoft keeps the tenant in it.
  func signInPath(tenant: String?) -> String {
    guard let tenant, kind == .microsoft else { return "\(root)/signin" }
    return "\(root)/\(PercentEncoding.encode(tenant))/signin"
  }

  /// The issuer of ID tokens, exactly as discovery says it.
  ///
  /// Real hosts are only the first path segment here, so a token of the emulator can never pass
  /// for one of theirs.
  func issuer(origin: String, tenantID: String? = nil) -> String {
    guard kind == .microsoft else { return origin + root }
    return "\(origin)\(root)/\(tenantID ?? "{tenantid}")/v2.0"
  }
}
