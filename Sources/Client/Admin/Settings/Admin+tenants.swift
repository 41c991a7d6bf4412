public import System
import IdentityToolkit

extension Admin {
  /// Creates a tenant; settings that are not given are off.
  ///
  /// The result has the settings with the names in `Setting.ofTenant`, and `tenantID`.
  public func createTenant(_ settings: JSONObject) async throws(AdminError) -> JSONObject {
    let change = try SettingsChange(settings, of: Setting.ofTenant, in: "settings")
    return Self.tenant(try await call(Self.tenants("POST", "tenants", body: change.body)))
  }

  /// Returns the settings of a tenant.
  public func getTenant(_ id: String) async throws(AdminError) -> JSONObject {
    Self.tenant(try await call(Self.tenants("GET", try Self.path(ofTenant: id))))
  }

  /// Changes the given settings of a tenant and returns all of them.
  public func updateTenant(
    _ id: String, _ settings: JSONObject
  ) async throws(AdminError) -> JSONObject {
    let change = try SettingsChange(settings, of: Setting.ofTenant, in: "settings")
    // Without a mask, all settings that are not given would be switched off.
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

  /// Lists the tenants in the order of their ids.
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

  /// Returns the project's settings, with the names in `Setting.ofProject`.
  public func getProjectConfig() async throws(AdminError) -> JSONObject {
    let request = AdminRequest("GET", "config", isInTenant: false)
    return Setting.ofProject.values(in: try await call(request))
  }

  /// Changes the given settings of the project and returns all of them.
  public func updateProjectConfig(_ settings: JSONObject) async throws(AdminError) -> JSONObject {
    let change = try SettingsChange(settings, of: Setting.ofProject, in: "settings")
    guard !change.mask.isEmpty else { return try await getProjectConfig() }
    let request = AdminRequest(
      "PATCH", "config", query: change.query, body: change.body, isInTenant: false)
    return Setting.ofProject.values(in: try await call(request))
  }

  /// Lists items of version 2 of the API.
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

  /// Returns the last part of a resource name such as `projects/p/tenants/t`.
  static func lastName(in answer: JSONObject) -> String {
    let name = answer["name"]?.string ?? ""
    return String(name.split(separator: "/").last ?? "")
  }
}

extension SettingsChange {
  /// The query parameter with the list of changed fields.
  var query: [(String, String)] { [("updateMask", mask.joined(separator: ","))] }
}

extension AdminRequest {
  /// Creates a call of version 2 of the API.
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
