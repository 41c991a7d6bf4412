import Lua
import Encoding
public import Terminal

/// What a line editor knows of Lua, and of the session that texts are typed for.
///
/// Used on the editor's thread.
public final class LuaLanguage: EditorLanguage {
  /// What completions ask for.
  private let source: any CompletionSource
  private let parser = LuaParser()
  /// The tokens of the text that was asked about last: one key makes several questions.
  private var last: (text: String, tokens: [LuaToken]) = ("", [])

  init(_ source: any CompletionSource) { self.source = source }

  private func tokens(_ text: String) -> [LuaToken] {
    if last.text.utf8.elementsEqual(text.utf8) { return last.tokens }
    last = (text, LuaLexer.tokens(of: text))
    return last.tokens
  }

  /// Whether Lua's compiler, or the prompt itself, could take the text as it is.
  public func isComplete(_ text: String) -> Bool {
    if PromptCommand.isCommand(text) || HelpRequest(text) != nil { return true }
    return parser.find(text) != .incomplete
  }

  /// The words, texts, numbers and comments.
  public func colours(of text: String) -> [ColouredPart] {
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

  /// Whether a broken token is the beginning of a text, which is no mistake while it is typed.
  private func isQuoted(_ token: LuaToken, in text: String) -> Bool {
    let start = text.utf8.index(text.utf8.startIndex, offsetBy: token.range.lowerBound)
    return [0x22, 0x27, 0x5B].contains(text.utf8[start])
  }

  private static let pairs = ["(": ")", "{": "}", "[": "]"]

  /// The bracket that belongs to another.
  public func partner(of position: Int, in text: String) -> Int? {
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

  /// Two blanks for each block and bracket that is open.
  public func indentation(after text: String) -> Int {
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

  /// The two blanks of the block or bracket that the word ends.
  public func outdent(_ word: String) -> Int { Self.closers.contains(word) ? 2 : 0 }

  /// What could stand at the cursor.
  public func completions(of text: String, at cursor: Int) -> Completions {
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

/// What completions are made from.
protocol CompletionSource: AnyObject {
  /// Names of Lua's library and of the session's beginning, which are coloured.
  var builtins: Set<String> { get }

  /// What could stand in a place, best first; more than begins with its prefix is allowed.
  func items(_ context: CompletionContext) -> [Completions.Item]
}

/// `name?`, which asks for help about a name.
struct HelpRequest: Equatable {
  let name: String

  init?(_ text: String) {
    guard let match = text.wholeMatch(of: /\s*([A-Za-z_][\w.:]*)\s*\?\s*/) else { return nil }
    name = String(match.output.1)
  }
}
