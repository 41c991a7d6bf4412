import System

/// Blocks: conditions, and what catches errors.
extension Translation {
  private static let caught = "luath raises errors by itself, and pcall catches them"
  private static let blocks = "Lua writes if … then … end"

  // MARK: Conditions

  /// `if`, `elseif` or `while` with its condition.
  mutating func head(_ word: String) throws(Unclear) -> String {
    let start = at
    at += 1
    let isLua = isLuaHead
    isHead = !isLua
    var before = ""
    var conditions: [String] = []
    repeat {
      if isAt("let") || isAt("var"), isName(1) {
        mark("in Lua a variable is declared before the test")
        before += try bound(&conditions)
      } else {
        let isWrapped = isAt("(")
        var value = try expression()
        if isWrapped, value.text.hasPrefix("("), value.level == 10, !isLua {
          value = Value(Self.unwrapped(value.text))
        }
        if isWrapped, !isLua { value.text = Self.unwrapped(value.text) }
        conditions.append(value.text)
      }
    } while take(",")
    isHead = false
    let condition = conditions.joined(separator: " and ")
    // Nothing can be declared between the conditions of Lua.
    if word == "elseif", !before.isEmpty { throw Unclear() }
    if word == "while" {
      if isAt("do") { return "while \(condition)" }
      guard isAt("{") else { throw Unclear() }
      mark("Lua writes while … do … end", isEarly: true)
      return try block("while \(condition) do")
    }
    if take("then") { return "\(before)\(word) \(condition) then" }
    guard isAt("{") else {
      guard !isAtLineEnd else { throw Unclear() }
      // `if (a) return;`
      marks.insert(Mark(why: Self.blocks, token: tokens[start], isEarly: true), at: 0)
      return "\(before)\(word) \(condition) then \(try statement()) end"
    }
    mark(Self.blocks, isEarly: true)
    return try block("\(before)\(word) \(condition) then")
  }

  static func unwrapped(_ text: String) -> String {
    guard text.hasPrefix("("), text.hasSuffix(")") else { return text }
    var depth = 0
    for (index, character) in text.enumerated() {
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      if depth == 0, index < text.count - 1 { return text }
    }
    return String(text.dropFirst().dropLast())
  }

  /// Whether the line has `then` or `do` of Lua.
  private var isLuaHead: Bool {
    var offset = 0
    while let token = token(offset), !token.startsLine {
      if token.is("then") || token.is("do") { return true }
      offset += 1
    }
    return false
  }

  /// `let user = auth.currentUser` in a condition.
  private mutating func bound(_ conditions: inout [String]) throws(Unclear) -> String {
    at += 1
    let name = try takeName()
    conditions.append(name)
    if take(":") { try type() }
    guard take("=") else { return "" }
    let value = try expression()
    if let call = value.call, value.caught != nil {
      conditions[conditions.count - 1] = "ok"
      return "local ok, \(name) = \(call.caught); "
    }
    return "local \(name) = \(value.text); "
  }

  /// A `guard`, such as `guard let user = auth.currentUser else { return }`.
  mutating func guarded() throws(Unclear) -> String {
    mark("Lua has no guard: test the opposite")
    at += 1
    isHead = true
    var (before, conditions) = ("", [String]())
    repeat {
      if isAt("let") || isAt("var") {
        before += try bound(&conditions)
      } else {
        conditions.append(try expression().text)
      }
    } while take(",")
    isHead = false
    guard take("else"), isAt("{") else { throw Unclear() }
    let condition = conditions.joined(separator: " and ")
    let isName = condition.wholeMatch(of: /[\w.]+/) != nil
    return try block("\(before)if not \(isName ? condition : "(\(condition))") then")
  }

  /// A block that begins with `{`: its head, and its body if that is on the same line.
  mutating func block(_ head: String) throws(Unclear) -> String {
    at += 1
    guard !isAtLineEnd else {
      isOpen = true
      return head
    }
    let body = try statements(until: "}")
    if isAt("else"), isAt("{", 1) {
      at += 1
      return try block("\(head) \(body) else")
    }
    return "\(head) \(body) end"
  }

  mutating func luaWord(_ word: String) throws(Unclear) -> String {
    if word == "do", isAt("{", 1) { return try attempt() }
    at += 1
    if word == "else", isAt("{") {
      mark("Lua writes else without braces")
      return try block("else")
    }
    if word == "until" { return "until \(try expression().text)" }
    return word
  }

  mutating func closing() throws(Unclear) -> String {
    if isAt("else", 1) {
      mark("Lua writes else and elseif without braces", isEarly: true)
      at += 1
      guard isAt("if", 1) else { return try luaWord("else") }
      at += 1
      return try head("elseif")
    }
    if isAt("while", 1) {
      mark("Lua writes repeat … until")
      at += 2
      return "until not (\(Self.unwrapped(try expression().text)))"
    }
    if isAt("catch", 1) || isAt("@", 1) {
      at += 1
      _ = take("@")
      return try handler()
    }
    let isCallback = isAt(")", 1) || isAt("]", 1)
    mark(
      isCallback
        ? "luath has no callbacks, so nothing closes here: delete this line"
        : "a block of Lua ends with end")
    if isCallback { throw Unclear() }
    at += 1
    return "end"
  }

  // MARK: Errors

  /// `do { try … }`, and `try { … }` of JavaScript.
  mutating func attempt() throws(Unclear) -> String {
    mark(Self.caught)
    at += isAt("@") ? 3 : 2
    let start = self
    if let call = attempted() { return call }
    self = start
    isOpen = true
    return "local ok, err = pcall(function()"
  }

  /// A block of a single call; nil for another one.
  private mutating func attempted() -> String? {
    var name = "err"
    if isAt("let") || isAt("const") || isAt("var"), isName(1), isAt("=", 2) {
      name = tokens[at + 1].text
      at += 3
    } else if isAt("_"), isAt("=", 1) {
      at += 2
    }
    _ = take("try")
    guard let value = try? expression(), let call = value.call, !isOpen else { return nil }
    while take(";") {}
    guard isAt("}") else { return nil }
    isOpen = true
    return "local ok, \(name) = \(call.caught)"
  }

  mutating func handler() throws(Unclear) -> String {
    mark("Lua has no catch: test what pcall returned")
    at += 1
    while let token = token(), !token.is("{") {
      if token.startsLine { throw Unclear() }
      at += 1
    }
    return try block("if not ok then")
  }
}
