import Client
import IdentityToolkit
import Lua

extension UserClass {
  static func phone(_ methods: inout Declarations, _ interpreter: Interpreter) {
    methods.wait(
      "linkWithPhoneNumber", "Adds a telephone as a way to sign in.", PhoneSignIn.parameters,
      returns: "the result of signIn"
    ) { [unowned interpreter] call throws(LuaError) in
      interpreter.phoneEffect(call) { user, credential throws(AuthError) in
        try await user.link(with: credential)
      }
    }
    methods.wait(
      "reauthenticateWithPhoneNumber", "Proves again who the user is, by the linked telephone.",
      PhoneSignIn.parameters, returns: "the result of signIn"
    ) { [unowned interpreter] call throws(LuaError) in
      interpreter.phoneEffect(call) { user, credential throws(AuthError) in
        try await user.reauthenticate(with: credential)
      }
    }
    methods.wait(
      "updatePhoneNumber", "Puts another telephone in the place of the linked one.",
      [
        LuaParameter(
          "credential", .object(interpreter.classes.credential), "of PhoneAuthProvider.credential")
      ]
    ) { [unowned interpreter] call throws(LuaError) in
      let credential = call.object(2, as: Credential.self)
      return interpreter.userEffect(call) { user throws(AuthError) in
        guard let credential else { return [] }
        try await user.updatePhoneNumber(credential)
        return []
      }
    }
  }
}

extension Interpreter {
  /// An effect that gets a phone credential and passes it to `work`.
  fileprivate func phoneEffect(
    _ call: LuaCall, _ work: @escaping (User, Credential) async throws(AuthError) -> AuthResult
  ) -> Effect {
    let user = call.object(1, as: User.self)
    let phone = PhoneSignIn(call, self)
    return { () async throws(LuaError) in
      guard let user else { return [] }
      // The code is requested by the Auth of this user.
      let credential = try await phone.credential(for: user.authOfProject)
      return try await self.auth { () async throws(AuthError) in
        [self.value(try await work(user, credential))]
      }
    }
  }
}
