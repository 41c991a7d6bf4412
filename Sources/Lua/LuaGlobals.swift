/// The names that a source text uses as globals, and the modules that it requires (manual 2.2, 3.2 and 3.5).
///
/// For source that compiles; in other source it may miss names.
public struct LuaGlobals {
  /// The places where a global is read, in the order of the source.
  public private(set) var reads: [Read] = []
  /// The globals that the source assigns anywhere, also as fields of `_G`, or that it asks for with `rawget`.
  public private(set) var writes: Set<String> = []
  /// The names of all local variables and parameters.
  public private(set) var locals: Set<String> = []
  /// The modules that it requires by a literal name.
  public private(set) var modules: Set<String> = []
  /// Whether it may define globals that cannot be found by reading it: it uses `_ENV`, passes `_G` on, assigns a
  /// computed field of `_G`, runs other source, uses `package`, or requires a module whose name is computed.
  public private(set) var isOpen = false

  private let tokens: [LuaToken]
  private let text: (LuaToken) -> String
  private var at = 0
  private var scopes: [Set<String>] = [[]]
  /// How many functions contain the current position.
  private var functions = 0

  /// Reads a source text.
  public init(_ source: String) {
    let bytes = Array(source.utf8)
    tokens = LuaLexer.tokens(of: source).filter { $0.kind != .comment }
    text = { String(decoding: bytes[$0.range], as: UTF8.self) }
    while at < tokens.count {
      block()
      // A stray `end`, in source that does not compile.
      at += 1
    }
  }

  // MARK: Tokens

  private func token(_ offset: Int = 0) -> LuaToken? {
    tokens.indices.contains(at + offset) ? tokens[at + offset] : nil
  }

  private func isAt(_ word: String) -> Bool { token()?.is(word) ?? false }

  private mutating func take(_ word: String) -> Bool {
    guard isAt(word) else { return false }
    at += 1
    return true
  }

  private mutating func takeName() -> String? {
    guard let token = token(), token.kind == .name else { return nil }
    at += 1
    return token.word
  }

  private mutating func declare(_ name: String) {
    scopes[scopes.count - 1].insert(name)
    locals.insert(name)
    if name == "_ENV" { isOpen = true }
  }

  private mutating func scoped(_ body: (inout LuaGlobals) -> Void) {
    scopes.append([])
    body(&self)
    scopes.removeLast()
  }

  // MARK: Statements

  private static let ends: Set<String> = ["end", "else", "elseif", "until"]

  private mutating func block() {
    while let token = token(), !(token.kind == .keyword && Self.ends.contains(token.word)) {
      let before = at
      statement()
      // Source that does not compile must not stop the reading.
      if at == before { at += 1 }
    }
  }

  private mutating func innerBlock() { scoped { $0.block() } }

  private mutating func statement() {
    guard let token = token() else { return }
    guard token.kind == .keyword else { return other() }
    at += 1
    switch token.word {
    case "local": local()
    case "function": function()
    case "if":
      repeat {
        expression()
        _ = take("then")
        innerBlock()
      } while take("elseif")
      if take("else") { innerBlock() }
      _ = take("end")
    case "while":
      expression()
      _ = take("do")
      innerBlock()
      _ = take("end")
    case "do":
      innerBlock()
      _ = take("end")
    case "repeat":
      scoped {
        $0.block()
        if $0.take("until") { $0.expression() }
      }
    case "for": loop()
    case "return": if let next = self.token(), !isEnd(next) { expressions() }
    case "goto", "break": if token.word == "goto" { at += 1 }
    default:
      at -= 1
      other()
    }
  }

  private func isEnd(_ token: LuaToken) -> Bool {
    token.is(";") || token.kind == .keyword && Self.ends.contains(token.word)
  }

  private mutating func local() {
    if take("function") {
      if let name = takeName() { declare(name) }
      return body(isMethod: false)
    }
    var names: [String] = []
    repeat {
      if let name = takeName() { names.append(name) }
      if take("<") { at += 2 }
    } while take(",")
    if take("=") { expressions() }
    for name in names { declare(name) }
  }

