public import HTTP
public import System

/// The metadata of an OpenID provider (OpenID Connect Discovery 1.0 section 3).
public struct ProviderMetadata: Sendable {
  /// The issuer, exactly as in ID tokens.
  public let issuer: String
  /// Where the user signs in.
  public let authorizationEndpoint: WebURL
  /// Where codes are redeemed.
  public let tokenEndpoint: WebURL
  /// Where the signing keys are.
  public let jwksURI: WebURL
  /// Where claims about the user can be read with an access token.
  public let userinfoEndpoint: WebURL?
  /// The supported response types, such as `code`.
  let responseTypes: [String]
  /// The supported scopes, if the provider lists them.
  let scopes: [String]
  /// The client authentication methods of the token endpoint; basic by default.
  public let tokenAuthenticationMethods: [String]
  /// The algorithms of ID tokens; `JWT.verify` uses its own list instead.
  let idTokenAlgorithms: [String]
  /// The PKCE methods; empty when the provider does not list them.
  let codeChallengeMethods: [String]
  /// The whole document.
  public let document: JSONObject
  /// Where the document is, if not at the issuer: an emulated provider may have any issuer.
  private let place: String?

  /// Parses metadata, which must be those of the given issuer (section 4.3).
  ///
  /// The metadata shared by Microsoft's tenants are accepted for `common` and the like.
  init(json: JSON, issuer: String, at place: String? = nil) throws(OIDCError) {
    guard let document = json.object, let claimed = document["issuer"]?.string else {
      throw OIDCError(
        .unexpectedAnswer, "the provider's description names no issuer",
        hint: "check that the address is that of an OpenID provider")
    }
    let names = [issuer, Self.sharedIssuer(for: issuer)].compactMap(\.self)
    guard names.contains(where: { ExactString($0) == ExactString(claimed) }) else {
      throw OIDCError(
        .issuerMismatch,
        "the document of the issuer \(harmless(issuer, without: [])) names another issuer: "
          + harmless(claimed, without: []),
        hint: "write the issuer as the document does, to the last slash")
    }
    self.issuer = claimed
    self.place = place
    self.document = document
    func address(_ name: String) throws(OIDCError) -> WebURL {
      try Self.address(name, in: document, of: place ?? issuer)
    }
    authorizationEndpoint = try address("authorization_endpoint")
    tokenEndpoint = try address("token_endpoint")
    jwksURI = try address("jwks_uri")
    let hasUserinfo = document["userinfo_endpoint"].map { !$0.isNull } ?? false
    userinfoEndpoint = hasUserinfo ? try address("userinfo_endpoint") : nil
    func list(_ name: String) -> [String]? { document[name]?.array?.compactMap(\.string) }
    responseTypes = list("response_types_supported") ?? []
    scopes = list("scopes_supported") ?? []
    tokenAuthenticationMethods =
      list("token_endpoint_auth_methods_supported") ?? ["client_secret_basic"]
    idTokenAlgorithms = list("id_token_signing_alg_values_supported") ?? []
    codeChallengeMethods = list("code_challenge_methods_supported") ?? []
  }

  /// Returns another endpoint by its name in the document; nil when the provider has none.
  func endpoint(_ name: String) throws(OIDCError) -> WebURL? {
    guard let value = document[name], !value.isNull else { return nil }
    return try Self.address(name, in: document, of: place ?? issuer)
  }

  /// Returns a URL in the document.
  ///
  /// For an https issuer it must not be plain http, not even on this machine (OpenID Connect
  /// Discovery 1.0 section 3).
  private static func address(
    _ name: String, in document: JSONObject, of issuer: String
  ) throws(OIDCError) -> WebURL {
    let url = try trustedAddress(document[name]?.string, "the provider's \(name)")
    guard url.scheme == "https" || WebURL(issuer)?.scheme != "https" else {
      throw OIDCError(
        .unusableAddress, "the provider's \(name) is plain http, though its issuer is https",
        hint: "have the provider's description corrected; nothing is sent there")
    }
    return url
  }

