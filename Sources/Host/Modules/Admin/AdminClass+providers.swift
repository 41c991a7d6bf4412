import Client
import System
import IdentityToolkit
import Lua

extension AdminClass {
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