  private mutating func function() {
    let position = at
    guard let name = takeName() else { return }
    var isMethod = false
    if isAt(".") || isAt(":") {
      read(position)
      while isAt(".") || isAt(":") {
        isMethod = isAt(":")
        at += 2
      }
    } else {
      write(name)
    }
    body(isMethod: isMethod)
  }

  private mutating func body(isMethod: Bool) {
    functions += 1
    defer { functions -= 1 }
    scoped {
      if isMethod { $0.declare("self") }
      if $0.take("(") {
        while let token = $0.token(), !token.is(")") {
          if let name = $0.takeName() { $0.declare(name) } else { $0.at += 1 }
        }
        $0.at += 1
      }
      $0.block()
      _ = $0.take("end")
    }
  }

  private mutating func loop() {
    var names: [String] = []
    repeat { if let name = takeName() { names.append(name) } } while take(",")
    if take("=") || take("in") { expressions() }
    _ = take("do")
    scoped {
      for name in names { $0.declare(name) }
      $0.block()
    }
    _ = take("end")
  }

  /// An assignment or a call.
  private mutating func other() {
    if take(";") { return }
    if take("::") {
      at += 2
      return
    }
    var targets: [Int] = []
    repeat { if let name = operand() { targets.append(name) } } while take(",")
    if take("=") {
      for target in targets { write(tokens[target].word) }
      expressions()
    } else {
      for target in targets { read(target) }
    }
  }

  // MARK: Expressions

  private mutating func expressions() {
    repeat { expression() } while take(",")
  }

  private static let unary: Set<String> = ["not", "-", "#", "~"]
  private static let binary: Set<String> = [
    "or", "and", "<", ">", "<=", ">=", "~=", "==", "|", "~", "&", "<<", ">>", "..", "+", "-", "*",
    "/", "//", "%", "^",
  ]

  private mutating func expression() {
    while true {
      while let token = token(), isOneOf(token, Self.unary) { at += 1 }
      if let name = operand() { read(name) }
      guard let token = token(), isOneOf(token, Self.binary) else { return }
      at += 1
    }
  }

  private func isOneOf(_ token: LuaToken, _ words: Set<String>) -> Bool {
    (token.kind == .symbol || token.kind == .keyword) && words.contains(token.word)
  }

  /// An operand with its suffixes; returns the index of the token if it is a name without any.
  private mutating func operand() -> Int? {
    guard let token = token() else { return nil }
    let position = at
    switch token.kind {
    case .name:
      at += 1
      guard hasSuffix else { return position }
      if token.word == "_G", !isDeclared("_G") { return globalTable() }
      if token.word == "require", !isDeclared("require") { require() }
      read(position)
    case .symbol where token.word == "(":
      at += 1
      expression()
      _ = take(")")
    case .symbol where token.word == "{":
      table()
      return nil
    case .keyword where token.word == "function":
      at += 1
      body(isMethod: false)
      return nil
    case .string, .number, .broken:
      at += 1
      return nil
    default:
      if ["...", "nil", "true", "false"].contains(token.word) { at += 1 }
      return nil
    }
    suffixes()
    return nil
  }

  private var hasSuffix: Bool {
    guard let token = token() else { return false }
    return token.kind == .string || [".", "[", ":", "(", "{"].contains { token.is($0) }
  }

  private mutating func suffixes() {
    while let token = token() {
      if token.is(".") || token.is(":") {
        at += 2
      } else if token.is("[") {
        at += 1
        expression()
        _ = take("]")
      } else if token.is("(") {
        at += 1
        if !isAt(")") { expressions() }
        _ = take(")")
      } else if token.is("{") {
        table()
      } else if token.kind == .string {
        at += 1
      } else {
        return
      }
    }
  }

