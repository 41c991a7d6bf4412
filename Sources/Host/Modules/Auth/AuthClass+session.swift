import Client
import Lua

/// A separate session beside an `Auth`, for example to verify a user's credential without signing them in.
extension AuthClass {
  static func session(_ methods: inout Declarations, _ interpreter: Interpreter) {
    methods.add(
      "session", "A new Auth of the same target and tenant, with a signed-in user of its own.",
      returns: "Auth"
    ) { [unowned interpreter] call in
      guard let auth = call.object(1, as: Auth.self) else { return .results(0) }
      let made = interpreter.makeAuth(auth.target)
      made.tenantID = auth.tenantID
      made.languageCode = auth.languageCode
      made.customAuthDomain = auth.customAuthDomain
      call.push(interpreter.classes.auth, made)
      return .results(1)
    }
  }

  static var createsAccounts: LuaClass.Property {
    .computed(
      "createsAccounts", .boolean,
      "Whether signing in makes an account for an unknown person; true at first.",
      get: { call in
        call.push(.boolean(call.object(1, as: Auth.self)?.createsAccounts ?? true))
        return .results(1)
      },
      set: { call in
        call.object(1, as: Auth.self)?.createsAccounts = call.boolean(2)
        return .results(0)
      })
  }
}
