internal import System
internal import HTTP
internal import OIDC
internal import IdentityToolkit

extension Backend {
  /// `accounts:createAuthUri`: with a provider, returns the URL to open in the browser; without one,
  /// the sign-in methods of an e-mail address.
  func createAuthUri(_ call: Call) async throws(Refusal) -> JSONObject {
    guard let providerID = try call.fields.string("providerId"), !providerID.isEmpty else {
      return try signInMethods(call.fields)
    }
    guard rules[.realProviders] else {
      throw .notImplemented("Sign-in with IDP is not yet supported.")
    }
    let provider = try federatedProvider(providerID)
    let request = try AuthorizationRequest(
      call.fields, provider: provider, configuration: configuration, origin: context.origin)
    let endpoints = try await endpoints(of: provider, tenant: request.tenant)
    let flow = start(request)
    var query = endpoints.authorization.fields
    for (name, value) in request.parameters { query.append(name, value) }
    query.append("client_id", provider.clientID)
    query.append("redirect_uri", flow.redirectURI)
    query.append("scope", request.allScopes.joined(separator: " "))
    query.append("state", flow.state)
    if let nonce = flow.nonce { query.append("nonce", nonce) }
    if provider.isOIDC, provider.flow == .idToken {
      query.append("response_type", "id_token")
      query.append("response_mode", "fragment")
    } else {
      query.append("response_type", "code")
      query.append("code_challenge", flow.pkce.challenge)
      query.append("code_challenge_method", "S256")
    }
    return [
      "kind": "identitytoolkit#CreateAuthUriResponse",
      "authUri": .string(endpoints.authorization.with(fields: query).description),
      "providerId": .string(provider.id), "sessionId": .string(flow.sessionID),
    ]
  }

  private func start(_ request: AuthorizationRequest) -> RedirectSignIn {
    let sessionID = request.sessionID ?? SecureRandom.token(bytes: 24)
    let flow = RedirectSignIn(
      sessionID: sessionID, providerID: request.provider.id, tenant: request.tenant,
      continueURI: request.continueURI, redirectURI: request.redirectURI,
      state: SecureRandom.token(bytes: 32),
      // The session id is the raw nonce of a redirect flow; the provider sees its hash. Google's ID token
      // gets none: `GoogleAuthProvider.credentialFromError` keeps the tokens only, so that the credential
      // has neither nonce nor pending token. PKCE ties Google's code to the flow.
      nonce: request.provider.id == "google.com" ? nil : Digest.sha256Hex(sessionID),
      pkce: PKCE(), context: request.context, startedAt: now)
    flows.put(
      flow, under: sessionID,
      size: 2 * request.redirectURI.utf8.count + (request.context?.utf8.count ?? 0),
      expires: now + RedirectSignIn.lifetime, now: now)
    return flow
  }

  /// The provider, if users can sign in with it here; otherwise throws the reason.
  func federatedProvider(_ id: String) throws(Refusal) -> ProviderConfiguration {
    // Measured: a provider is found only by its id in lower case.
    let isGeneric = id.asciiLowercased.utf8.starts(with: "oidc.".utf8)
    let id = isGeneric || rules[.googleAnswers] ? id : id.asciiLowercased
    guard id != "password", id != "anonymous", id != "phone", id.contains(".") else {
      throw Refusal(.invalidProviderID, "not an identity provider")
    }
    if id.utf8.starts(with: "oidc.".utf8), !configuration.identityPlatform {
      throw Refusal(
        .operationNotAllowed,
        "OIDC providers need a project upgraded to Identity Platform; upgrade it or use another provider"
      )
    }
    guard let provider = provider(id) else {
      throw Refusal(
        .operationNotAllowed, "The identity provider configuration is not found.")
    }
    guard provider.isEnabled else {
      throw Refusal(
        .operationNotAllowed, "The identity provider configuration is disabled.")
    }
    // The emulator cannot write or read the XML of a SAML identity provider.
    guard !provider.isSAML else {
      throw Refusal(
        .operationNotAllowed,
        "no SAML identity provider can be reached from here; without the rule realProviders a SAML "
          + "response can be made up")
    }
    return provider
  }

