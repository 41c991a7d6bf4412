import Client
import System
import Lua

extension AuthClass {
  /// Other SDKs' names for methods about e-mails.
  static let emailAliases = [
    (old: "sendSignInLinkToEmail", current: "sendSignInLink"),
    (old: "isSignIn", current: "isSignInWithEmailLink"),
    (old: "sendPasswordResetEmail", current: "sendPasswordReset"),
    (old: "sendPasswordResetWithEmail", current: "sendPasswordReset"),
    (old: "confirmPasswordResetWithCode", current: "confirmPasswordReset"),
  ]

  static func emailActions(_ methods: inout Declarations, _ interpreter: Interpreter) {
    links(&methods, interpreter)
    resets(&methods, interpreter)
    let code = LuaParameter("code", .secret, "of the link in the e-mail")
    methods.wait(
      "checkActionCode", "Tells what a code is for, without using it.", [code],
      returns: "a table with operation, email, previousEmail, multiFactorInfo"
    ) { [unowned interpreter] call throws(LuaError) in
      let code = Secret(call.string(2) ?? "")
      return interpreter.authWork(call) { auth throws(AuthError) in
        let info = try await auth.checkActionCode(code)
        return [
          .record([
            ("operation", .string(info.operation.rawValue)), ("email", .string(ifAny: info.email)),
            ("previousEmail", .string(ifAny: info.previousEmail)),
            ("multiFactorInfo", info.multiFactorInfo.map(MultiFactorBridge.value) ?? .nil),
          ])
        ]
      }
    }
    methods.wait(
      "applyActionCode", "Verifies an address, changes to one or takes one back, as the code says.",
      [code]
    ) { [unowned interpreter] call throws(LuaError) in
      let code = Secret(call.string(2) ?? "")
      return interpreter.authWork(call) { auth throws(AuthError) in
        try await auth.applyActionCode(code)
        return []
      }
    }
  }

  private static func links(_ methods: inout Declarations, _ interpreter: Interpreter) {
    let email = LuaParameter("email", .string)
    methods.wait(
      "sendSignInLink", "Sends a letter whose link signs in; handleCodeInApp must be true.",
      [email, ActionCodeFunctions.settings(optional: false)]
    ) { [unowned interpreter] call throws(LuaError) in
      let email = call.string(2) ?? ""
      let settings = ActionCodeFunctions.settings(call, 3) ?? ActionCodeSettings()
      return interpreter.authWork(call) { auth throws(AuthError) in
        try await auth.sendSignInLink(email: email, settings: settings)
        return []
      }
    }
    methods.add(
      "isSignInWithEmailLink", "Whether a link is one to sign in with.",
      [LuaParameter("link", .secret)], returns: "a boolean"
    ) { call in
      let auth = call.object(1, as: Auth.self)
      call.push(.boolean(auth?.isSignIn(withEmailLink: call.string(2) ?? "") == true))
      return .results(1)
    }
    methods.wait(
      "signInWithEmailLink", "Signs in with the link that was sent to an address.",
      [email, LuaParameter("link", .secret)], returns: "the result of signIn"
    ) { [unowned interpreter] call throws(LuaError) in
      let (email, link) = (call.string(2) ?? "", call.string(3) ?? "")
      return interpreter.authEffect(call) { auth throws(AuthError) in
        try await auth.signIn(email: email, link: link)
      }
    }
  }

  private static func resets(_ methods: inout Declarations, _ interpreter: Interpreter) {
    let code = LuaParameter("code", .secret, "of the link in the e-mail")
    methods.wait(
      "sendPasswordReset", "Sends a letter whose link sets a new password.",
      [LuaParameter("email", .string), ActionCodeFunctions.settings()]
    ) { [unowned interpreter] call throws(LuaError) in
      let email = call.string(2) ?? ""
      let settings = ActionCodeFunctions.settings(call, 3)
      return interpreter.authWork(call) { auth throws(AuthError) in
        try await auth.sendPasswordReset(email: email, settings: settings)
        return []
      }
    }
    methods.wait(
      "verifyPasswordResetCode", "Checks a code that sets a password, without using it.", [code],
      returns: "the account's address"
    ) { [unowned interpreter] call throws(LuaError) in
      let code = Secret(call.string(2) ?? "")
      return interpreter.authWork(call) { auth throws(AuthError) in
        [.string(try await auth.verifyPasswordResetCode(code))]
      }
    }
    methods.wait(
      "confirmPasswordReset", "Sets a new password by a code, and ends the account's sessions.",
      [code, LuaParameter("newPassword", .secret)]
    ) { [unowned interpreter] call throws(LuaError) in
      let (code, password) = (Secret(call.string(2) ?? ""), Secret(call.string(3) ?? ""))
      return interpreter.authWork(call) { auth throws(AuthError) in
        try await auth.confirmPasswordReset(code: code, newPassword: password)
        return []
      }
    }
  }
}

extension Interpreter {
  /// An effect of a method of Auth that does not return a sign-in result.
  func authWork(
    _ call: LuaCall, _ work: @escaping (Auth) async throws(AuthError) -> [LuaValue]
  ) -> Effect {
    let auth = call.object(1, as: Auth.self)
    return { () async throws(LuaError) in
      guard let auth else { return [] }
      return try await self.auth { () async throws(AuthError) in try await work(auth) }
    }
  }
}
