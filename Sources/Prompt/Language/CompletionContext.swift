import Lua
/// The syntactic context of a cursor, which decides the possible completions.
struct CompletionContext: Equatable {
  enum Place: Equatable {
    /// A name at the beginning of an expression or statement.
    case name
    /// After the dot or colon of a value at a path of names: `auth.currentUser:`.
    case member(of: [String], isMethod: Bool)
    /// After the dot or colon of a computed value: `auth:signInAnonymously().`.
    case result(of: ValueChain, isMethod: Bool)
    /// A value that a name is compared with: `err.code ==`.
    case value(compared: String)
    /// A key in a table that is an argument of the function at this path of names.
    case option(of: [String], isMethod: Bool)
    /// In a string: the path of the function that takes it, or the name it is compared with.
    case text(call: [String], compared: String?)
    /// A command of the prompt, or its argument.
    case command
    case argument(of: String)
    /// In a comment or number, or after a value of unknown type.
    case nothing
  }

  let place: Place
  /// The beginning of the word to complete.
  let prefix: String
  /// The range of the prefix, in bytes.
  let replaced: Range<Int>
  let names: [String]
  /// In a string: the closing quote, unless it follows already.
  private(set) var closing = ""

  init(_ text: String, at cursor: Int) {
    let before = String(decoding: text.utf8.prefix(cursor), as: UTF8.self)
    let behind = String(decoding: text.utf8.dropFirst(cursor), as: UTF8.self)
    if let command = Self.command(before, cursor) {
      (place, prefix, replaced, names) = (command.place, command.prefix, command.range, [])
      return
    }
    let tokens = LuaLexer.tokens(of: before)
    names = LuaLexer.tokens(of: text).filter { $0.kind == .name && $0.range.upperBound != cursor }
      .map(\.word)
    guard let last = tokens.last else {
      (place, prefix, replaced) = (.name, "", cursor..<cursor)
      return
    }
    let touches = last.range.upperBound == cursor
    if last.kind == .comment || touches && last.kind == .number {
      (place, prefix, replaced) = (.nothing, "", cursor..<cursor)
      return
    }
    if last.kind == .broken, touches {
      let quoted = String(decoding: before.utf8.dropFirst(last.range.lowerBound), as: UTF8.self)
      let content = quoted.dropFirst(quoted.hasPrefix("[[") ? 2 : 1)
      let quote = quoted.hasPrefix("[") ? "]]" : String(quoted.prefix(1))
      if !behind.hasPrefix(quote) { closing = quote }
      let start = cursor - content.utf8.count
      prefix = String(content)
      replaced = start..<cursor
      place = Self.inText(Array(tokens.dropLast()))
      return
    }
    var rest = tokens
    if touches, last.kind == .name || last.kind == .keyword {
      prefix = last.word
      replaced = last.range
      rest.removeLast()
    } else {
      prefix = ""
      replaced = cursor..<cursor
    }
    place = Self.place(rest)
  }

  private static func command(_ text: String, _ cursor: Int)
    -> (place: Place, prefix: String, range: Range<Int>)?
  {
    guard let match = text.wholeMatch(of: /\s*\.([A-Za-z]*)(\s+)?(.*)/.dotMatchesNewlines()) else {
      return nil
    }
    guard match.output.2 != nil else {
      let name = ".\(match.output.1)"
      return (.command, name, cursor - name.utf8.count..<cursor)
    }
    let argument = String(match.output.3)
    return (
      .argument(of: String(match.output.1)), argument, cursor - argument.utf8.count..<cursor
    )
  }

  private static func place(_ tokens: [LuaToken]) -> Place {
    guard let last = tokens.last else { return .name }
    if last.is(".") || last.is(":") {
      let path = path(endingBefore: tokens.count - 1, in: tokens)
      if !path.isEmpty { return .member(of: path, isMethod: last.is(":")) }
      let chain = ValueChain(endingBefore: tokens.count - 1, in: tokens)
      return chain.map { .result(of: $0, isMethod: last.is(":")) } ?? .nothing
    }
    if last.is("==") || last.is("~="),
      let name = path(endingBefore: tokens.count - 1, in: tokens).last
    {
      return .value(compared: name)
    }
    if last.is("{") || last.is(",") || last.is(";"), let open = openBracket(tokens),
      tokens[open].is("{")
    {
      let call = call(endingBefore: open, in: tokens)
      if !call.path.isEmpty { return .option(of: call.path, isMethod: call.isMethod) }
    }
    return .name
  }

  /// The index of the innermost bracket that is still open.
  private static func openBracket(_ tokens: [LuaToken]) -> Int? {
    var depth = 0
    for index in tokens.indices.reversed() where tokens[index].kind == .symbol {
      switch tokens[index].word {
      case ")", "}", "]": depth += 1
      case "(", "{", "[":
        if depth == 0 { return index }
        depth -= 1
      default: break
      }
    }
    return nil
  }

  /// The function whose argument is at `end`: `f {`, `f(a, {`, `a.b:c "`.
  private static func call(endingBefore end: Int, in tokens: [LuaToken])
    -> (path: [String], isMethod: Bool)
  {
    guard end > 0 else { return ([], false) }
    var before = end
    if !isEndOfName(tokens[end - 1]) {
      guard let open = openBracket(Array(tokens[..<end])), tokens[open].is("(") else {
        return ([], false)
      }
      before = open
    }
    let path = path(endingBefore: before, in: tokens)
    let isMethod = path.count > 1 && before > 1 && tokens[before - 2].is(":")
    return (path, isMethod)
  }

  private static func isEndOfName(_ token: LuaToken) -> Bool { token.kind == .name }

  /// The names, separated by dots and colons, that end before an index; empty when the expression contains
  /// anything else.
  private static func path(endingBefore end: Int, in tokens: [LuaToken]) -> [String] {
    var path: [String] = []
    var index = end - 1
    while index >= 0, tokens[index].kind == .name {
      path.insert(tokens[index].word, at: 0)
      guard index > 0, tokens[index - 1].is(".") || tokens[index - 1].is(":") else { return path }
      index -= 2
    }
    return []
  }

  private static func inText(_ tokens: [LuaToken]) -> Place {
    guard let last = tokens.last else { return .text(call: [], compared: nil) }
    if last.is("==") || last.is("~=") {
      let path = path(endingBefore: tokens.count - 1, in: tokens)
      return .text(call: [], compared: path.last)
    }
    if last.is("=") {
      let path = path(endingBefore: tokens.count - 1, in: tokens)
      return .text(call: [], compared: path.last)
    }
    return .text(call: call(endingBefore: tokens.count, in: tokens).path, compared: nil)
  }
}
