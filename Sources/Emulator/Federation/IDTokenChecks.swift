internal import System
internal import HTTP
internal import OIDC
internal import IdentityToolkit

/// The checks of Google's servers for a provider's ID token, with their messages (measured).
///
/// They accept several audiences, any `azp`, and an `nbf` in the future.
extension Backend {
  /// Refuses a token of another issuer or client, and one that is expired or issued in the future.
  func check(_ claims: JSONObject, issuer: String, audience: String) throws(Refusal) {
    let named = claims["iss"]?.string ?? ""
    guard sameText(named, issuer) else {
      throw Refusal(
        .invalidIdPResponse,
        "The issuer in ID Token \(Self.printable(named)) does not match the expected one in config: "
          + "\(issuer).")
    }
    let audiences =
      claims["aud"]?.array?.compactMap(\.string) ?? [claims["aud"]?.string].compactMap(\.self)
    guard audiences.contains(where: { sameText($0, audience) })
    else {
      throw Refusal(
        .invalidIdPResponse,
        "The audience in ID Token [\(Self.printable(audiences.joined(separator: ", ")))] does not match "
          + "the expected audience \(audience).")
    }
    // Some providers write times with a fraction.
    guard let issued = claims["iat"], let issuedAt = issued.number,
      let expiry = claims["exp"]?.number
    else {
      throw Refusal(.invalidIdPResponse, "Unable to parse the ID Token.")
    }
    // Clocks of two machines may differ by a minute.
    guard expiry > Double(now - 60), issuedAt <= Double(now + 60) else {
      throw Refusal(
        .invalidIdPResponse, "ID Token issued at \(issued.encoded()) is stale to sign-in.")
    }
  }

  /// Refuses a nonce that is not the hash of the request's raw nonce.
  static func check(nonce found: String?, raw: String?) throws(Refusal) {
    guard let found else {
      guard raw == nil else {
        throw Refusal(
          .missingOrInvalidNonce, "the ID token has no nonce, though the request had one")
      }
      return
    }
    guard let raw else {
      throw Refusal(.missingOrInvalidNonce, "Nonce is missing in the request.")
    }
    guard constantTimeEqual(found, Digest.sha256Hex(raw)) else {
      throw Refusal(
        .missingOrInvalidNonce,
        "The nonce in ID Token \"\(printable(found))\" does not match the SHA256 hash of the raw nonce "
          + "\"\(printable(raw))\" in the request.")
    }
  }

  /// Refuses a token whose subject and nonce have signed in before; this check comes first.
  func requireFresh(_ claims: JSONObject, of provider: ProviderConfiguration) throws(Refusal) {
    guard let key = Self.credentialKey(claims, of: provider),
      usedCredentials.peek(key, now: now) != nil
    else { return }
    throw Refusal(
      .missingOrInvalidNonce,
      "Duplicate credential received. Please try again with a new credential.")
  }

  func rememberCredential(_ claims: JSONObject, of provider: ProviderConfiguration) {
    guard rules[.googleAnswers], let key = Self.credentialKey(claims, of: provider) else { return }
    usedCredentials.put((), under: key, expires: now + 86_400, now: now)
  }

  /// A hash of provider, subject and nonce; nil without a nonce, since such a token may be used again.
  private static func credentialKey(
    _ claims: JSONObject, of provider: ProviderConfiguration
  ) -> String? {
    guard let nonce = claims["nonce"]?.string, let subject = claims["sub"]?.string else {
      return nil
    }
    return Digest.sha256Hex("\(provider.id)\n\(subject)\n\(nonce)")
  }

  /// The claims that become `sign_in_attributes` in the tokens of the sign-in; nil if there are none.
  static func attributes(in claims: JSONObject) -> JSON? {
    let usual = [
      "iss", "aud", "sub", "iat", "exp", "nbf", "nonce", "azp", "email", "email_verified", "name",
      "picture",
    ]
    let further = claims.entries.filter { !usual.contains($0.key) }
    return further.isEmpty ? nil : .object(JSONObject(further.map { ($0.key, $0.value) }))
  }
}

extension OIDCError {
  /// Whether none of the provider's keys signed the token.
  var isAboutSignature: Bool { code == .badSignature || code == .unknownKey }
}

/// A cache of the providers' discovery documents and key sets.
final class IssuerDirectory {
  /// How long a document is cached, in seconds.
  private static let lifetime: Int64 = 600

  private let transport: any Transport
  private let clock: EmulatorClock
  private var metadata: [String: (value: ProviderMetadata, until: Int64)] = [:]
  private var keys: [WebURL: (value: ProviderKeys, until: Int64)] = [:]

  init(transport: any Transport, clock: EmulatorClock) {
    self.transport = transport
    self.clock = clock
  }

  /// The discovery document of an issuer.
  ///
  /// - Parameter place: The address of an emulated provider, whose issuer may have any name.
  func metadata(
    of issuer: String, at place: String?
  ) async throws(OIDCError) -> ProviderMetadata {
    if let known = metadata[issuer], known.until > clock.seconds { return known.value }
    let found = try await ProviderMetadata.discover(issuer: issuer, at: place, over: transport)
    metadata[issuer] = (found, clock.seconds + Self.lifetime)
    return found
  }

  /// Checks a token's signature; an unknown key is looked up at the provider again, at most a few times per minute.
  func verify(_ jwt: JWT, keysAt url: WebURL) async throws(OIDCError) {
    if let known = keys[url], known.until > clock.seconds {
      return try await known.value.verify(jwt)
    }
    let clock = clock
    let fresh = ProviderKeys(url, over: transport) { clock.seconds }
    keys[url] = (fresh, clock.seconds + Self.lifetime)
    try await fresh.verify(jwt)
  }

  func profile(at url: WebURL, bearer token: Secret) async throws(IssuerProblem) -> JSONObject {
    var request = HTTPRequest(url: url, maximumResponseBytes: 1 << 20)
    request.headers.set("Accept", "application/json")
    request.headers.set("Authorization", "Bearer \(token.reveal())")
    let response: HTTPResponse
    do throws(HTTPError) {
      response = try await transport.send(request)
    } catch {
      throw IssuerProblem(text: error.message)
    }
    guard response.status == 200 else {
      throw IssuerProblem(text: "\(url.host) returned status \(response.status)")
    }
    guard let profile = try? response.json().object else {
      throw IssuerProblem(text: "\(url.host) returned something other than a JSON object")
    }
    return profile
  }
}

/// Why an identity provider's response cannot be used, in a message without secrets.
struct IssuerProblem: Error {
  let text: String
}

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
