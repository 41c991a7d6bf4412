import IdentityToolkit
public import System

extension Admin {
  /// Registers an identity provider, enabling sign-ins with it.
  ///
  /// The id determines its kind; the settings are those of `ProviderKind.settings`. The result has
  /// them and `providerID`.
  public func createProviderConfig(
    _ id: String, _ settings: JSONObject
  ) async throws(AdminError) -> JSONObject {
    try Self.check(id, "providerID")
    let kind = ProviderKind(providerID: id)
    let change = try SettingsChange(settings, of: kind.settings, in: "settings")
    let request = AdminRequest(
      "POST", kind.collection, query: [(kind.idParameter, id)], body: change.body)
    return Self.provider(try await answered(request, about: id), kind)
  }

  /// Returns the settings of an identity provider.
  public func getProviderConfig(_ id: String) async throws(AdminError) -> JSONObject {
    let kind = ProviderKind(providerID: id)
    let request = AdminRequest("GET", try Self.path(of: id, kind))
    return Self.provider(try await answered(request, about: id), kind)
  }

  /// Changes the given settings of an identity provider and returns all of them.
  public func updateProviderConfig(
    _ id: String, _ settings: JSONObject
  ) async throws(AdminError) -> JSONObject {
    let kind = ProviderKind(providerID: id)
    let change = try SettingsChange(settings, of: kind.settings, in: "settings")
    guard !change.mask.isEmpty else { return try await getProviderConfig(id) }
    let request = AdminRequest(
      "PATCH", try Self.path(of: id, kind), query: change.query, body: change.body)
    return Self.provider(try await answered(request, about: id), kind)
  }

  /// Removes an identity provider from the project.
  public func deleteProviderConfig(_ id: String) async throws(AdminError) {
    let path = try Self.path(of: id, ProviderKind(providerID: id))
    _ = try await answered(AdminRequest("DELETE", path), about: id)
  }

  /// Lists the identity providers of a kind in the order of their ids.
  public func listProviderConfigs(
    _ kind: ProviderKind, pageSize: Int64 = 100
  ) throws(AdminError) -> PagedList<JSONObject> {
    try list(kind.collection, pageSize: pageSize) { Self.provider($0, kind) }
  }

  /// Sends a call; "configuration not found" means a missing provider here.
  private func answered(
    _ request: AdminRequest, about id: String
  ) async throws(AdminError) -> JSONObject {
    do throws(AdminError) {
      return try await call(request)
    } catch  where error.code == .configurationNotFound {
      throw AdminError(
        .configurationNotFound, "there is no configuration of the provider \(id)",
        hint: "make one with admin:createProviderConfig, or check the id and the tenant",
        serverName: error.serverName)
    }
  }

  private static func path(of id: String, _ kind: ProviderKind) throws(AdminError) -> String {
    try check(segment: id, "providerID")
    return "\(kind.collection)/\(PercentEncoding.encode(id))"
  }

  private static func provider(_ answer: JSONObject, _ kind: ProviderKind) -> JSONObject {
    var provider: JSONObject = ["providerID": .string(lastName(in: answer))]
    for (name, value) in kind.settings.values(in: answer).entries { provider[name] = value }
    return provider
  }
}

/// The three kinds of identity providers, each with its own collection in the API.
public enum ProviderKind: String, CaseIterable, Sendable {
  /// OpenID Connect providers: `oidc.NAME`.
  case oidc
  /// SAML providers: `saml.NAME`.
  case saml
  /// Built-in providers of the backend: `google.com` and others.
  case known

  /// Determines the kind from a provider id.
  init(providerID: String) {
    let start = providerID.utf8.prefix(5)
    self =
      start.elementsEqual("oidc.".utf8) ? .oidc : start.elementsEqual("saml.".utf8) ? .saml : .known
  }

  /// The settings of its providers.
  public var settings: [Setting] {
    switch self {
    case .oidc: Setting.ofOIDC
    case .saml: Setting.ofSAML
    case .known: Setting.ofKnownProvider
    }
  }

  /// The collection's name in the API.
  var collection: String {
    switch self {
    case .oidc: "oauthIdpConfigs"
    case .saml: "inboundSamlConfigs"
    case .known: "defaultSupportedIdpConfigs"
    }
  }

  var idParameter: String {
    switch self {
    case .oidc: "oauthIdpConfigId"
    case .saml: "inboundSamlConfigId"
    case .known: "idpId"
    }
  }
}
