public import Encoding
import IdentityToolkit

extension Admin {
  /// Makes a tenant; what is not given is off.
  ///
  /// The answer has the settings under the names of `Setting.ofTenant`, and `tenantID`.
  public func createTenant(_ settings: JSONObject) async throws(AdminError) -> JSONObject {
    let change = try SettingsChange(settings, of: Setting.ofTenant, in: "settings")
    return Self.tenant(try await call(Self.tenants("POST", "tenants", body: change.body)))
  }

  /// The settings of a tenant.
  public func getTenant(_ id: String) async throws(AdminError) -> JSONObject {
    Self.tenant(try await call(Self.tenants("GET", try Self.path(ofTenant: id))))
  }

  /// Changes what is given of a tenant, and gives all its settings.
  public func updateTenant(
    _ id: String, _ settings: JSONObject
  ) async throws(AdminError) -> JSONObject {
    let change = try SettingsChange(settings, of: Setting.ofTenant, in: "settings")
    // Without a mask everything that is not given would be switched off.
    guard !change.mask.isEmpty else { return try await getTenant(id) }
    return Self.tenant(
      try await call(
        Self.tenants(
          "PATCH", try Self.path(ofTenant: id), query: change.query, body: change.body)))
  }

  /// Deletes a tenant with all its accounts.
  public func deleteTenant(_ id: String) async throws(AdminError) {
    _ = try await call(Self.tenants("DELETE", try Self.path(ofTenant: id)))
  }

  /// The tenants in the order of their ids.
  public func listTenants(pageSize: Int64 = 100) throws(AdminError) -> PagedList<JSONObject> {
    try list("tenants", pageSize: pageSize, isInTenant: false, Self.tenant)
  }

  private static func path(ofTenant id: String) throws(AdminError) -> String {
    try check(segment: id, "the tenant's id")
    return "tenants/\(PercentEncoding.encode(id))"
  }

  private static func tenants(
    _ method: String, _ path: String, query: [(String, String)] = [], body: JSONObject? = nil
  ) -> AdminRequest {
    AdminRequest(method, path, query: query, body: body, isInTenant: false)
  }

  private static func tenant(_ answer: JSONObject) -> JSONObject {
    var tenant: JSONObject = ["tenantID": .string(lastName(in: answer))]
    for (name, value) in Setting.ofTenant.values(in: answer).entries { tenant[name] = value }
    return tenant
  }

  // MARK: The project

  /// The project's settings, under the names of `Setting.ofProject`.
  public func getProjectConfig() async throws(AdminError) -> JSONObject {
    let request = AdminRequest("GET", "config", isInTenant: false)
    return Setting.ofProject.values(in: try await call(request))
  }

  /// Changes what is given of the project's settings, and gives all of them.
  public func updateProjectConfig(_ settings: JSONObject) async throws(AdminError) -> JSONObject {
    let change = try SettingsChange(settings, of: Setting.ofProject, in: "settings")
    guard !change.mask.isEmpty else { return try await getProjectConfig() }
    let request = AdminRequest(
      "PATCH", "config", query: change.query, body: change.body, isInTenant: false)
    return Setting.ofProject.values(in: try await call(request))
  }
}

extension Admin {
  /// A list of the second version of the interface.
  func list(
    _ name: String, pageSize: Int64, isInTenant: Bool = true,
    _ read: @escaping (JSONObject) -> JSONObject
  ) throws(AdminError) -> PagedList<JSONObject> {
    try Self.check(pageSize: pageSize)
    return PagedList { token throws(AdminError) in
      var query = [("pageSize", String(pageSize))]
      if let token { query.append(("pageToken", token)) }
      let answer = try await self.call(
        AdminRequest("GET", name, query: query, isInTenant: isInTenant))
      let items = answer[name]?.array?.compactMap(\.object) ?? []
      return (items.map(read), answer["nextPageToken"]?.string)
    }
  }

  /// The last part of the resource's name, such as `projects/p/tenants/t`.
  static func lastName(in answer: JSONObject) -> String {
    let name = answer["name"]?.string ?? ""
    return String(name.split(separator: "/").last ?? "")
  }
}

extension SettingsChange {
  /// The list of what changes, as the query names it.
  var query: [(String, String)] { [("updateMask", mask.joined(separator: ","))] }
}

extension AdminRequest {
  /// Describes a call of the second version of the interface.
  init(
    _ method: String, _ path: String, query: [(String, String)] = [], body: JSONObject? = nil,
    isInTenant: Bool = true
  ) {
    self.init(get: path, query: query)
    self.method = method
    version = "v2"
    self.body = body
    self.isInTenant = isInTenant
  }
}
