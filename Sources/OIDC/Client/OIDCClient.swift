import Encoding
public import HTTP

/// A client of one OpenID provider: finds it, asks for tokens and believes only what is proven.
///
/// A value, but its copies share the provider's keys; it is used from one thread.
public struct OIDCClient {
  /// What the provider says about itself.
  public let metadata: ProviderMetadata
  /// How the app is registered there.
  public let settings: OIDCClientSettings
  /// Who we are to the provider's endpoints, and how we prove it.
  public let credentials: ClientCredentials

  let transport: any Transport
  let keys: ProviderKeys
  /// Seconds since 1970.
  let now: () -> Int64

  /// Makes a client of a provider whose description is known.
  public init(
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

  /// Asks the issuer to describe itself and makes a client of it (OpenID Connect Discovery 1.0).
  public static func discover(
    _ settings: OIDCClientSettings, over transport: any Transport, now: @escaping () -> Int64
  ) async throws(OIDCError) -> OIDCClient {
    let metadata = try await ProviderMetadata.discover(
      issuer: settings.issuer, over: transport)
    return try OIDCClient(settings, metadata: metadata, over: transport, now: now)
  }

  /// Another endpoint by its name, when the provider has it.
  func endpoint(_ name: String, for purpose: String) throws(OIDCError) -> WebURL {
    if let url = try metadata.endpoint(name) { return url }
    throw OIDCError(
      .unsupported, "the provider offers no \(purpose): its description has no \(name)",
      hint: "do without, or ask the provider to switch it on for the client")
  }

  /// The scopes of a request: `openid` first, without which the answer is no OpenID Connect.
  func scope(_ scopes: [String]?) -> String {
    let wanted = scopes ?? settings.scopes
    return ((wanted.contains("openid") ? [] : ["openid"]) + wanted).joined(separator: " ")
  }
}
