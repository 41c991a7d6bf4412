import Admin
import Encoding
import IdentityToolkit
import Lua

/// Reading many accounts.
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
    let next = next(interpreter)
    methods.add(
      "listUsers", "All accounts in the order of their uids, for a loop; pages are fetched in it.",
      [
        LuaParameter(
          "options",
          .options([
            LuaParameter("pageSize", .integer, optional: true, "1 to 1000, which is the default")
          ]), optional: true)
      ], returns: "what a generic for goes through"
    ) { [unowned interpreter] call throws(LuaError) in
      let size = pageSize(call, 2)
      let list = try interpreter.adminChecked { () throws(AdminError) in
        try call.object(1, as: Admin.self)?.listUsers(pageSize: size)
      }
      guard let list else { return .results(0) }
      // As with `pairs`: the function, what it is called with, and the first control value.
      call.push(.function(next))
      call.push(interpreter.classes.userList, list)
      call.pushNil()
      return .results(3)
    }
  }

  /// What a loop calls for each account; it waits when a page is at its end.
  private static func next(_ interpreter: Interpreter) -> LuaFunction {
    LuaFunction(
      usage: "for user in admin:listUsers() do",
      parameters: [LuaParameter("list", .object(interpreter.classes.userList))], variadic: true,
      finish: { [unowned interpreter] call throws(LuaError) in try interpreter.finish(call) },
      body: { [unowned interpreter] call throws(LuaError) in
        let list = call.object(1, as: UserList.self)
        interpreter.begin(
          .effect { () async throws(LuaError) in
            do throws(AdminError) {
              guard let user = try await list?.next() else { return [.nil] }
              return [interpreter.value(user)]
            } catch {
              throw interpreter.luaError(error)
            }
          })
        return .waits
      })
  }

  /// The page size an options table asks for.
  static func pageSize(_ call: LuaCall, _ index: Int) -> Int64 {
    guard call.isTable(index) else { return 1000 }
    return call.field(index, "pageSize") { $0.integer($1) } ?? 1000
  }

  /// An item of a list as JSON, or what JSON cannot hold of it.
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
