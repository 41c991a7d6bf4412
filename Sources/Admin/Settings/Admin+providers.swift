public import Encoding
import IdentityToolkit

extension Admin {
  /// Registers an identity provider, which can be signed in with from then on.
  ///
  /// The id tells its kind; the settings are those of `ProviderKind.settings`. The answer has them too, and
  /// `providerID`.
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

  /// The settings of an identity provider.
  public func getProviderConfig(_ id: String) async throws(AdminError) -> JSONObject {
    let kind = ProviderKind(providerID: id)
    let request = AdminRequest("GET", try Self.path(of: id, kind))
    return Self.provider(try await answered(request, about: id), kind)
  }

  /// Changes what is given of an identity provider's settings, and gives all of them.
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

  /// Takes an identity provider off the project; nobody can sign in with it any more.
  public func deleteProviderConfig(_ id: String) async throws(AdminError) {
    let path = try Self.path(of: id, ProviderKind(providerID: id))
    _ = try await answered(AdminRequest("DELETE", path), about: id)
  }

  /// The identity providers of a kind, in the order of their ids.
  public func listProviderConfigs(
    _ kind: ProviderKind, pageSize: Int64 = 100
  ) throws(AdminError) -> PagedList<JSONObject> {
    try list(kind.collection, pageSize: pageSize) { Self.provider($0, kind) }
  }

  /// Sends a call; the backend's word for what is not there means the provider here.
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
