internal import Encoding
internal import HTTP
internal import OIDC

/// Where a provider answers, as the backend sees it.
struct ProviderEndpoints: Sendable {
  let authorization: WebURL
  let token: WebURL
  let keys: WebURL
  /// How the project proves itself at the token endpoint.
  let authentication: ClientCredentials.Method
  /// Where the profile is read with the access token; nil when the ID token is all there is.
  let profile: WebURL?
  /// The values of `iss` that are right, with `{tid}` for the tenant of the token.
  let issuers: [String]

  /// Whether answers of the authorization endpoint name the issuer (RFC 9207).
  let namesIssuer: Bool

  /// The emulated server of a provider whose addresses never change.
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
    // The answers of Microsoft do where the path names one tenant.
    namesIssuer = providerID != "microsoft.com"
  }

  /// The endpoints a discovery document names.
  init(_ metadata: ProviderMetadata) {
    authorization = metadata.authorizationEndpoint
    token = metadata.tokenEndpoint
    keys = metadata.jwksURI
    profile = metadata.userinfoEndpoint
    // Microsoft's shared description names its tenants so.
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
