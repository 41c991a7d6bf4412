import Client
import Lua

extension AuthClass {
  static func phone(_ methods: inout Declarations, _ interpreter: Interpreter) {
    methods.wait(
      "signInWithPhoneNumber", "Signs in by a code that a telephone is sent.",
      PhoneSignIn.parameters, returns: "the result of signIn"
    ) { [unowned interpreter] call throws(LuaError) in
      let auth = call.object(1, as: Auth.self)
      let phone = PhoneSignIn(call, interpreter)
      return { () async throws(LuaError) in
        guard let auth else { return [] }
        let credential = try await phone.credential(for: auth)
        return try await interpreter.auth { () async throws(AuthError) in
          [interpreter.value(try await auth.signIn(with: credential))]
        }
      }
    }
  }
}
