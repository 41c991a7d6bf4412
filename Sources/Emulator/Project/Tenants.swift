internal import System
internal import OIDC
internal import IdentityToolkit

/// One tenant of a project, with its own accounts and sign-in settings.
struct Tenant: Sendable {
  let id: String
  /// The fields of Google's `Tenant` message, except those of `identification`.
  var settings: JSONObject
  /// The identity providers registered for this tenant only.
  var providers: [String: ProviderConfiguration] = [:]

  static let switches = [
    "allowPasswordSignup", "enableEmailLinkSignin", "enableAnonymousUser", "disableAuth",
  ]

  /// The default settings of a tenant created by an administrator of Firebase's emulator.
  static let everythingOff: JSONObject = [
    "allowPasswordSignup": false, "disableAuth": false, "enableAnonymousUser": false,
    "enableEmailLinkSignin": false,
    "mfaConfig": ["enabledProviders": [], "state": "DISABLED"],
  ]

  /// The settings of a tenant that Firebase's emulator creates when it is first mentioned.
  static let everythingOn: JSONObject = [
    "allowPasswordSignup": true, "disableAuth": false, "enableAnonymousUser": true,
    "enableEmailLinkSignin": true,
    "mfaConfig": ["enabledProviders": ["PHONE_SMS"], "state": "ENABLED"],
  ]

  func allows(_ setting: String) -> Bool { settings[setting]?.bool == true }

  /// The fields that identify the tenant in responses of Firebase's emulator.
  func identification(in project: String) -> JSONObject {
    ["tenantId": .string(id), "name": .string("projects/\(project)/tenants/\(id)")]
  }

  /// The tenant as administrators of Firebase's emulator see it.
  func wire(in project: String) -> JSONObject {
    var wire = identification(in: project)
    for (name, value) in settings.entries { wire[name] = value }
    return wire
  }

  /// The id of a new tenant of Google's servers: its name and five random characters (measured).
  static func newID(for displayName: String) -> String {
    var end = ""
    while end.utf8.count < 5 { end += SecureRandom.alphanumeric(1).asciiLowercased }
    return "\(displayName)-\(end)"
  }

  /// The tenant as administrators of Google's servers see it (measured).
  ///
  /// It has the project's number, no `tenantId` and no default values. The password hash parameters appear only when
  /// a single tenant is read.
  func wire(in project: Project, showsHashing: Bool = false) -> JSONObject {
    var wire = settings.withoutDefaults
    wire["name"] = .string("projects/\(project.number)/tenants/\(id)")
    wire["inheritance"] = wire["inheritance"] ?? [:]
    if let captcha = settings["recaptchaConfig"]?.object {
      wire["recaptchaConfig"] = .object(Recaptcha.shown(captcha))
    }
    if showsHashing { wire["hashConfig"] = .object(project.hashConfig) }
    return wire
  }
}

extension Tenant {
  static let deletedRecord: JSONObject = ["deleted": true]

  /// All fields but the id.
  var record: JSONObject {
    var record: JSONObject = ["settings": .object(settings)]
    if !providers.isEmpty {
      let ids = providers.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      record["providers"] = .array(ids.compactMap { providers[$0].map { .object($0.record) } })
    }
    return record
  }

  init?(id: String, record: JSONObject) {
    guard let settings = record["settings"]?.object else { return nil }
    self.init(id: id, settings: settings)
    for entry in record["providers"]?.array ?? [] {
      guard let provider = entry.object.flatMap(ProviderConfiguration.init(record:)) else {
        return nil
      }
      providers[provider.id] = provider
    }
  }
}

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
    var tenants = project.tenants.values.sorted { ScriptOrder.precedes($0.id, $1.id) }
    if let start { tenants.removeAll { !ScriptOrder.precedes(start, $0.id) } }
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
    var tenants = project.tenants.values.sorted { ScriptOrder.precedes($0.id, $1.id) }
    if let token = call.query.text("pageToken") {
      let start = tenants.firstIndex { sameText($0.id, token) }
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
}
