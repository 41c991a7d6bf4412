import System
public import HTTP

/// A client of one OpenID provider: discovery, token requests, and verification.
///
/// A value type, but copies share the provider's keys. Use it from one thread.
public struct OIDCClient {
  /// The provider's metadata.
  public let metadata: ProviderMetadata
  /// The app's registration at the provider.
  public let settings: OIDCClientSettings
  /// The credentials for the provider's endpoints.
  public let credentials: ClientCredentials

  let transport: any Transport
  let keys: ProviderKeys
  /// Returns seconds since 1970.
  let now: () -> Int64

  /// Creates a client from known metadata.
  init(
    _ settings: OIDCClientSettings, metadata: ProviderMetadata, over transport: any Transport,
    now: @escaping () -> Int64
  ) throws(OIDCError) {
    guard !settings.clientID.isEmpty else {
      throw OIDCError(
        .unusableRequest, "the client identifier is empty",
        hint: "give the identifier the provider gave out when the app was registered")
    }
    self.metadata = metadata
    self.settings = settings
    credentials = try settings.credentials(among: metadata.tokenAuthenticationMethods)
    self.transport = transport
    self.now = now
    keys = ProviderKeys(metadata.jwksURI, over: transport, now: now)
  }

  /// Fetches the issuer's metadata and creates a client (OpenID Connect Discovery 1.0).
  public static func discover(
    _ settings: OIDCClientSettings, over transport: any Transport, now: @escaping () -> Int64
  ) async throws(OIDCError) -> OIDCClient {
    let metadata = try await ProviderMetadata.discover(
      issuer: settings.issuer, over: transport)
    return try OIDCClient(settings, metadata: metadata, over: transport, now: now)
  }

  /// Returns another endpoint by name, or throws when the provider does not have it.
  func endpoint(_ name: String, for purpose: String) throws(OIDCError) -> WebURL {
    if let url = try metadata.endpoint(name) { return url }
    throw OIDCError(
      .unsupported, "the provider offers no \(purpose): its description has no \(name)",
      hint: "do without, or ask the provider to switch it on for the client")
  }

  /// Returns the scopes of a request, with `openid` first, which OpenID Connect requires.
  func scope(_ scopes: [String]?) -> String {
    let wanted = scopes ?? settings.scopes
    return ((wanted.contains("openid") ? [] : ["openid"]) + wanted).joined(separator: " ")
  }
}
