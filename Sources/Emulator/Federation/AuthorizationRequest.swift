internal import System
internal import HTTP
internal import IdentityToolkit

/// The fields of a `createAuthUri` request that asks for a provider's authorization URL.
struct AuthorizationRequest {
  let provider: ProviderConfiguration
  let continueURI: WebURL
  /// The continue URI as it was sent: it becomes `redirect_uri` byte for byte.
  let redirectURI: String
  let parameters: [(name: String, value: String)]
  let scopes: [String]
  let tenant: String?
  let sessionID: String?
  let context: String?

  init(
    _ fields: Fields, provider: ProviderConfiguration, configuration: ProjectConfiguration,
    origin: String
  ) throws(Refusal) {
    self.provider = provider
    guard let text = try fields.echo("continueUri"), !text.isEmpty else {
      throw Refusal(.missingContinueURI)
    }
    continueURI = try Self.checkedContinueURI(text, configuration, origin: origin)
    redirectURI = text
    sessionID = try fields.echo("sessionId")
    context = try fields.echo("context")
    var parameters: [(name: String, value: String)] = []
    var tenant: String?
    for (name, value) in try fields.object("customParameter")?.entries ?? [] {
      guard case .string(let text) = value else {
        throw .wrongType("customParameter/\(name)", "string")
      }
      guard !Self.isReserved(name, for: provider) else {
        throw Refusal(
          .invalidArgument, "customParameter: \(name) is reserved; the backend sets it itself")
      }
      if name == "tenant", provider.id == "microsoft.com" {
        tenant = try Self.checkedTenant(text)
      } else {
        parameters.append((name, text))
      }
    }
    self.parameters = parameters
    self.tenant = tenant
    scopes = try Self.scopes(try fields.string("oauthScope"), for: provider.id)
  }

  /// The parameters that the backend itself sets in every authorization request.
  private static let reserved = [
    "client_id", "response_type", "scope", "redirect_uri", "state", "oauth_token", "nonce",
    "code_challenge", "code_challenge_method",
  ]

  /// Microsoft and OIDC providers reserve `response_mode` too; Yahoo's and Google's guides do not.
  private static func isReserved(_ name: String, for provider: ProviderConfiguration) -> Bool {
    if name == "response_mode" { return provider.id == "microsoft.com" || provider.isOIDC }
    return reserved.contains(name)
  }

  private static func checkedContinueURI(
    _ text: String, _ configuration: ProjectConfiguration, origin: String
  ) throws(Refusal) -> WebURL {
    guard let url = WebURL(text) else {
      throw Refusal(.invalidContinueURI, "an absolute http or https URL is needed")
    }
    guard url.fragment == nil, url.fields["state"] == nil else {
      throw Refusal(.invalidContinueURI, "it may hold neither a fragment nor a state parameter")
    }
    let host = url.host.asciiLowercased
    let domains = configuration.authorizedDomains + [configuration.authDomain].compactMap(\.self)
    guard url.origin == origin || domains.contains(where: { $0.asciiLowercased == host }) else {
      throw Refusal(
        .unauthorizedDomain, "\(host) is not among the project's authorized domains")
    }
    return url
  }

  private static func checkedTenant(_ text: String) throws(Refusal) -> String {
    guard !text.isEmpty, text.utf8.count <= 253, text.utf8.allSatisfy(MicrosoftAccount.isDomainByte)
    else {
      throw Refusal(
        .invalidArgument,
        "customParameter: tenant must be a GUID, a domain, common, organizations or consumers")
    }
    return text
  }

  /// The extra scopes: `{"microsoft.com":"a,b"}`, as Firebase's own pages write them, or `a b`.
  private static func scopes(_ text: String?, for providerID: String) throws(Refusal) -> [String] {
    guard let text else { return [] }
    guard text.utf8.first == UInt8(ascii: "{") else {
      return text.split(separator: " ").map(String.init)
    }
    guard let parsed = try? JSON.parse(text), case .object(let object) = parsed else {
      throw Refusal(.invalidArgument, "oauthScope: not valid JSON")
    }
    switch object[providerID] {
    case nil, .null?: return []
    case .string(let list)?:
      return list.split(whereSeparator: { $0 == "," || $0 == " " }).map(String.init)
    default: throw .wrongType("oauthScope/\(providerID)", "string")
    }
  }

  /// The requested scopes; those of the basic profile come first.
  var allScopes: [String] {
    var all = ["openid", "profile", "email"]
    if provider.id == "microsoft.com" { all.append("User.Read") }
    for scope in scopes where !all.contains(scope) { all.append(scope) }
    return all
  }
}
