import Lua
/// Finds the local variables that a text declares outside of all blocks, and the end of each declaration.
///
/// It parses Lua's expressions (manual 3.4), which is the only way to find the end of `local a = f`: where the
/// expression is complete and the next token cannot continue it.
struct LocalScan {
  struct Declaration: Equatable {
    var names: [String] = []
    /// The variables that cannot be assigned to.
    var constants: Set<String> = []
    /// The `<close>` variable.
    var closing: String?
    var closeWord: Range<Int>?
    /// The end of the statement, in bytes.
    var end = 0
  }

  private let tokens: [LuaToken]
  private var position = 0
  private var found: [Declaration] = []

  /// The declarations of a text that Lua can compile, in order.
  static func declarations(in tokens: [LuaToken]) -> [Declaration] {
    var scan = LocalScan(tokens: tokens.filter { $0.kind != .comment })
    scan.read()
    return scan.found
  }

  private init(tokens: [LuaToken]) { self.tokens = tokens }

  private static let openers: Set<String> = ["do", "if", "function", "repeat"]
  private static let closers: Set<String> = ["end", "until"]
  private static let brackets = ["(": ")", "{": "}", "[": "]"]
  private static let binary: Set<String> = [
    "+", "-", "*", "/", "//", "%", "^", "..", "<", "<=", ">", ">=", "==", "~=", "and", "or", "&",
    "|", "~", "<<", ">>",
  ]
  private static let unary: Set<String> = ["-", "not", "#", "~"]

  private mutating func read() {
    while let token = current {
      if token.is("local") {
        position += 1
        declaration()
      } else if Self.openers.contains(token.word), token.kind == .keyword {
        skipBlock()
      } else if let closer = Self.brackets[token.word], token.kind == .symbol {
        skipBracket(closer)
      } else {
        position += 1
      }
    }
  }

  private var current: LuaToken? { position < tokens.count ? tokens[position] : nil }

  private func isAt(_ word: String) -> Bool { current?.is(word) ?? false }

  private mutating func declaration() {
    var declaration = Declaration()
    if isAt("function") {
      if position + 1 < tokens.count { declaration.names = [tokens[position + 1].word] }
      skipBlock()
    } else {
      repeat {
        if isAt(",") { position += 1 }
        guard let name = current, name.kind == .name else { break }
        position += 1
        declaration.names.append(name.word)
        guard isAt("<"), position + 2 < tokens.count else { continue }
        let attribute = tokens[position + 1]
        declaration.constants.insert(name.word)
        if attribute.word == "close" {
          declaration.closing = name.word
          declaration.closeWord = attribute.range
        }
        position += 3
      } while isAt(",")
      if isAt("=") {
        position += 1
        expressions()
      }
    }
    declaration.end = position > 0 ? tokens[position - 1].range.upperBound : 0
    found.append(declaration)
  }

  private mutating func expressions() {
    expression()
    while isAt(",") {
      position += 1
      expression()
    }
  }

  private mutating func expression() {
    while true {
      while let token = current, Self.unary.contains(token.word), token.kind != .name {
        position += 1
      }
      operand()
      guard let token = current, Self.binary.contains(token.word), token.kind != .name else {
        return
      }
      position += 1
    }
  }

  private mutating func operand() {
    guard let token = current else { return }
    if token.is("function") { return skipBlock() }
    if token.is("{") { return skipBracket("}") }
    if token.is("(") {
      skipBracket(")")
      return suffixes()
    }
    position += 1
    // A string or number cannot be called: `local a = 1 (f)()` is two statements.
    if token.kind == .name { suffixes() }
  }

  private mutating func suffixes() {
    while let token = current {
      if token.is(".") || token.is(":") {
        position += 2
      } else if token.kind == .string {
        position += 1
      } else if token.kind == .symbol, let closer = Self.brackets[token.word] {
        skipBracket(closer)
      } else {
        return
      }
    }
  }

  /// Skips a block, including the word that ends it.
  private mutating func skipBlock() {
    var depth = 0
    while let token = current {
      position += 1
      guard token.kind == .keyword else { continue }
      if Self.openers.contains(token.word) { depth += 1 }
      if Self.closers.contains(token.word) {
        depth -= 1
        // The condition after `until` is read like the following code.
        if depth == 0 { return }
      }
    }
  }

  private mutating func skipBracket(_ closer: String) {
    let opener = current?.word ?? ""
    var depth = 0
    while let token = current {
      position += 1
      guard token.kind == .symbol else { continue }
      if token.word == opener { depth += 1 }
      if token.word == closer {
        depth -= 1
        if depth == 0 { return }
      }
    }
  }
}
