import Client
import System
import Lua

extension UserClass {
  /// Other SDKs' names for the same methods.
  static let emailAliases = [
    (old: "sendEmailVerificationWith", current: "sendEmailVerification"),
    (old: "verifyBeforeUpdateEmail", current: "sendEmailVerificationBeforeUpdatingEmail"),
  ]

  static func emailActions(_ methods: inout Declarations, _ interpreter: Interpreter) {
    methods.wait(
      "sendEmailVerification", "Sends a letter whose link verifies the user's address.",
      [ActionCodeFunctions.settings()]
    ) { [unowned interpreter] call throws(LuaError) in
      let settings = ActionCodeFunctions.settings(call, 2)
      return interpreter.userEffect(call) { user throws(AuthError) in
        try await user.sendEmailVerification(settings: settings)
        return []
      }
    }
    methods.wait(
      "sendEmailVerificationBeforeUpdatingEmail",
      "Sends a letter to a new address, whose link makes it the user's; needs a recent sign-in.",
      [LuaParameter("newEmail", .string), ActionCodeFunctions.settings()]
    ) { [unowned interpreter] call throws(LuaError) in
      let newEmail = call.string(2) ?? ""
      let settings = ActionCodeFunctions.settings(call, 3)
      return interpreter.userEffect(call) { user throws(AuthError) in
        try await user.sendEmailVerification(beforeUpdatingEmail: newEmail, settings: settings)
        return []
      }
    }
  }
}
