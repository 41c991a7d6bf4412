internal import Encoding
internal import IdentityToolkit

extension Backend {
  /// `projects.tenants.create`: a tenant under an id of its own, with everything off that is not on.
  func createTenant(_ call: Call) throws(Refusal) -> JSONObject {
    guard tenantID == nil else {
      throw .internalFailure(
        "INTERNAL_ERROR : Can only create tenant in agent project",
        isCompatible: !rules[.projectSettings])
    }
    guard !rules[.projectSettings] || configuration.allowsTenants else {
      throw Refusal(.operationNotAllowed, "The project does not allow tenants.")
    }
    let tenant = Tenant(id: newUID(), settings: settings(of: call.fields.object))
    project.save(tenant)
    return tenant.wire(in: project.id)
  }

  func showTenant() throws(Refusal) -> JSONObject {
    guard let tenant else {
      throw Refusal(verbatim: "((Can only get tenant on tenant projects.))")
    }
    return tenant.wire(in: project.id)
  }

  /// `projects.tenants.list`: in the order of their ids, page by page.
  func listTenants(_ call: Call) throws(Refusal) -> JSONObject {
    guard tenantID == nil else {
      throw Refusal(verbatim: "((Can only list tenants in agent project.))")
    }
    let limit = try call.pageSize("pageSize")
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

  /// `projects.tenants.patch`: the fields of the mask, or without a mask all of them.
  func updateTenant(_ call: Call) throws(Refusal) -> JSONObject {
    guard var tenant else {
      throw Refusal(verbatim: "((Can only update tenant on tenant projects.))")
    }
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

  /// The settings a request gives a tenant; what it leaves out is off.
  private func settings(of body: JSONObject) -> JSONObject {
    var settings = Tenant.everythingOff
    settings.set("displayName", body["displayName"]?.string)
    for name in Tenant.switches { settings.set(name, body[name]?.bool) }
    if var factors = body["mfaConfig"]?.object {
      if factors["state"] == nil { factors["state"] = "DISABLED" }
      if factors["enabledProviders"] == nil { factors["enabledProviders"] = [] }
      settings["mfaConfig"] = .object(factors)
    }
    if rules[.projectSettings] {
      for name in Tenant.furtherSettings { settings[name] = body[name] ?? settings[name] }
    }
    return settings
  }

  /// JavaScript's order of strings.
  private static func precedes(_ a: String, _ b: String) -> Bool {
    a.utf16.lexicographicallyPrecedes(b.utf16)
  }
}
