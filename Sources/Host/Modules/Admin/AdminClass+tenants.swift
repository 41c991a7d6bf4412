import Client
import IdentityToolkit
import Lua
import System

extension AdminClass {
  static func tenants(_ methods: inout Declarations, _ interpreter: Interpreter) {
    let id = LuaParameter("tenantID", .string)
    let settings = LuaParameter("settings", .options(Setting.parameters(Setting.ofTenant)))
    methods.wait(
      "createTenant", "Makes a tenant; what is not given is off.", [settings],
      returns: "a table with tenantID and the settings"
    ) { [unowned interpreter] call throws(LuaError) in
      let settings = try interpreter.members(call, 2, of: "createTenant") ?? [:]
      return interpreter.settingsEffect(call) { admin throws(AdminError) in
        try await admin.createTenant(settings)
      }
    }
    methods.wait(
      "getTenant", "The settings of a tenant.", [id],
      returns: "a table with tenantID and the settings"
    ) { [unowned interpreter] call throws(LuaError) in
      let id = call.string(2) ?? ""
      return interpreter.settingsEffect(call) { admin throws(AdminError) in
        try await admin.getTenant(id)
      }
    }
    methods.wait(
      "updateTenant", "Changes what is given of a tenant; false clears a setting.", [id, settings],
      returns: "a table with tenantID and all settings"
    ) { [unowned interpreter] call throws(LuaError) in
      let id = call.string(2) ?? ""
      let settings = try interpreter.members(call, 3, of: "updateTenant") ?? [:]
      return interpreter.settingsEffect(call) { admin throws(AdminError) in
        try await admin.updateTenant(id, settings)
      }
    }
    methods.wait("deleteTenant", "Deletes a tenant with all its accounts.", [id]) {
      [unowned interpreter] call throws(LuaError) in
      let id = call.string(2) ?? ""
      return interpreter.adminEffect(call) { admin throws(AdminError) in
        try await admin.deleteTenant(id)
        return []
      }
    }
    methods.add(
      "listTenants", "All tenants, for a generic for; pages are fetched in it.",
      [LuaParameter("options", .options([AdminListClass.pageSize]), optional: true)],
      returns: "what a generic for goes through"
    ) { [unowned interpreter] call throws(LuaError) in
      let size = AdminListClass.pageSize(call, 2)
      guard let admin = call.object(1, as: Admin.self) else { return .results(0) }
      let list = try interpreter.adminChecked { () throws(AdminError) in
        try admin.listTenants(pageSize: size ?? 100)
      }
      return interpreter.push(list, on: call) { JSONBridge.value(.object($0), interpreter) }
    }
    methods.add(
      "authForTenant", "The administrator of a tenant.", [id], returns: "Admin"
    ) { [unowned interpreter] call throws(LuaError) in
      let id = call.string(2) ?? ""
      guard let admin = call.object(1, as: Admin.self) else { return .results(0) }
      let tenant = try interpreter.adminChecked { () throws(AdminError) in
        try admin.forTenant(id)
      }
      call.push(interpreter.classes.admin, tenant)
      return .results(1)
    }
  }

  static func project(_ methods: inout Declarations, _ interpreter: Interpreter) {
    methods.wait("getProjectConfig", "The project's settings.", returns: "a table") {
      [unowned interpreter] call throws(LuaError) in
      interpreter.settingsEffect(call) { admin throws(AdminError) in
        try await admin.getProjectConfig()
      }
    }
    methods.wait(
      "updateProjectConfig",
      "Changes what is given of the project's settings; false clears a setting.",
      [LuaParameter("settings", .options(Setting.parameters(Setting.ofProject)))],
      returns: "a table of all settings"
    ) { [unowned interpreter] call throws(LuaError) in
      let settings = try interpreter.members(call, 2, of: "updateProjectConfig") ?? [:]
      return interpreter.settingsEffect(call) { admin throws(AdminError) in
        try await admin.updateProjectConfig(settings)
      }
    }
  }

