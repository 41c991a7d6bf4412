import System

/// Blocks: conditions, and what catches errors.
extension Translation {
  static let caught = "luath raises errors by itself, and pcall catches them"
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
        conditions.append(test(value).text)
      }
    } while take(",")
    isHead = false
    let condition = conjunction(conditions)
    // Nothing can be declared between the conditions of Lua.
    if word == "elseif", !before.isEmpty {
      guard isWhole, isAt("{") else { throw Unclear() }
      return "else\n\(try block("\(before)if \(condition) then"))\nend"
    }
    if word == "while" {
      if take("do") { return try luaBlock("while \(condition) do") }
      guard isAt("{") else { throw Unclear() }
      mark("Lua writes while … do … end", isEarly: true)
      return try block("while \(condition) do")
    }
    if take("then") { return try luaBlock("\(before)\(word) \(condition) then") }
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
    if take(":") { try type() }
    guard take("=") else {
      // `if let error` tests the variable of this name.
      if let index = check(of: name), checks[index].error == name { checks[index].uses += 1 }
      conditions.append(test(Value(name)).text)
      return ""
    }
    let value = try expression()
    if value.text == name || check(of: value.text) != nil {
      conditions.append(test(value, isUsed: value.text != name).text)
      return value.text == name ? "" : "local \(name) = \(value.text); "
    }
    conditions.append(name)
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
        let value = try expression()
        conditions.append(test(value).text)
      }
    } while take(",")
    isHead = false
    guard take("else"), isAt("{") else { throw Unclear() }
    let condition = conjunction(conditions)
    let isName = condition.wholeMatch(of: /[\w.]+/) != nil
    let opposite =
      condition == "not ok" ? "ok" : "not \(isName ? condition : "(\(condition))")"
    return try block("\(before)if \(opposite) then")
  }

  /// A block that begins with `{`: its head, and its body if that is on the same line.
  mutating func block(_ head: String) throws(Unclear) -> String {
    at += 1
    guard isWhole || !isAtLineEnd else {
      isOpen = true
      return head
    }
    let body = try statements(until: ["}", "end"])
    at += 1
    let first = isWhole ? Self.lines([head, body].filter { !$0.isEmpty }) : "\(head) \(body)"
    if isAt("else"), isAt("{", 1) || isWhole && isAt("if", 1) {
      at += 1
      let rest = isAt("if") ? try self.head("elseif") : try block("else")
      return "\(first)\(isWhole ? "\n" : " ")\(rest)"
    }
    if head == "repeat", take("while") {
      return "\(first)\nuntil not (\(Self.unwrapped(try expression().text)))"
    }
    return isWhole ? Self.laidOut(head, body, "end") : "\(first) end"
  }

  mutating func luaWord(_ word: String) throws(Unclear) -> String {
    if word == "do", isAt("{", 1) { return try attempt() }
    if isWhole, word == "do" { return try wordAttempt() }
    at += 1
    if isWhole, word == "repeat" {
      let body = try statements(until: ["until"])
      at += 1
      return "repeat\n\(body)\nuntil \(try expression().text)"
    }
    if isWhole { throw Unclear() }
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
    renameHandledError()
    let error = handledError ?? "err"
    let start = self
    if let (call, name) = attempted(error) {
      guard isWhole else { return call }
      at += 1
      return Self.lines([call, try handlers(error, of: name)].filter { !$0.isEmpty })
    }
    self = start
    guard isWhole else {
      isOpen = true
      return "local ok, \(error) = pcall(function()"
    }
    let wasTrying = isTrying
    isTrying = true
    let body = try statements(until: ["}"])
    isTrying = wasTrying
    at += 1
    let call = Self.laidOut("local ok, \(error) = pcall(function()", body, "end)")
    let handling = try handlers(error, of: error)
    // The function returns to the call, not from the code around it.
    let last = body.split(separator: "\n").last ?? ""
    let leave = last.hasPrefix("return ") ? "if ok then return \(error) end" : ""
    return Self.lines([call, handling, leave].filter { !$0.isEmpty })
  }

  /// A block of a single call, with the name of its result; nil for another one.
  private mutating func attempted(_ error: String) -> (String, name: String)? {
    var name = error
    if isAt("let") || isAt("const") || isAt("var"), isName(1), isAt("=", 2) {
      name = tokens[at + 1].text
      at += 3
    } else if isAt("_"), isAt("=", 1) {
      at += 2
    }
    _ = take("try")
    guard let value = try? expression(), let call = value.call, !isOpen, value.check == nil else {
      return nil
    }
    while take(";") {}
    guard isAt("}") else { return nil }
    isOpen = !isWhole
    return ("local ok, \(name) = \(call.caught)", name)
  }

  /// Gives the error of the `catch` after the current block another name, if that hides a function that is used.
  private mutating func renameHandledError() {
    var copy = self
    if copy.skipToHandler() { renameError(from: copy.at) }
  }

  /// Goes to the word `catch` after the current block; returns whether there is one.
  private mutating func skipToHandler() -> Bool {
    var depth = 1
    while depth > 0, let token = token() {
      if token.kind == .symbol, ["{", "@{", "${"].contains(token.text) { depth += 1 }
      if token.is("}") { depth -= 1 }
      at += 1
    }
    _ = take("@")
    return isAt("catch")
  }

  /// What the `catch` after the current block calls the error; nil for none.
  private var handledError: String? {
    var copy = self
    guard copy.skipToHandler() else { return nil }
    copy.at += 1
    var words: [String] = []
    while let token = copy.token(), !token.is("{") {
      if token.is("as") { break }
      if token.kind == .name { words.append(token.text) }
      copy.at += 1
    }
    return words.last ?? "error"
  }

  /// The `catch` and `finally` after a block.
  private mutating func handlers(_ error: String, of result: String) throws(Unclear) -> String {
    var parts: [String] = []
    while isAt("catch") || isAt("finally") || isAt("@") && (isAt("catch", 1) || isAt("finally", 1))
    {
      _ = take("@")
      if take("finally") {
        parts.append(try block("do"))
      } else {
        checks.append(Check(error: error, result: result, isActive: false))
        parts.append(try handler(error == result ? "" : "local \(error) = \(result)"))
        checks.removeLast()
      }
    }
    return parts.joined(separator: "\n")
  }

  /// - Parameter first: A statement before those of the block.
  mutating func handler(_ first: String = "") throws(Unclear) -> String {
    mark("Lua has no catch: test what pcall returned")
    _ = take("@")
    at += 1
    while let token = token(), !token.is("{") {
      if token.startsLine { throw Unclear() }
      at += 1
    }
    return try block(first.isEmpty ? "if not ok then" : "if not ok then\n\(first)")
  }
}
