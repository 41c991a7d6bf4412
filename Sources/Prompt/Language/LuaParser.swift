import Lua

/// What a text is to Lua's own compiler, found in a state of its own.
final class LuaParser {
  /// What a text is.
  enum Finding: Equatable {
    case expression
    case statements
    /// More lines could make it whole.
    case incomplete
    case wrong(String)
  }

  private let lua = LuaState()

  /// What a text is; an expression goes first, so that `f()` shows what it gives.
  func find(_ text: String) -> Finding {
    // The line break ends a quotation mark that was left open: no further line can close it.
    let asExpression = compile("return \(text)\n")
    if asExpression == nil { return .expression }
    guard let problem = compile("\(text)\n") else { return .statements }
    let isOpen = [asExpression, problem].contains { $0?.hasSuffix("near <eof>") ?? false }
    return isOpen ? .incomplete : .wrong(problem)
  }

  /// Whether a text can stand in a file as it is.
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
