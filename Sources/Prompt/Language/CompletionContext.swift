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
    /// A key of the `customParameters` of the provider at a path of names, which may be empty.
    case parameter(of: [String])
    /// In a string: a key of `customParameters`, or a scope, of the provider at a path of names.
    case parameterText(of: [String])
    case scopeText(of: [String])
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
      if let provider = provider(of: "customParameters", before: open, in: tokens) {
        return .parameter(of: provider)
      }
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

  /// The path of the provider whose property is set by the table at `open`, as in `p.scopes = {` and
  /// `p:setScopes {`; empty for a key in another table, as in `{ scopes = {`; nil for other tables.
  private static func provider(
    of property: String, before open: Int, in tokens: [LuaToken]
  ) -> [String]? {
    if open > 0, tokens[open - 1].is("=") {
      let path = path(endingBefore: open - 1, in: tokens)
      return path.last == property ? path.dropLast() : nil
    }
    let setter = "set\(property.prefix(1).uppercased())\(property.dropFirst())"
    let call = call(endingBefore: open, in: tokens)
    return call.path.last == setter ? call.path.dropLast() : nil
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
    if let open = openBracket(tokens) {
      let path = path(endingBefore: open, in: tokens)
      if tokens[open].is("["), path.last == "customParameters" {
        return .parameterText(of: path.dropLast())
      }
      if tokens[open].is("{"), let provider = provider(of: "scopes", before: open, in: tokens) {
        return .scopeText(of: provider)
      }
    }
    let call = call(endingBefore: tokens.count, in: tokens).path
    if call.last == "addScope" { return .scopeText(of: call.dropLast()) }
    return .text(call: call, compared: nil)
  }
}
