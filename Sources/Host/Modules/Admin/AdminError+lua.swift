import Client
import IdentityToolkit
import Lua

extension Interpreter {
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
