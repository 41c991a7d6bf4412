import Lua

/// Classifies entries with Lua's compiler, in a separate state.
final class LuaParser {
  enum Finding: Equatable {
    case expression
    case statements
    /// More lines could complete it.
    case incomplete
    case wrong(String)
  }

  private let lua = LuaState()

  /// Classifies an entry; tries an expression first, so that `f()` prints its results.
  func find(_ text: String) -> Finding {
    // The line break ends an unfinished string, which further lines could not complete.
    let asExpression = compile("return \(text)\n")
    if asExpression == nil { return .expression }
    guard let problem = compile("\(text)\n") else { return .statements }
    let isOpen = [asExpression, problem].contains { $0?.hasSuffix("near <eof>") ?? false }
    return isOpen ? .incomplete : .wrong(problem)
  }

  func isStatement(_ text: String) -> Bool { compile("\(text)\n") == nil }

  private func compile(_ text: String) -> String? {
    do throws(LuaError) {
      _ = try lua.load(Array(text.utf8), name: "=text")
      return nil
    } catch {
      guard case .message(let message) = error else { return "" }
      return message
    }
  }
}
