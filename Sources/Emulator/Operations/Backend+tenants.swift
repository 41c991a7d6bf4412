internal import System
internal import IdentityToolkit

extension Backend {
  /// `projects.tenants.create`: creates a tenant with a new id; what the request does not turn on is off.
  func createTenant(_ call: Call) throws(Refusal) -> JSONObject {
    guard tenantID == nil else {
      throw .internalFailure(
        "INTERNAL_ERROR : Can only create tenant in agent project",
        isCompatible: !rules[.projectSettings])
    }
    try requireTenants()
    guard rules[.projectSettings] else {
      let tenant = Tenant(id: newUID(), settings: settings(of: call.fields.object))
      project.save(tenant)
      return tenant.wire(in: project.id)
    }
    let settings = try checked(call.fields.object, before: JSONObject())
    let name = settings["displayName"]?.string ?? ""
    var id = Tenant.newID(for: name)
    while project.hasTenant(id) { id = Tenant.newID(for: name) }
    let tenant = Tenant(id: id, settings: settings)
    project.save(tenant)
    return tenant.wire(in: project)
  }

  /// Refuses to manage tenants in a project that does not allow them (measured).
  private func requireTenants() throws(Refusal) {
    guard !rules[.projectSettings] || configuration.allowsTenants else {
      throw Refusal(.invalidProjectID)
    }
  }

  func showTenant() throws(Refusal) -> JSONObject {
    guard let tenant else {
      throw Refusal(verbatim: "((Can only get tenant on tenant projects.))")
    }
    return rules[.projectSettings]
      ? tenant.wire(in: project, showsHashing: true) : tenant.wire(in: project.id)
  }

  /// `projects.tenants.list`: lists tenants in the order of their ids, page by page.
  func listTenants(_ call: Call) throws(Refusal) -> JSONObject {
    guard tenantID == nil else {
      throw Refusal(verbatim: "((Can only list tenants in agent project.))")
    }
    try requireTenants()
    guard !rules[.projectSettings] else { return listAllTenants(call) }
    let limit = call.pageSize("pageSize")
    let start = call.query.text("pageToken")
    var tenants = project.tenants.values.sorted { Self.precedes($0.id, $1.id) }
    if let start { tenants.removeAll { !Self.precedes(start, $0.id) } }
    var answer: JSONObject = ["tenants": []]
    if let limit, tenants.count >= limit {
      tenants = Array(tenants.prefix(limit))
      answer.set("nextPageToken", tenants.last?.id)
    }
    answer["tenants"] = .array(tenants.map { .object($0.wire(in: project.id)) })
    return answer
  }

  /// Lists tenants as Google's servers do (measured): an invalid page size means the largest,
  /// and no tenants give an empty response.
  private func listAllTenants(_ call: Call) -> JSONObject {
    let size = call.query.text("pageSize").flatMap { Int($0) } ?? 0
    let limit = (1...Self.tenantsPerPage).contains(size) ? size : Self.tenantsPerPage
    var tenants = project.tenants.values.sorted { Self.precedes($0.id, $1.id) }
    if let token = call.query.text("pageToken") {
      let start = tenants.firstIndex { ExactString(string: $0.id) == ExactString(string: token) }
      tenants = start.map { Array(tenants[($0 + 1)...]) } ?? []
    }
    guard !tenants.isEmpty else { return [:] }
    let page = tenants.prefix(limit)
    var answer: JSONObject = ["tenants": .array(page.map { .object($0.wire(in: project)) })]
    if page.count < tenants.count { answer.set("nextPageToken", page.last?.id) }
    return answer
  }

  private static let tenantsPerPage = 1000

  /// `projects.tenants.patch`: changes the fields of the mask, or without a mask all of them.
  func updateTenant(_ call: Call) throws(Refusal) -> JSONObject {
    guard var tenant else {
      throw Refusal(verbatim: "((Can only update tenant on tenant projects.))")
    }
    guard !rules[.projectSettings] else { return try changed(tenant, call) }
    if let mask = call.query.text("updateMask") {
      var changed = tenant.wire(in: project.id)
      try FieldMask(mask).apply(call.fields.object, to: &changed)
      let untouched = tenant.identification(in: project.id)
      for (name, value) in untouched.entries where changed[name] == value { changed[name] = nil }
      tenant.settings = changed
    } else {
      tenant.settings = settings(of: call.fields.object)
    }
    project.save(tenant)
    return tenant.wire(in: project.id)
  }

  func deleteTenant() throws(Refusal) -> JSONObject {
    guard let tenantID else {
      throw Refusal(verbatim: "((Can only delete tenant on tenant projects.))")
    }
    project.removeTenant(tenantID)
    return [:]
  }

  /// Changes a tenant as Google's servers do: without a mask the request replaces the whole tenant (measured).
  private func changed(_ old: Tenant, _ call: Call) throws(Refusal) -> JSONObject {
    var tenant = old
    var settings = call.fields.object
    if let mask = call.query.text("updateMask") {
      guard let type = Schema.shared.message("AdminTenant") else {
        preconditionFailure("the table of messages lacks the tenant")
      }
      settings = old.settings
      FieldMask(mask).replace(from: call.fields.object, in: &settings, of: type)
    }
    tenant.settings = try checked(settings, before: old.settings)
    project.save(tenant)
    return tenant.wire(in: project)
  }

  /// Checks a tenant's settings and drops those that an administrator cannot write.
  private func checked(
    _ settings: JSONObject, before: JSONObject
  ) throws(Refusal) -> JSONObject {
    var settings = settings
    for name in ["name", "tenantId", "hashConfig"] { settings[name] = nil }
    try SettingsCheck.checkDisplayName(settings["displayName"]?.string)
    try SettingsCheck(now: nowMilliseconds).apply(to: &settings, changedFrom: before)
    return settings
  }

  /// The settings that a request gives to a tenant of Firebase's emulator; omitted ones are off.
  private func settings(of body: JSONObject) -> JSONObject {
    var settings = Tenant.everythingOff
    settings.set("displayName", body["displayName"]?.string)
    for name in Tenant.switches { settings.set(name, body[name]?.bool) }
    if var factors = body["mfaConfig"]?.object {
      if factors["state"] == nil { factors["state"] = "DISABLED" }
      if factors["enabledProviders"] == nil { factors["enabledProviders"] = [] }
      settings["mfaConfig"] = .object(factors)
    }
    return settings
  }

  /// The string order of JavaScript.
  private static func precedes(_ a: String, _ b: String) -> Bool {
    a.utf16.lexicographicallyPrecedes(b.utf16)
  }
}
