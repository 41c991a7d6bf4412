import Client
import System
import IdentityToolkit
import Lua

extension AdminClass {
  private static func options(
    _ names: [String], text: LuaParameter.Kind
  ) -> LuaParameter.Kind {
    .options(
      names.map { name in
        let kind: LuaParameter.Kind =
          switch name {
          case "emailVerified", "disabled": .boolean
          case "multiFactor", "customClaims": .either([.table, .boolean])
          case "providerToLink": .table
          case "providersToUnlink": .list(.string)
          case "uid": .string
          case "password":
            if case .either = text { .either([.secret, .boolean]) } else { .secret }
          default: text
          }
        return LuaParameter(name, kind, optional: true)
      })
  }

  static func change(_ methods: inout Declarations, _ interpreter: Interpreter) {
    methods.wait(
      "createUser", "Makes an account.",
      [LuaParameter("properties", options(NewUser.names, text: .string), optional: true)],
      returns: "a table that describes the account"
    ) { [unowned interpreter] call throws(LuaError) in
      let json: JSON = call.isTable(2) ? try JSONBridge.read(call, 2) : [:]
      let user = try interpreter.adminChecked { () throws(AdminError) in try NewUser(json) }
      return interpreter.adminEffect(call) { admin throws(AdminError) in
        [interpreter.value(try await admin.createUser(user))]
      }
    }
    methods.wait(
      "updateUser", "Changes an account; false clears a field.",
      [
        LuaParameter("uid", .string),
        LuaParameter("changes", options(UserChanges.names, text: .either([.string, .boolean]))),
      ], returns: "a table that describes the account"
    ) { [unowned interpreter] call throws(LuaError) in
      let uid = call.string(2) ?? ""
      let json = try JSONBridge.read(call, 3)
      let changes = try interpreter.adminChecked { () throws(AdminError) in try UserChanges(json) }
      return interpreter.adminEffect(call) { admin throws(AdminError) in
        [interpreter.value(try await admin.updateUser(uid, changes))]
      }
    }
    methods.wait(
      "setCustomUserClaims", "Sets the claims added to an account's tokens; false clears them.",
      [LuaParameter("uid", .string), LuaParameter("claims", .either([.table, .boolean]))]
    ) { [unowned interpreter] call throws(LuaError) in
      let (uid, claims) = (call.string(2) ?? "", try JSONBridge.read(call, 3))
      return interpreter.adminEffect(call) { admin throws(AdminError) in
        try await admin.setCustomUserClaims(uid, claims)
        return []
      }
    }
    methods.wait("deleteUser", "Deletes an account.", [LuaParameter("uid", .string)]) {
      [unowned interpreter] call throws(LuaError) in
      let uid = call.string(2) ?? ""
      return interpreter.adminEffect(call) { admin throws(AdminError) in
        try await admin.deleteUser(uid)
        return []
      }
    }
    methods.wait(
      "revokeRefreshTokens", "Ends the sessions that an account has now.",
      [LuaParameter("uid", .string)]
    ) { [unowned interpreter] call throws(LuaError) in
      let uid = call.string(2) ?? ""
      return interpreter.adminEffect(call) { admin throws(AdminError) in
        try await admin.revokeRefreshTokens(uid)
        return []
      }
    }
  }
}
