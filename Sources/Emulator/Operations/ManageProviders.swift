internal import System
internal import HTTP
internal import IdentityToolkit

extension Backend {
  /// The registration of a provider; a tenant may have its own.
  func provider(_ id: String) -> ProviderConfiguration? {
    standsAlone ? registrations[id] : tenant?.providers[id] ?? configuration.providers[id]
  }

  /// The registrations of the project, or of the tenant without the project's.
  private var registrations: [String: ProviderConfiguration] {
    get { tenantID == nil ? configuration.providers : tenant?.providers ?? [:] }
    set {
      guard var tenant else {
        project.configuration.providers = newValue
        return
      }
      tenant.providers = newValue
      project.save(tenant)
    }
  }

  /// `oauthIdpConfigs.create` and the like: registers a provider, with which users can sign in from then on.
  func createIdentityProvider(_ call: Call) throws(Refusal) -> JSONObject {
    let kind = try ProviderCollection(call)
    let id = try kind.newID(call)
    guard registrations[id] == nil else {
      throw Refusal(
        .configurationExists,
        rules[.googleAnswers]
          ? "The OAuthIdpConfig already exists with config_id: \(Self.printable(id))" : nil,
        status: 409)
    }
    let provider = try kind.provider(id, call.fields)
    try requireReachableIssuer(of: provider)
    registrations[id] = provider
    return wire(provider, kind)
  }

  func showIdentityProvider(_ call: Call) throws(Refusal) -> JSONObject {
    let kind = try ProviderCollection(call)
    return wire(try registration(call, kind), kind)
  }

  func deleteIdentityProvider(_ call: Call) throws(Refusal) -> JSONObject {
    let provider = try registration(call, try ProviderCollection(call))
    registrations[provider.id] = nil
    return [:]
  }

  /// `oauthIdpConfigs.patch` and the like: changes the fields of the mask, or without a mask those of the body.
  func updateIdentityProvider(_ call: Call) throws(Refusal) -> JSONObject {
    let kind = try ProviderCollection(call)
    let old = try registration(call, kind)
    var message = wire(old, kind)
    if let mask = call.query.text("updateMask") {
      if rules[.googleAnswers], let type = Schema.shared.message(kind.message) {
        FieldMask(mask).replace(from: call.fields.object, in: &message, of: type)
      } else {
        try FieldMask(mask).apply(call.fields.object, to: &message)
      }
    } else {
      for (name, value) in call.fields.object.entries { message[name] = value }
    }
    var provider = try kind.provider(old.id, Fields(message))
    // The message contains the current address of the emulator's own issuer. That address may change with the port, so
    // it is stored only if an administrator set it.
    if old.issuer == nil, provider.issuer == issuer(of: old) { provider.issuer = nil }
    provider.permissions = old.permissions
    try requireReachableIssuer(of: provider)
    registrations[old.id] = provider
    return wire(provider, kind)
  }

  /// `oauthIdpConfigs.list` and the like: lists providers in the order of their ids, page by page.
  func listIdentityProviders(_ call: Call) throws(Refusal) -> JSONObject {
    let kind = try ProviderCollection(call)
    let limit = call.pageSize("pageSize") ?? .max
    var found = registrations.values.filter { kind.includes($0.id) }.sorted { $0.id < $1.id }
    if let start = call.query.text("pageToken") { found.removeAll { $0.id <= start } }
    guard !found.isEmpty else { return [:] }
    let page = found.prefix(limit)
    var answer: JSONObject = [kind.rawValue: .array(page.map { .object(wire($0, kind)) })]
    if page.count < found.count { answer.set("nextPageToken", page.last?.id) }
    return answer
  }

  /// `defaultSupportedIdps.list`: the providers whose addresses Google already has.
  func listSupportedProviders() -> JSONObject {
    [
      "defaultSupportedIdps": .array(
        ProviderCollection.known.map { provider in
          rules[.googleAnswers]
            ? ["idpId": .string(provider.id)]
            : ["idpId": .string(provider.id), "description": .string(provider.name)]
        })
    ]
  }

  private func registration(
    _ call: Call, _ kind: ProviderCollection
  ) throws(Refusal) -> ProviderConfiguration {
    guard let id = call.ids.last, kind.includes(id), let provider = registrations[id] else {
      throw Refusal(.configurationNotFound, status: 404)
    }
    return provider
  }

  /// Refuses an issuer that the emulator may not send requests to.
  func requireReachableIssuer(of provider: ProviderConfiguration) throws(Refusal) {
    guard let url = provider.issuer.flatMap({ WebURL($0) }), !context.mayCall(url) else { return }
    throw Refusal(.invalidIssuer, EmulatorContext.refusal(toCall: url))
  }

  private func issuer(of provider: ProviderConfiguration) -> String? {
    provider.isOIDC ? context.issuer(of: provider) : nil
  }

  private func wire(_ provider: ProviderConfiguration, _ kind: ProviderCollection) -> JSONObject {
    let wire = wholeWire(provider, kind)
    return rules[.googleAnswers] ? wire.withoutDefaults : wire
  }

