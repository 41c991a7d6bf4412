public import System

/// The registration of an app at an OpenID provider.
public struct OIDCClientSettings: Sendable {
  /// The issuer, exactly as the provider spells it.
  public var issuer: String
  /// The client identifier.
  var clientID: String
  /// The client secret; nil for a public client, such as a program on a user's machine.
  var clientSecret: Secret?
  /// The authentication method; nil chooses one that the provider accepts.
  public var authentication: ClientCredentials.Method?
  /// The default redirect address.
  public var redirectURI: String?
  /// The default scopes; `openid` is added if missing.
  public var scopes: [String]
  /// The tolerated clock difference to the provider, in seconds.
  public var leeway: Int64

  /// Creates a registration.
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

  /// Returns credentials for a provider with these methods (OpenID Connect Core section 9).
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
