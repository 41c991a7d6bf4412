import Client
import IdentityToolkit
import Lua

enum AdminClass {
  static func declare(_ interpreter: Interpreter) -> [Declaration] {
    let type = interpreter.classes.admin
    type.properties = properties()
    var methods = Declarations(interpreter, owner: "admin", type: type)
    lookUp(&methods, interpreter)
    change(&methods, interpreter)
    list(&methods, interpreter)
    batch(&methods, interpreter)
    link(&methods, interpreter)
    tokens(&methods, interpreter)
    tenants(&methods, interpreter)
    project(&methods, interpreter)
    providers(&methods, interpreter)
    type.methods = methods.members
    type.describe = { object in
      guard let admin = object as? Admin else { return "Admin" }
      let tenant = admin.tenantID.map { ", tenant \($0.printable)" } ?? ""
      return "Admin(\(admin.target.projectID.printable)\(tenant))"
    }
    return methods.list
  }

  private static func properties() -> [LuaClass.Property] {
    [
      .computed("tenantID", .string, optional: true, "The tenant that calls are about, or nil.") {
        call in
        call.push(.string(ifAny: call.object(1, as: Admin.self)?.tenantID))
        return .results(1)
      }
    ]
  }

  private static func lookUp(_ methods: inout Declarations, _ interpreter: Interpreter) {
    methods.wait(
      "getUser", "The account of a uid.", [LuaParameter("uid", .string)],
      returns: "a table that describes the account"
    ) { [unowned interpreter] call throws(LuaError) in
      let uid = call.string(2) ?? ""
      return interpreter.adminEffect(call) { admin throws(AdminError) in
        [interpreter.value(try await admin.getUser(uid))]
      }
    }
    methods.wait(
      "getUserByEmail", "The account of an e-mail address.", [LuaParameter("email", .string)],
      returns: "a table that describes the account"
    ) { [unowned interpreter] call throws(LuaError) in
      let email = call.string(2) ?? ""
      return interpreter.adminEffect(call) { admin throws(AdminError) in
        [interpreter.value(try await admin.getUser(email: email))]
      }
    }
    methods.wait(
      "getUserByPhoneNumber", "The account of a phone number in international form.",
      [LuaParameter("phoneNumber", .string)], returns: "a table that describes the account"
    ) { [unowned interpreter] call throws(LuaError) in
      let number = call.string(2) ?? ""
      return interpreter.adminEffect(call) { admin throws(AdminError) in
        [interpreter.value(try await admin.getUser(phoneNumber: number))]
      }
    }
    methods.wait(
      "getUserByProviderUID", "The account of a person by their id at an identity provider.",
      [LuaParameter("providerID", .string), LuaParameter("uid", .string)],
      returns: "a table that describes the account"
    ) { [unowned interpreter] call throws(LuaError) in
      let (provider, uid) = (call.string(2) ?? "", call.string(3) ?? "")
      return interpreter.adminEffect(call) { admin throws(AdminError) in
        [interpreter.value(try await admin.getUser(providerID: provider, providerUID: uid))]
      }
    }
    methods.alias([(old: "getUserByProviderUid", current: "getUserByProviderUID")])
  }
}
