import Client
import System
import IdentityToolkit
import Lua

extension AdminClass {
  private static func settings() -> LuaParameter {
    LuaParameter(
      "settings",
      .options([
        LuaParameter("url", .string, optional: true, "where the link leads on to"),
        LuaParameter("handleCodeInApp", .boolean, optional: true),
        LuaParameter("linkDomain", .string, optional: true),
        LuaParameter("iOS", .table, optional: true, "bundleID"),
        LuaParameter("android", .table, optional: true, "packageName, installApp, minimumVersion"),
      ]), optional: true)
  }

  static func link(_ methods: inout Declarations, _ interpreter: Interpreter) {
    let email = LuaParameter("email", .string)
    let kinds: [(name: String, summary: String, kind: Admin.LinkKind)] = [
      ("generatePasswordResetLink", "A link to set a new password.", .passwordReset),
      ("generateEmailVerificationLink", "A link to verify an account's address.", .verifyEmail),
      ("generateSignInWithEmailLink", "A link to sign in with.", .emailSignIn),
    ]
    for (name, summary, kind) in kinds {
      methods.wait(name, summary, [email, settings()], returns: "the link, which is not sent") {
        [unowned interpreter] call throws(LuaError) in
        try effect(kind, call, interpreter, newEmail: nil, settingsAt: 3)
      }
    }
    methods.wait(
      "generateVerifyAndChangeEmailLink", "A link to verify an account's new address.",
      [email, LuaParameter("newEmail", .string), settings()], returns: "the link, which is not sent"
    ) { [unowned interpreter] call throws(LuaError) in
      try effect(
        .verifyAndChangeEmail, call, interpreter, newEmail: call.string(3), settingsAt: 4)
    }
  }

  private static func effect(
    _ kind: Admin.LinkKind, _ call: LuaCall, _ interpreter: Interpreter, newEmail: String?,
    settingsAt index: Int
  ) throws(LuaError) -> Effect {
    let email = call.string(2) ?? ""
    var settings: LinkSettings?
    if call.isTable(index) {
      let json = try JSONBridge.read(call, index)
      settings = try interpreter.adminChecked { () throws(AdminError) in try LinkSettings(json) }
    }
    return interpreter.adminEffect(call) { [settings] admin throws(AdminError) in
      let link = try await admin.generateLink(kind, email: email, newEmail: newEmail, settings)
      return [.string(link.reveal())]
    }
  }
}
