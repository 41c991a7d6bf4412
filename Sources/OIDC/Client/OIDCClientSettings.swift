public import Encoding

/// How an app is registered at an OpenID provider.
public struct OIDCClientSettings: Sendable {
  /// The issuer, exactly as the provider writes it.
  public var issuer: String
  /// The client identifier the provider gave out.
  public var clientID: String
  /// The client secret; nil for a public client, as programs on people's machines are.
  public var clientSecret: Secret?
  /// How the client proves itself; chosen by what the provider takes when nil.
  public var authentication: ClientCredentials.Method?
  /// Where the provider sends the browser back to, unless a request says otherwise.
  public var redirectURI: String?
  /// The permissions asked for; `openid` is added when it is missing.
  public var scopes: [String]
  /// How far the provider's clock may be off, in seconds.
  public var leeway: Int64

  /// Describes a registration.
  public init(
    issuer: String, clientID: String, clientSecret: Secret? = nil,
    authentication: ClientCredentials.Method? = nil, redirectURI: String? = nil,
    scopes: [String] = ["openid", "profile", "email"], leeway: Int64 = 60
  ) {
    self.issuer = issuer
    self.clientID = clientID
    self.clientSecret = clientSecret
    self.authentication = authentication
    self.redirectURI = redirectURI
    self.scopes = scopes
    self.leeway = leeway
  }

  /// The credentials for a provider that takes these ways (OpenID Connect Core section 9).
  func credentials(among methods: [String]) throws(OIDCError) -> ClientCredentials {
    guard let clientSecret else {
      guard authentication == nil || authentication == ClientCredentials.Method.none else {
        throw OIDCError(
          .unusableRequest, "a client without a secret cannot prove that it has one",
          hint: "give clientSecret, or leave authentication out")
      }
      return ClientCredentials(id: clientID, secret: nil, method: ClientCredentials.Method.none)
    }
    if let authentication {
      return ClientCredentials(id: clientID, secret: clientSecret, method: authentication)
    }
    for method in [ClientCredentials.Method.basic, .post] where methods.contains(method.rawValue) {
      return ClientCredentials(id: clientID, secret: clientSecret, method: method)
    }
    let offered = methods.filter(isErrorName).joined(separator: ", ")
    throw OIDCError(
      .unsupported, "the provider does not take client secrets, only: \(offered)",
      hint: "register the client for client_secret_basic, or give authentication to try anyway")
  }
}
