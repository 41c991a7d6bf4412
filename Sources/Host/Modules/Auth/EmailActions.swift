import Client
import Lua
import System

extension AuthClass {
  /// Other SDKs' names for methods about e-mails.
  static func emailActions(_ methods: inout Declarations, _ interpreter: Interpreter) {
    links(&methods, interpreter)
    resets(&methods, interpreter)
    let code = LuaParameter("code", .secret, "of the link in the e-mail")
    methods.wait(
      "checkActionCode", "Returns what a code is for, without using it.", [code],
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
      "applyActionCode", "Verifies, changes or restores an address, depending on the code.",
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
      "sendSignInLink", "Sends an e-mail whose link signs in; handleCodeInApp must be true.",
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
      "sendPasswordReset", "Sends an e-mail whose link sets a new password.",
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

extension UserClass {
  /// Other SDKs' names for the same methods.
  static func emailActions(_ methods: inout Declarations, _ interpreter: Interpreter) {
    methods.wait(
      "sendEmailVerification", "Sends an e-mail whose link verifies the user's address.",
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
      "Sends an e-mail to a new address, whose link makes it the user's; needs a recent sign-in.",
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

/// Action codes of e-mails: the table of operations, the link parser, and the settings.
enum ActionCodeFunctions {
  private static let metatable = "luath.ActionCodeOperation"

  static var operations: (String, LuaValue) {
    (
      "ActionCodeOperation",
      .pushed { call in
        let names = ActionCodeOperation.allCases.map(\.rawValue)
        call.push(.record(names.map { ($0, .string($0)) }))
        call.useMetatable(metatable)
      }
    )
  }

  static func register(in lua: LuaState) {
    let names = ActionCodeOperation.allCases.map(\.rawValue)
    lua.registerMetatable(
      metatable,
      [("__index", .function(AuthModule.missing("Auth.ActionCodeOperation", names)))])
  }

  static func declare(_ auth: inout Declarations) {
    auth.add(
      "ActionCodeURL", "Takes the link of an e-mail apart, whatever other link is around it.",
      [LuaParameter("link", .secret)],
      returns: "a table with operation, code, apiKey, continueURL, languageCode, tenantID; or nil"
    ) { call in
      guard let url = ActionCodeURL(call.string(1) ?? "") else {
        call.push(.nil)
        return .results(1)
      }
      call.push(
        .record([
          ("operation", .string(url.operation.rawValue)), ("code", .string(url.code.reveal())),
          ("apiKey", .string(ifAny: url.apiKey?.reveal())),
          ("continueURL", .string(ifAny: url.continueURL)),
          ("languageCode", .string(ifAny: url.languageCode)),
          ("tenantID", .string(ifAny: url.tenantID)),
        ]))
      return .results(1)
    }
  }

  static func settings(optional: Bool = true) -> LuaParameter {
    LuaParameter(
      "settings",
      .options([
        LuaParameter("url", .string, optional: true, "where to go on when the code was used"),
        LuaParameter(
          "handleCodeInApp", .boolean, optional: true, "whether the app uses the code itself"),
        LuaParameter("iOSBundleID", .string, optional: true, "the iOS app that opens the link"),
        LuaParameter(
          "androidPackageName", .string, optional: true, "the Android app that opens the link"),
        LuaParameter("androidMinimumVersion", .string, optional: true, "its oldest good version"),
        LuaParameter(
          "androidInstallIfNotAvailable", .boolean, optional: true, "whether it is installed"),
        LuaParameter("linkDomain", .string, optional: true, "a hosting domain of the project"),
      ]), optional: optional, "where the link leads on to, and what opens it")
  }

  static func settings(_ call: LuaCall, _ index: Int) -> ActionCodeSettings? {
    guard call.isTable(index) else { return nil }
    func text(_ name: String) -> String? { call.field(index, name) { $0.string($1) } }
    func flag(_ name: String) -> Bool { call.field(index, name) { $0.boolean($1) } }
    var settings = ActionCodeSettings()
    settings.url = text("url")
    settings.handleCodeInApp = flag("handleCodeInApp")
    settings.iOSBundleID = text("iOSBundleID")
    settings.androidPackageName = text("androidPackageName")
    settings.androidMinimumVersion = text("androidMinimumVersion")
    settings.androidInstallIfNotAvailable = flag("androidInstallIfNotAvailable")
    settings.linkDomain = text("linkDomain")
    return settings
  }
}
