import Client
import System
import HTTP
import IdentityToolkit
import Lua
import OIDC

extension AuthModule {
  static func sessions(_ auth: inout Declarations, _ interpreter: Interpreter) {
    let target = LuaParameter("target", .string, optional: true, "a name of the project file")
    let tenant = LuaParameter("tenantID", .string, optional: true, "the tenant to sign in to")
    auth.add(
      "session", "A new Auth of the run's target or another, with a signed-in user of its own.",
      [LuaParameter("options", .options([target, tenant]), optional: true)], returns: "Auth"
    ) { [unowned interpreter] call throws(LuaError) in
      let made = interpreter.makeAuth(try interpreter.target(call, 1))
      if call.isTable(1) { made.tenantID = call.field(1, "tenantID") { $0.string($1) } }
      call.push(interpreter.classes.auth, made)
      return .results(1)
    }
    auth.wait(
      "load", "A new Auth that goes on with the session auth:save kept, if it is still good.",
      [
        LuaParameter("path", .string),
        LuaParameter("options", .options([target]), optional: true),
      ], returns: "Auth"
    ) { [unowned interpreter] call throws(LuaError) in
      let path = try interpreter.path(call, 1, of: "load", argument: 1)
      let made = interpreter.makeAuth(try interpreter.target(call, 2))
      return { () async throws(LuaError) in
        try await interpreter.auth { () async throws(AuthError) in
          try await interpreter.sessionFile(path, of: made.target).load(into: made)
          return [.object(interpreter.classes.auth, made)]
        }
      }
    }
  }
}

extension Interpreter {
  /// The target named in an options table, or the run's target.
  func target(_ call: LuaCall, _ options: Int) throws(LuaError) -> Target {
    let name = call.isTable(options) ? call.field(options, "target") { $0.string($1) } : nil
    return try name.map { (name) throws(LuaError) in try target(named: name) } ?? context.target
  }

  /// The path at `index`; raises an error when it is not valid.
  func path(
    _ call: LuaCall, _ index: Int, of function: String, argument: Int
  ) throws(LuaError) -> String {
    let path = call.string(index) ?? ""
    // The system would cut the path at a NUL.
    guard !path.utf8.contains(0), !path.isEmpty else {
      throw .message(
        "bad argument #\(argument) to '\(function)' (a path is not empty and has no zero byte)")
    }
    return path
  }

  func sessionFile(_ path: String, of target: Target) -> SessionFile {
    // 8 bytes: enough to distinguish keys, but not enough to verify a guess of one.
    let digest = Digest.sha256(Array(target.apiKey.reveal().utf8)).prefix(8)
    return SessionFile(path, keyFingerprint: Hex.encode(Array(digest)), loop: actor.loop)
  }
}