  private mutating func table() {
    at += 1
    while let token = token(), !token.is("}") {
      let before = at
      if take("[") {
        expression()
        _ = take("]")
        _ = take("=")
      } else if token.kind == .name, self.token(1)?.is("=") == true {
        at += 2
      }
      expression()
      if !take(",") { _ = take(";") }
      if at == before { at += 1 }
    }
    at += 1
  }

  // MARK: Globals

  private func isDeclared(_ name: String) -> Bool {
    scopes.contains { $0.contains(name) }
  }

  private mutating func write(_ name: String) {
    if name == "_ENV" { isOpen = true }
    if !isDeclared(name) { writes.insert(name) }
  }

  private mutating func read(_ position: Int) {
    let name = tokens[position].word
    if name == "_ENV" { isOpen = true }
    guard !isDeclared(name) else { return }
    if ["load", "loadstring", "loadfile", "dofile", "package"].contains(name) { isOpen = true }
    if name == "_G" { bareGlobalTable(at: position) }
    if name == "require", !isRequire(position) { passed(position) }
    reads.append(
      Read(
        name: name, position: tokens[position].range.lowerBound, isTested: isTested(position),
        isDeferred: functions > 0))
  }

  /// `_G` itself, which some functions only read; a file that tests a global with `rawget` may read it afterwards.
  private mutating func bareGlobalTable(at position: Int) {
    let user = position >= 2 && tokens[position - 1].is("(") ? tokens[position - 2].word : ""
    if user == "rawget", let name = tokens.dropFirst(position + 2).first.flatMap(literal) {
      writes.insert(name)
    }
    if !["rawget", "pairs", "next", "type", "tostring", "print"].contains(user) { isOpen = true }
  }

  private func isRequire(_ position: Int) -> Bool {
    guard tokens.indices.contains(position + 1) else { return false }
    return tokens[position + 1].kind == .string || tokens[position + 1].is("(")
  }

  /// `require` as a value: in `pcall(require, "name")` the name follows.
  private mutating func passed(_ position: Int) {
    if tokens.indices.contains(position + 2), tokens[position + 1].is(","),
      let name = literal(tokens[position + 2])
    {
      modules.insert(name)
    } else {
      isOpen = true
    }
  }

  /// The name in a call of `require`, whose suffixes begin here.
  private mutating func require() {
    let argument = isAt("(") ? token(1) : token()
    let isWhole = !isAt("(") || token(2)?.is(")") == true
    if isWhole, let name = argument.flatMap(literal) {
      modules.insert(name)
    } else if isAt("(") || token()?.kind == .string || isAt("{") {
      isOpen = true
    }
  }

  /// A field of `_G`: read, or assigned, which defines a global.
  private mutating func globalTable() -> Int? {
    var name: String?
    if isAt("."), let field = token(1), field.kind == .name {
      name = field.word
    } else if isAt("["), let key = token(1), token(2)?.is("]") == true {
      name = literal(key)
    }
    let next = token(isAt(".") ? 2 : 3)
    if name == nil { isOpen = true }
    if let name, next?.is("=") == true || next?.is(",") == true { writes.insert(name) }
    suffixes()
    return nil
  }

  /// The content of a string without escapes; nil for other tokens.
  private func literal(_ token: LuaToken) -> String? {
    guard token.kind == .string else { return nil }
    let source = text(token)
    guard let quote = source.first, quote != "[", !source.contains("\\") else { return nil }
    return String(source.dropFirst().dropLast())
  }

  private func isTested(_ position: Int) -> Bool {
    func isAt(_ index: Int, _ words: Set<String>) -> Bool {
      tokens.indices.contains(index) && isOneOf(tokens[index], words)
    }
    let operators: Set = ["and", "or", "==", "~="]
    if isAt(position + 1, operators) { return true }
    // Of a field or a call, the result is tested.
    return !isAt(position + 1, [".", "[", ":", "(", "{"])
      && isAt(position - 1, operators.union(["not", "if", "elseif", "while", "until"]))
  }
}
