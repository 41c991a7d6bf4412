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
