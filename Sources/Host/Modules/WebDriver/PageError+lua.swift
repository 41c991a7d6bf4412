import SignIn
import Lua

extension LuaError {
  init(_ error: PageError) {
    self = .object([
      ("code", .string(error.code.rawValue)), ("message", .string(error.message.printable)),
      ("hint", .string(error.hint.printable)), ("page", .string(ifAny: error.page)),
      ("title", .string(ifAny: error.title)),
    ])
  }
}

/// Runs work of a page and converts its errors.
func paged<Value>(
  _ work: () async throws(PageError) -> Value
) async throws(LuaError) -> Value {
  do throws(PageError) { return try await work() } catch { throw LuaError(error) }
}
