import SignIn
import HTTP
import Lua

/// Opens pages by calling a Lua function, which may wait.
final class FunctionOpener: PageOpener {
  private let function: LuaReference
  private unowned let interpreter: Interpreter

  init(_ function: LuaReference, _ interpreter: Interpreter) {
    self.function = function
    self.interpreter = interpreter
  }

  func open(_ page: WebURL) async throws(PageOpeningFailure) {
    let results: [LuaReference]
    do throws(LuaError) {
      results = try await interpreter.call(function, [.string(page.description)], for: nil)
    } catch {
      throw .failed(
        interpreter.authError(
          interpreter.describe(error, traceback: ""), in: "the function that opens the page",
          hint: "mend the function given to ui.browser as open"))
    }
    let isRefused = results.first.map { result in
      interpreter.lua.read(result) { $0.typeName($1) == "boolean" && !$0.boolean($1) }
    }
    if isRefused == true { throw .unavailable("the script opens none") }
  }
}
