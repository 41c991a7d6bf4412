import Client
import System
import IdentityToolkit
import Lua

extension AdminClass {
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
      "createSessionCookie", "A cookie with what an ID token says, for a web server's sessions.",
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
}