  /// Fetches the metadata of an issuer (section 4).
  ///
  /// - Parameter place: The address of an emulated provider, whose issuer may have any name; nil for all others.
  public static func discover(
    issuer: String, at place: String? = nil, over transport: any Transport
  ) async throws(OIDCError) -> ProviderMetadata {
    let reached = place ?? issuer
    let base = try trustedAddress(reached, "the issuer")
    // Section 2: an issuer has no query. Section 4.1: a trailing slash is removed before the suffix.
    guard base.query == nil else {
      throw OIDCError(
        .unusableAddress, "the issuer has a query", hint: "write the issuer as the provider does")
    }
    let path = reached.hasSuffix("/") ? String(reached.dropLast()) : reached
    let address = try trustedAddress(path + "/.well-known/openid-configuration", "the issuer")
    do throws(OIDCError) {
      let document = try await ProviderConnection(transport: transport)
        .object(at: address, "the issuer's discovery document")
      return try ProviderMetadata(json: .object(document), issuer: issuer, at: place)
    } catch {
      guard error.code == .transport else {
        throw error.named(
          .discoveryFailed,
          hint: "check the issuer: \(address.withoutQuery) must return its discovery document")
      }
      throw OIDCError(
        .issuerUnreachable, "the issuer cannot be reached: \(error.message)",
        hint: "check the issuer's address, and that its server runs and can be reached from here")
    }
  }

  /// The placeholder for the tenant in the issuer of Microsoft's shared metadata.
  static let tenantMark = "{tenantid}"

  /// The tenant of all personal accounts, which the metadata of `consumers` name.
  private static let personalTenant = "9188040d-6c67-4c5b-b112-36a304b66dad"

  /// Returns the issuer in Microsoft's metadata for `common`, `organizations` or `consumers`.
  ///
  /// Nil for all other issuers.
  static func sharedIssuer(for asked: String) -> String? {
    let tenants = [
      ("common", tenantMark), ("organizations", tenantMark), ("consumers", personalTenant),
    ]
    for (tenant, described) in tenants {
      if let place = asked.firstRange(of: "/\(tenant)/v2.0"), place.upperBound == asked.endIndex {
        return "\(asked[..<place.lowerBound])/\(described)/v2.0"
      }
    }
    return nil
  }

  /// Whether the provider promises its issuer in every response (RFC 9207 section 3).
  var namesIssuerInAnswers: Bool {
    document["authorization_response_iss_parameter_supported"]?.bool == true
  }

  /// Returns the required issuer of an ID token; for shared metadata, with the token's tenant.
  func issuer(for claims: JSONObject) throws(OIDCError) -> String {
    guard let mark = issuer.firstRange(of: Self.tenantMark) else { return issuer }
    guard let tenant = claims["tid"]?.string, Self.isTenant(tenant) else {
      throw OIDCError(
        .malformedClaims, "the ID token's tid is missing or of the wrong type",
        hint: "name your tenant in the issuer instead of all of them")
    }
    return issuer[..<mark.lowerBound] + tenant + issuer[mark.upperBound...]
  }

  /// Whether this is the provider's own issuer (RFC 9207 section 2.4).
  func isOwnIssuer(_ name: String) -> Bool {
    guard let mark = issuer.firstRange(of: Self.tenantMark) else {
      return ExactString(name) == ExactString(issuer)
    }
    let head = issuer[..<mark.lowerBound]
    let tail = issuer[mark.upperBound...]
    return name.hasPrefix(head) && name.hasSuffix(tail)
      && Self.isTenant(String(name.dropFirst(head.count).dropLast(tail.count)))
  }

  private static func isTenant(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        byte == UInt8(ascii: "-") || byte.isLetterOrDigit
      }
  }
}

extension KeySet {
  /// Fetches a JWK set.
  static func fetch(
    from url: WebURL, over transport: any Transport
  ) async throws(OIDCError) -> KeySet {
    do throws(OIDCError) {
      let document = try await ProviderConnection(transport: transport)
        .object(at: url, "the signing keys")
      return try keys(in: document, at: url)
    } catch {
      throw error.named(
        .keysUnavailable,
        hint:
          "check the jwks_uri of the provider's discovery document: \(url.withoutQuery) must return"
          + " its signing keys")
    }
  }

  private static func keys(in document: JSONObject, at url: WebURL) throws(OIDCError) -> KeySet {
    do throws(JOSEError) {
      return try KeySet(json: .object(document))
    } catch {
      throw OIDCError(.unexpectedAnswer, "\(url.withoutQuery): \(error.message)", hint: error.hint)
    }
  }
}
