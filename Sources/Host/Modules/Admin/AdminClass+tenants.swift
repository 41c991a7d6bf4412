import Client
import System
import IdentityToolkit
import Lua

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