  private func wholeWire(_ provider: ProviderConfiguration, _ kind: ProviderCollection)
    -> JSONObject
  {
    let parent =
      "projects/\(rules[.googleAnswers] ? project.number : project.id)"
      + (tenantID.map { "/tenants/\($0)" } ?? "")
    var wire = provider.further
    wire["name"] = .string("\(parent)/\(kind.rawValue)/\(provider.id)")
    wire["enabled"] = .bool(provider.isEnabled)
    wire.set("displayName", provider.displayName)
    guard kind != .saml else { return wire }
    wire["clientId"] = .string(provider.clientID)
    wire.set("clientSecret", provider.clientSecret?.reveal())
    if kind == .oidc {
      wire.set("issuer", issuer(of: provider))
      let isCode = provider.flow == .code
      wire["responseType"] = ["code": .bool(isCode), "idToken": .bool(!isCode)]
    }
    return wire
  }
}

/// The three collections that administrators register identity providers in.
enum ProviderCollection: String {
  case oidc = "oauthIdpConfigs"
  case saml = "inboundSamlConfigs"
  case supported = "defaultSupportedIdpConfigs"

  /// The providers whose addresses Google already has.
  static let known: [(id: String, name: String)] = [
    ("apple.com", "Apple"), ("facebook.com", "Facebook"), ("gc.apple.com", "Game Center"),
    ("github.com", "GitHub"), ("google.com", "Google"), ("linkedin.com", "LinkedIn"),
    ("microsoft.com", "Microsoft"), ("playgames.google.com", "Play Games"),
    ("twitter.com", "Twitter"), ("yahoo.com", "Yahoo"),
  ]

  init(_ call: Call) throws(Refusal) {
    guard let kind = ProviderCollection(rawValue: call.collection) else { throw .notFound }
    self = kind
  }

  /// The name of Google's message for a provider of this kind.
  var message: String {
    switch self {
    case .oidc: "AdminOAuthIdpConfig"
    case .saml: "AdminInboundSamlConfig"
    case .supported: "AdminDefaultSupportedIdpConfig"
    }
  }

  /// Whether a provider of this id belongs to the collection.
  func includes(_ id: String) -> Bool {
    switch self {
    case .oidc: id.utf8.starts(with: "oidc.".utf8)
    case .saml: id.utf8.starts(with: "saml.".utf8)
    case .supported: Self.known.contains { $0.id == id }
    }
  }

  func newID(_ call: Call) throws(Refusal) -> String {
    let parameter =
      switch self {
      case .oidc: "oauthIdpConfigId"
      case .saml: "inboundSamlConfigId"
      case .supported: "idpId"
      }
    guard let id = call.query.text(parameter), includes(id),
      self == .supported || ProviderConfiguration.isOIDCName(id.dropFirst(5))
    else {
      throw Refusal(.invalidConfigID, "\(parameter) must name a provider of this kind")
    }
    return id
  }

  func provider(_ id: String, _ fields: Fields) throws(Refusal) -> ProviderConfiguration {
    var provider = ProviderConfiguration(id: id)
    provider.isEnabled = try fields.bool("enabled") ?? false
    provider.displayName = fields.text("displayName")
    provider.clientID = fields.text("clientId") ?? ""
    provider.clientSecret = fields.text("clientSecret").map { Secret($0) }
    guard self != .saml else {
      for name in ["idpConfig", "spConfig"] { provider.further[name] = fields.value(name) }
      return try Self.checked(saml: provider)
    }
    guard !provider.clientID.isEmpty else { throw Refusal(.missingOAuthClientID) }
    guard self == .oidc else {
      guard provider.clientSecret != nil else {
        throw Refusal(.missingOAuthClientSecret)
      }
      provider.further["appleSignInConfig"] = fields.value("appleSignInConfig")
      return provider
    }
    guard let issuer = fields.text("issuer") else { throw Refusal(.missingIssuer) }
    guard WebURL(issuer) != nil else { throw Refusal(.invalidIssuer) }
    provider.issuer = issuer
    let response = fields.value("responseType")
    let isCode = response?["code"]?.bool == true
    guard !(isCode && response?["idToken"]?.bool == true) else {
      throw Refusal(.invalidOAuthResponseType, "only one type can be on")
    }
    provider.flow = isCode ? .code : .idToken
    guard provider.flow == .idToken || provider.clientSecret != nil else {
      throw Refusal(.missingOAuthClientSecret)
    }
    return provider
  }

  private static func checked(
    saml provider: ProviderConfiguration
  ) throws(Refusal) -> ProviderConfiguration {
    let identityProvider = Fields(provider.further["idpConfig"]?.object ?? JSONObject())
    guard identityProvider.text("idpEntityId") != nil else {
      throw Refusal(.missingSAMLRelyingPartyConfig, "idpEntityId is missing")
    }
    guard let address = identityProvider.text("ssoUrl"), WebURL(address) != nil else {
      throw Refusal(.invalidConfig, "ssoUrl must be an absolute URL")
    }
    return provider
  }
}