  static func providers(_ methods: inout Declarations, _ interpreter: Interpreter) {
    let id = LuaParameter("providerID", .string, "oidc.NAME, saml.NAME or such as google.com")
    methods.wait(
      "createProviderConfig", "Registers an identity provider.",
      [
        LuaParameter(
          "settings", .options([id, LuaParameter("providerId", .string)] + settings),
          "providerID and the settings of its kind")
      ], returns: "a table with providerID and the settings"
    ) { [unowned interpreter] call throws(LuaError) in
      var settings = try interpreter.members(call, 2, of: "createProviderConfig") ?? [:]
      let ids = ["providerID", "providerId"].compactMap { settings[$0]?.string }
      guard ids.count == 1 else {
        throw .message("bad argument #1 to 'createProviderConfig' (one providerID expected)")
      }
      settings["providerID"] = nil
      settings["providerId"] = nil
      return interpreter.settingsEffect(call) { [settings] admin throws(AdminError) in
        try await admin.createProviderConfig(ids[0], settings)
      }
    }
    methods.wait(
      "getProviderConfig", "The settings of an identity provider.", [id],
      returns: "a table with providerID and the settings"
    ) { [unowned interpreter] call throws(LuaError) in
      let id = call.string(2) ?? ""
      return interpreter.settingsEffect(call) { admin throws(AdminError) in
        try await admin.getProviderConfig(id)
      }
    }
    methods.wait(
      "updateProviderConfig",
      "Changes what is given of an identity provider; false clears a setting.",
      [id, LuaParameter("settings", .options(settings))],
      returns: "a table with providerID and all settings"
    ) { [unowned interpreter] call throws(LuaError) in
      let id = call.string(2) ?? ""
      let settings = try interpreter.members(call, 3, of: "updateProviderConfig") ?? [:]
      return interpreter.settingsEffect(call) { admin throws(AdminError) in
        try await admin.updateProviderConfig(id, settings)
      }
    }
    methods.wait(
      "deleteProviderConfig", "Takes an identity provider off the project or tenant.", [id]
    ) { [unowned interpreter] call throws(LuaError) in
      let id = call.string(2) ?? ""
      return interpreter.adminEffect(call) { admin throws(AdminError) in
        try await admin.deleteProviderConfig(id)
        return []
      }
    }
    declareList(in: &methods, interpreter)
  }

  private static func declareList(in methods: inout Declarations, _ interpreter: Interpreter) {
    let kinds = ProviderKind.allCases.map(\.rawValue)
    methods.add(
      "listProviderConfigs",
      "The identity providers of a kind, for a generic for; pages are fetched in it.",
      [
        LuaParameter(
          "options",
          .options([
            LuaParameter("type", .string, kinds.joined(separator: ", ")),
            AdminListClass.pageSize,
          ]))
      ], returns: "what a generic for goes through"
    ) { [unowned interpreter] call throws(LuaError) in
      let size = AdminListClass.pageSize(call, 2)
      let name = call.field(2, "type") { $0.string($1) } ?? ""
      guard let kind = ProviderKind(rawValue: name) else {
        throw .message(
          "bad argument #1 to 'listProviderConfigs' (the type is one of "
            + "\(kinds.joined(separator: ", ")), not '\(name.printable)')")
      }
      guard let admin = call.object(1, as: Admin.self) else { return .results(0) }
      let list = try interpreter.adminChecked { () throws(AdminError) in
        try admin.listProviderConfigs(kind, pageSize: size ?? 100)
      }
      return interpreter.push(list, on: call) { JSONBridge.value(.object($0), interpreter) }
    }
  }

  /// The settings of all kinds of providers; the provider's ID decides which of them are valid.
  private static var settings: [LuaParameter] {
    var known: Set<String> = []
    return Setting.parameters(ProviderKind.allCases.flatMap(\.settings)).filter {
      known.insert($0.name).inserted
    }
  }
}

extension Interpreter {
  func settingsEffect(
    _ call: LuaCall, _ work: @escaping (Admin) async throws(AdminError) -> JSONObject
  ) -> Effect {
    adminEffect(call) { admin throws(AdminError) in
      [JSONBridge.value(.object(try await work(admin)), self)]
    }
  }
}

extension Setting {
  /// The settings as options, each under its name and its alias.
  static func parameters(_ settings: [Setting]) -> [LuaParameter] {
    settings.flatMap { setting in
      [setting.name, setting.alias].compactMap { $0 }
        .map { LuaParameter($0, setting.kind.parameter, optional: true) }
    }
  }
}

extension Setting.Kind {
  /// The accepted Lua values; false clears a setting, as a table cannot contain nil.
  fileprivate var parameter: LuaParameter.Kind {
    switch self {
    case .text: .either([.string, .boolean])
    case .choice: .string
    case .flag, .oppositeFlag: .boolean
    case .integer: .integer
    case .number: .number
    case .texts, .wrappedTexts, .renamedTexts: .either([.list(.string), .boolean])
    case .textsByName: .either([.map(.string), .boolean])
    case .group(let inner), .whole(let inner), .onlyItem(_, let inner):
      .either([.options(Setting.parameters(inner)), .boolean])
    case .shown: .either([.table, .boolean])
    case .items(let inner): .either([.list(.options(Setting.parameters(inner))), .boolean])
    }
  }
}
