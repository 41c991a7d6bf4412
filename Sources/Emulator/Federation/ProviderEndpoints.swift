internal import System
internal import HTTP
internal import OIDC

/// The addresses of a provider's endpoints, as the backend sees them.
struct ProviderEndpoints: Sendable {
  let authorization: WebURL
  let token: WebURL
  let keys: WebURL
  /// How the project authenticates at the token endpoint.
  let authentication: ClientCredentials.Method
  /// The endpoint that returns the profile for an access token; nil if the ID token is the only source.
  let profile: WebURL?
  /// The valid values of `iss`, with `{tid}` for the tenant of the token.
  let issuers: [String]

  /// Whether responses of the authorization endpoint name the issuer (RFC 9207).
  let namesIssuer: Bool

  /// The emulated endpoints of a provider with fixed addresses; nil for any other provider.
  init?(providerID: String, tenant: String?, origin: String) {
    let paths: (authorization: String, token: String, keys: String, profile: String)
    let issuer: String
    switch providerID {
    case "microsoft.com":
      let base = "login.microsoftonline.com/\(tenant ?? "common")"
      paths = (
        "\(base)/oauth2/v2.0/authorize", "\(base)/oauth2/v2.0/token",
        "\(base)/discovery/v2.0/keys", "graph.microsoft.com/v1.0/me"
      )
      issuer = "login.microsoftonline.com/{tid}/v2.0"
    case "yahoo.com":
      issuer = "api.login.yahoo.com"
      paths = (
        "\(issuer)/oauth2/request_auth", "\(issuer)/oauth2/get_token",
        "\(issuer)/openid/v1/certs", "\(issuer)/openid/v1/userinfo"
      )
    case "google.com":
      issuer = "accounts.google.com"
      paths = (
        "\(issuer)/o/oauth2/v2/auth", "oauth2.googleapis.com/token",
        "www.googleapis.com/oauth2/v3/certs", "openidconnect.googleapis.com/v1/userinfo"
      )
    default: return nil
    }
    guard let authorization = WebURL("\(origin)/\(paths.authorization)"),
      let token = WebURL("\(origin)/\(paths.token)"),
      let keys = WebURL("\(origin)/\(paths.keys)"),
      let profile = WebURL("\(origin)/\(paths.profile)")
    else { return nil }
    self.authorization = authorization
    self.token = token
    self.keys = keys
    self.profile = profile
    authentication = providerID == "yahoo.com" ? .basic : .post
    issuers = ["https://\(issuer)", "\(origin)/\(issuer)"]
    // Microsoft's responses do so only if the path names one tenant.
    namesIssuer = providerID != "microsoft.com"
  }

  init(_ metadata: ProviderMetadata) {
    authorization = metadata.authorizationEndpoint
    token = metadata.tokenEndpoint
    keys = metadata.jwksURI
    profile = metadata.userinfoEndpoint
    // Microsoft's shared discovery document uses this placeholder for the tenant.
    let marked = metadata.issuer.split(separator: "/", omittingEmptySubsequences: false)
      .map { $0 == "{tenantid}" ? "{tid}" : $0 }
    issuers = [marked.joined(separator: "/")]
    namesIssuer =
      metadata.document["authorization_response_iss_parameter_supported"]?.bool == true
    let methods = metadata.tokenAuthenticationMethods.compactMap(
      ClientCredentials.Method.init(rawValue:))
    authentication = methods.contains(.basic) ? .basic : methods.first ?? .basic
  }

  /// The issuer a token must name, given its claims.
  func expectedIssuer(for claims: JSONObject) -> String {
    let expected = issuers.map { issuer in
      guard issuer.utf8.contains(UInt8(ascii: "{")) else { return issuer }
      return Self.fill(issuer, tenant: claims["tid"]?.string ?? "")
    }
    let named = claims["iss"]?.string
    return expected.first { $0 == named } ?? expected[0]
  }

  /// Whether a text is one of the issuers, for any tenant.
  func isIssuer(_ text: String) -> Bool {
    let given = text.split(separator: "/", omittingEmptySubsequences: false)
    return issuers.contains { issuer in
      let parts = issuer.split(separator: "/", omittingEmptySubsequences: false)
      return parts.count == given.count
        && zip(parts, given).allSatisfy { part, other in
          part == "{tid}" ? !other.isEmpty : part.utf8.elementsEqual(other.utf8)
        }
    }
  }

  private static func fill(_ template: String, tenant: String) -> String {
    var parts: [Substring] = []
    for part in template.split(separator: "/", omittingEmptySubsequences: false) {
      parts.append(part == "{tid}" ? Substring(tenant) : part)
    }
    return parts.joined(separator: "/")
  }
}
