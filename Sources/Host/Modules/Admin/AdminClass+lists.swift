import Client
import System
import IdentityToolkit
import Lua

extension AdminClass {
  static func list(_ methods: inout Declarations, _ interpreter: Interpreter) {
    let identifier = LuaParameter.Kind.options(
      UserIdentifier.names.map { LuaParameter($0, .string, optional: true) })
    methods.wait(
      "getUsers", "The accounts that any number of identifiers name, a hundred a request.",
      [
        LuaParameter(
          "identifiers", .list(identifier),
          "tables with uid, email, phoneNumber, or providerID and providerUID")
      ], returns: "a table: users, and notFound, the identifiers that name nobody"
    ) { [unowned interpreter] call throws(LuaError) in
      var identifiers: [UserIdentifier] = []
      for position in 1...max(1, call.length(2)) where position <= call.length(2) {
        let json = try row(call, 2, position)
        identifiers.append(
          try interpreter.adminChecked { () throws(AdminError) in
            try UserIdentifier(json.get(), position)
          })
      }
      let given = call.reference(2)
      return interpreter.adminEffect(call) { [identifiers] admin throws(AdminError) in
        let found = try await admin.getUsers(identifiers)
        let absent = found.notFound.map { position in
          LuaValue.reference(
            interpreter.lua.read(given) { call, at in
              call.item(at, position + 1) { $0.reference($1) }
            })
        }
        return [
          .record([
            ("users", JSONBridge.list(found.users.map(interpreter.value))),
            ("notFound", JSONBridge.list(absent)),
          ])
        ]
      }
    }
    methods.add(
      "listUsers", "All accounts in the order of their uids, for a loop; pages are fetched in it.",
      [
        LuaParameter(
          "options",
          .options([AdminListClass.pageSize]), optional: true)
      ], returns: "what a generic for goes through"
    ) { [unowned interpreter] call throws(LuaError) in
      let size = AdminListClass.pageSize(call, 2)
      guard let admin = call.object(1, as: Admin.self) else { return .results(0) }
      let list = try interpreter.adminChecked { () throws(AdminError) in
        try admin.listUsers(pageSize: size ?? 1000)
      }
      return interpreter.push(list, on: call, interpreter.value)
    }
  }

  /// An item of a list as JSON, or an error that names the value that JSON cannot represent.
  static func row(
    _ call: LuaCall, _ index: Int, _ position: Int
  ) throws(LuaError) -> Result<JSON, AdminError> {
    call.item(index, position) { call, at in
      do throws(JSONBridge.Unwritable) {
        return .success(try JSONBridge.json(call, at))
      } catch {
        return .failure(
          AdminError(.invalidArgument, "\(error.place) is \(error.what)\(error.question)"))
      }
    }
  }
}
