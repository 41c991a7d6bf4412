import Lua
import System

/// The line editor's support for Lua and the prompt's commands.
///
/// Used on the editor's thread.
final class LuaLanguage: EditorLanguage {
  private let source: any CompletionSource
  private let parser = LuaParser()
  /// The tokens of the last text, as one key causes several calls with the same text.
  private var last: (text: String, tokens: [LuaToken]) = ("", [])

  init(_ source: any CompletionSource) { self.source = source }

  private func tokens(_ text: String) -> [LuaToken] {
    if last.text.utf8.elementsEqual(text.utf8) { return last.tokens }
    last = (text, LuaLexer.tokens(of: text))
    return last.tokens
  }

  /// Whether the text is a complete chunk of Lua, or a command of the prompt.
  func isComplete(_ text: String) -> Bool {
    if PromptCommand.isCommand(text) || HelpRequest(text) != nil { return true }
    return parser.find(text) != .incomplete
  }

  /// The tokens with their kinds.
  func colours(of text: String) -> [ColouredPart] {
    guard !PromptCommand.isCommand(text) else { return [] }
    let known = source.builtins
    return tokens(text).map { token in
      let kind: ColouredPart.Kind =
        switch token.kind {
        case .keyword: .keyword
        case .name: known.contains(token.word) ? .builtin : .name
        case .number: .number
        case .string: .string
        case .comment: .comment
        case .symbol: .symbol
        case .broken: token.word.isEmpty && isQuoted(token, in: text) ? .string : .error
        }
      return ColouredPart(token.range, kind)
    }
  }

  /// Whether a broken token is an unfinished string, which is not an error while it is typed.
  private func isQuoted(_ token: LuaToken, in text: String) -> Bool {
    let start = text.utf8.index(text.utf8.startIndex, offsetBy: token.range.lowerBound)
    return [0x22, 0x27, 0x5B].contains(text.utf8[start])
  }

  private static let pairs = ["(": ")", "{": "}", "[": "]"]

  /// The position of the matching bracket.
  func partner(of position: Int, in text: String) -> Int? {
    var open: [(closer: String, position: Int)] = []
    for token in tokens(text) where token.kind == .symbol {
      let start = token.range.lowerBound
      if let closer = Self.pairs[token.word] {
        open.append((closer, start))
      } else if Self.pairs.values.contains(token.word) {
        guard let last = open.popLast(), last.closer == token.word else { return nil }
        if last.position == position { return start }
        if start == position { return last.position }
      }
    }
    return nil
  }

  /// Two blanks for each open block and bracket.
  func indentation(after text: String) -> Int {
    var depth = 0
    for token in tokens(text) where token.kind == .keyword || token.kind == .symbol {
      switch token.word {
      case "do", "then", "function", "repeat", "(", "{", "[": depth += 1
      case "end", "until", ")", "}", "]", "elseif": depth -= 1
      default: break
      }
    }
    return max(0, depth) * 2
  }

  private static let closers: Set<String> = ["end", "until", "else", "elseif", ")", "}", "]"]

  /// Two blanks for a word that ends a block or bracket.
  func outdent(_ word: String) -> Int { Self.closers.contains(word) ? 2 : 0 }

  func completions(of text: String, at cursor: Int) -> Completions {
    let context = CompletionContext(text, at: cursor)
    let prefix = context.prefix
    var items: [Completions.Item] = []
    var seen: Set<String> = []
    for item in source.items(context) where item.text.hasPrefix(prefix) {
      if seen.insert(item.text).inserted { items.append(item) }
    }
    return Completions(replacing: context.replaced, items)
  }
}

protocol CompletionSource: AnyObject {
  /// The names of Lua's library and the session's first names, which are colored.
  var builtins: Set<String> { get }

  /// The completions for a context, best first; may include some that do not begin with its prefix.
  func items(_ context: CompletionContext) -> [Completions.Item]
}

/// A request for help about a name: `name?`.
struct HelpRequest: Equatable {
  let name: String

  init?(_ text: String) {
    guard let match = text.wholeMatch(of: /\s*([A-Za-z_][\w.:]*)\s*\?\s*/) else { return nil }
    name = String(match.output.1)
  }
}

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
