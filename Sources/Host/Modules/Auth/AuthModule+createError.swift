import Client
import IdentityToolkit
import Lua

extension AuthModule {
  static func createError(_ auth: inout Declarations, _ interpreter: Interpreter) {
    auth.add(
      "createError", "An error as luath.auth raises it, for a script to raise itself.",
      [
        LuaParameter("code", .string, "a name of Auth.ErrorCode"),
        LuaParameter("message", .string, optional: true),
        LuaParameter("hint", .string, optional: true, "what to do, in one sentence"),
      ], returns: "a table to pass to error"
    ) { [unowned interpreter] call throws(LuaError) in
      guard let code = ErrorCode(rawValue: call.string(1) ?? "") else {
        throw .message("bad argument #1 to 'createError' (a name of Auth.ErrorCode expected)")
      }
      guard
        case .object(let fields) = interpreter.luaError(
          AuthError(code, call.string(2), hint: call.string(3)))
      else { preconditionFailure("errors of Auth are objects") }
      call.push(.record(fields))
      call.useMetatable(ErrorMetatable.name)
      return .results(1)
    }
  }
}
