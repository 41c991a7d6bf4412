import Client
import IdentityToolkit
import Lua
import System

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

  static func list(_ methods: inout Declarations, _ interpreter: Interpreter) {
    let identifier = LuaParameter.Kind.options(
      UserIdentifier.names.map { LuaParameter($0, .string, optional: true) })
    methods.wait(
      "getUsers", "The accounts that any number of identifiers name, a hundred a request.",
      [
        LuaParameter(
          "identifiers", .list(identifier),
          "tables with uid, email, phoneNumber, or providerID and providerUID")
      ], returns: "a table: users, and notFound, the identifiers without an account"
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

extension Interpreter {
  /// An account as a plain table with the field names of Firebase's admin SDKs.
  func value(_ user: UserRecord) -> LuaValue {
    func time(_ time: Int64?) -> LuaValue { time.map(LuaValue.integer) ?? .nil }
    return .record([
      ("uid", .string(user.uid)), ("email", .string(ifAny: user.email)),
      ("emailVerified", .boolean(user.isEmailVerified)),
      ("displayName", .string(ifAny: user.displayName)),
      ("photoURL", .string(ifAny: user.photoURL)),
      ("phoneNumber", .string(ifAny: user.phoneNumber)), ("disabled", .boolean(user.isDisabled)),
      (
        "metadata",
        .record([
          ("creationTime", time(user.creationTime)), ("lastSignInTime", time(user.lastSignInTime)),
          ("lastRefreshTime", .string(ifAny: user.lastRefreshTime)),
        ])
      ),
      (
        "customClaims",
        user.customClaims.map { JSONBridge.value(.object($0), self) } ?? .nil
      ),
      ("tenantID", .string(ifAny: user.tenantID)),
      ("providerData", JSONBridge.list(user.providerData.map(Self.value))),
      (
        "multiFactor",
        .record([
          ("enrolledFactors", JSONBridge.list(user.enrolledFactors.map(Self.value)))
        ])
      ),
      ("tokensValidAfterTime", time(user.tokensValidAfterTime)),
      ("passwordHash", .string(ifAny: user.passwordHash?.reveal())),
      ("passwordSalt", .string(ifAny: user.passwordSalt?.reveal())),
    ])
  }

  private static func value(_ info: UserRecord.ProviderInfo) -> LuaValue {
    .record([
      ("providerID", .string(info.providerID)), ("uid", .string(info.uid)),
      ("displayName", .string(ifAny: info.displayName)), ("email", .string(ifAny: info.email)),
      ("photoURL", .string(ifAny: info.photoURL)),
      ("phoneNumber", .string(ifAny: info.phoneNumber)),
    ])
  }

  private static func value(_ factor: UserRecord.Factor) -> LuaValue {
    .record([
      ("uid", .string(factor.uid)), ("factorID", .string(factor.factorID)),
      ("displayName", .string(ifAny: factor.displayName)),
      ("phoneNumber", .string(ifAny: factor.phoneNumber)),
      ("enrollmentTime", .string(ifAny: factor.enrollmentTime)),
    ])
  }

  /// Pushes the three values for a generic `for` over a list: like `pairs`, the function, its argument, and the
  /// first control value.
  func push<Item>(
    _ list: PagedList<Item>, on call: LuaCall, _ value: @escaping (Item) -> LuaValue
  ) -> LuaFunction.Answer {
    guard let next = classes.adminList.methods.first?.function else { return .results(0) }
    call.push(.function(next))
    call.push(classes.adminList, ListBox(list, value))
    call.pushNil()
    return .results(3)
  }
}

/// A paged list for scripts; converts its items to Lua values one by one.
final class ListBox {
  let next: () async throws(AdminError) -> LuaValue

  init<Item>(_ list: PagedList<Item>, _ value: @escaping (Item) -> LuaValue) {
    next = { () async throws(AdminError) in try await list.next().map(value) ?? .nil }
  }
}

enum AdminListClass {
  static var pageSize: LuaParameter {
    LuaParameter("pageSize", .integer, optional: true, "1 to 1000: items for each request")
  }

  static func pageSize(_ call: LuaCall, _ index: Int) -> Int64? {
    call.isTable(index) ? call.field(index, "pageSize") { $0.integer($1) } : nil
  }

  static func declare(_ interpreter: Interpreter) -> [Declaration] {
    let type = interpreter.classes.adminList
    var methods = Declarations(interpreter, owner: "list", type: type)
    methods.wait(
      "next", "The next item, or nil after the last; a page is fetched when it is needed.",
      [LuaParameter("previous", .any, optional: true, "what a generic for passes on; not used")],
      returns: "a table or nil"
    ) { [unowned interpreter] call throws(LuaError) in
      let list = call.object(1, as: ListBox.self)
      return { () async throws(LuaError) in
        do throws(AdminError) {
          return [try await list?.next() ?? .nil]
        } catch {
          throw interpreter.luaError(error)
        }
      }
    }
    type.methods = methods.members
    return methods.list
  }
}