  func endpoints(
    of provider: ProviderConfiguration, tenant: String?
  ) async throws(Refusal) -> ProviderEndpoints {
    if let fixed = ProviderEndpoints(
      providerID: provider.id, tenant: tenant, origin: context.origin)
    {
      return fixed
    }
    guard !provider.isSAML else { throw .notImplemented("sign-in with SAML is not emulated") }
    // An issuer from a state file was set in another run, which may have allowed more servers.
    try requireReachableIssuer(of: provider)
    do throws(OIDCError) {
      let own = provider.issuer == nil ? context.address(of: provider) : nil
      return ProviderEndpoints(
        try await issuers.metadata(of: context.issuer(of: provider), at: own))
    } catch {
      throw Refusal(error, "the issuer's discovery document failed")
    }
  }

  // MARK: The sign-in methods of an address

  private func signInMethods(_ fields: Fields) throws(Refusal) -> JSONObject {
    guard let identifier = fields.text("identifier") else { throw Refusal(.missingIdentifier) }
    guard let continueURI = fields.text("continueUri") else { throw Refusal(.missingContinueURI) }
    guard let email = normalized(email: identifier) else { throw Refusal(.invalidIdentifier) }
    guard let uri = AbsoluteURI(continueURI), uri.web != nil || !rules[.realProviders] else {
      throw Refusal(.invalidContinueURI)
    }
    var answer: JSONObject = ["kind": "identitytoolkit#CreateAuthUriResponse"]
    answer["sessionId"] = .string(
      fields.text("sessionId") ?? SecureRandom.alphanumeric(27))
    // With enumeration protection the response is the same whether or not the address has an account.
    guard !hidesAddresses else { return answer }
    let isOne = hasOneAccountPerEmail
    // Where accounts may share an address, Firebase's emulator takes the first account found that has an address, but
    // returns the methods of the first one found.
    let owners = [accounts[email: email]].compactMap(\.self)
    let sharers = isOne || !rules[.realProviders] ? accounts.accounts(withProviderEmail: email) : []
    let found = owners + sharers
    let account = isOne ? found.first : found.first { $0.email?.isEmpty == false }
    // Measured: where accounts may share an address, the response contains nothing about it.
    guard isOne || !rules[.googleAnswers] else { return answer }
    answer["registered"] = .bool(account != nil)
    guard account != nil || !rules[.realProviders] else { return answer }
    var ways = account.map { Self.ways(into: $0, passwordOnly: !isOne) }
    if let first = found.first, ways?.methods.isEmpty == false, !isOne {
      ways?.methods = Self.passwordMethods(of: first)
    }
    answer["allProviders"] = .array((ways?.providers ?? []).map { .string($0) })
    answer["signinMethods"] = .array((ways?.methods ?? []).map { .string($0) })
    return answer
  }

  /// The providers and sign-in methods of an account; where several accounts share an address,
  /// only the password belongs to it.
  private static func ways(
    into account: Account, passwordOnly: Bool
  ) -> (providers: [String], methods: [String]) {
    let providers = account.providerIDs.filter {
      $0 != "phone" && (!passwordOnly || $0 == "password")
    }
    var methods: [String] = []
    for provider in providers {
      guard provider == "password" else {
        methods.append(provider)
        continue
      }
      methods += passwordMethods(of: account)
    }
    return (providers, methods)
  }

  private static func passwordMethods(of account: Account) -> [String] {
    (account.password == nil ? [] : ["password"]) + (account.hasEmailLink ? ["emailLink"] : [])
  }
}

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

/// A redirect sign-in between `createAuthUri` and `signInWithIdp`.
struct RedirectSignIn: Sendable {
  /// How long the user may take on the provider's pages, in seconds.
  static let lifetime: Int64 = 3600

  let sessionID: String
  let providerID: String
  /// The Azure tenant, for Microsoft.
  let tenant: String?
  let continueURI: WebURL
  /// The redirect URI as it was sent, byte for byte.
  let redirectURI: String
  let state: String
  /// The nonce the ID token must have; nil where the SDK's credential cannot return the raw nonce.
  let nonce: String?
  let pkce: PKCE
  let context: String?
  /// Seconds since 1970.
  let startedAt: Int64
}
