import Client
import IdentityToolkit
import Lua
import System

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
      "getUserByProviderUID", "The account of a user by the id at an identity provider.",
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

  static func tokens(_ methods: inout Declarations, _ interpreter: Interpreter) {
    methods.wait(
      "createCustomToken",
      "A token for auth:signInWithCustomToken, which signs in a uid of your choice.",
      [
        LuaParameter("uid", .string, "1 to 128 characters"),
        LuaParameter("claims", .table, optional: true, "further claims of the ID tokens"),
      ], returns: "the token"
    ) { [unowned interpreter] call throws(LuaError) in
      let uid = call.string(2) ?? ""
      let claims = try interpreter.members(call, 3, of: "createCustomToken")
      return interpreter.adminEffect(call) { admin throws(AdminError) in
        [.string(try await admin.createCustomToken(uid, claims: claims).reveal())]
      }
    }
    let check = LuaParameter(
      "checkRevoked", .boolean, optional: true,
      "whether to ask if the account is enabled and its sessions were not ended")
    methods.wait(
      "verifyIDToken", "The claims of an ID token, once signature, project and times are checked.",
      [LuaParameter("token", .secret), check], returns: "a table of claims, with uid"
    ) { [unowned interpreter] call throws(LuaError) in
      let (token, isAsking) = (Secret(call.string(2) ?? ""), call.boolean(3))
      return interpreter.adminEffect(call) { admin throws(AdminError) in
        [interpreter.value(try await admin.verifyIDToken(token, checkRevoked: isAsking))]
      }
    }
    methods.wait(
      "createSessionCookie",
      "A cookie with the claims of an ID token, for a web server's sessions.",
      [
        LuaParameter("idToken", .secret),
        LuaParameter(
          "options",
          .options([LuaParameter("expiresIn", .integer, "seconds, from 300 to 1209600")])),
      ], returns: "the cookie"
    ) { [unowned interpreter] call throws(LuaError) in
      let token = Secret(call.string(2) ?? "")
      guard let lifetime = call.field(3, "expiresIn", { $0.integer($1) }) else {
        throw .message("bad argument #2 to 'createSessionCookie' (expiresIn is missing)")
      }
      return interpreter.adminEffect(call) { admin throws(AdminError) in
        let cookie = try await admin.createSessionCookie(idToken: token, lifetime: lifetime)
        return [.string(cookie.reveal())]
      }
    }
    methods.wait(
      "verifySessionCookie", "The claims of a session cookie, checked as verifyIDToken does.",
      [LuaParameter("cookie", .secret), check], returns: "a table of claims, with uid"
    ) { [unowned interpreter] call throws(LuaError) in
      let (cookie, isAsking) = (Secret(call.string(2) ?? ""), call.boolean(3))
      return interpreter.adminEffect(call) { admin throws(AdminError) in
        [interpreter.value(try await admin.verifySessionCookie(cookie, checkRevoked: isAsking))]
      }
    }
    methods.alias([(old: "verifyIdToken", current: "verifyIDToken")])
  }

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

extension Interpreter {
  /// The members of a table with string keys; nil when the argument is missing.
  func members(
    _ call: LuaCall, _ index: Int, of function: String
  ) throws(LuaError) -> JSONObject? {
    guard call.isTable(index) else { return nil }
    guard let members = try JSONBridge.read(call, index).object else {
      throw .message(
        "bad argument #\(index - 1) to '\(function)' (a table with names expected, got a list)")
    }
    return members
  }

  fileprivate func value(_ token: VerifiedToken) -> LuaValue {
    var claims = token.claims
    claims["uid"] = .string(token.uid)
    return JSONBridge.value(.object(claims), self)
  }

  func luaError(_ error: AdminError) -> LuaError {
    var fields: [(String, LuaValue)] = [
      ("code", .string(error.code.rawValue)), ("rawValue", .integer(Int64(error.code.number))),
      ("name", .string(error.code.name)), ("webCode", .string(error.code.webCode)),
      ("message", .string(error.message.printable)), ("hint", .string(error.hint.printable)),
      ("serverName", .string(ifAny: error.serverName)),
    ]
    if let details = error.details { fields.append(("details", JSONBridge.value(details, self))) }
    if let batch = error.batch { fields.append(("batch", value(batch))) }
    return .object(fields)
  }

  func adminChecked<Value>(
    _ work: () throws(AdminError) -> Value
  ) throws(LuaError) -> Value {
    do throws(AdminError) {
      return try work()
    } catch {
      throw luaError(error)
    }
  }

  /// An effect with the administrator that a method was called on.
  func adminEffect(
    _ call: LuaCall, _ work: @escaping (Admin) async throws(AdminError) -> [LuaValue]
  ) -> Effect {
    let admin = call.object(1, as: Admin.self)
    return { () async throws(LuaError) in
      guard let admin else { return [] }
      do throws(AdminError) {
        return try await work(admin)
      } catch {
        throw self.luaError(error)
      }
    }
  }
}
