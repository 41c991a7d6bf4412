import Lua
import System

/// Bodies of blocks, and the tests for errors in them.
extension Translation {
  // MARK: Statements

  /// The statements up to a word or symbol, which is not consumed.
  mutating func statements(until ends: Set<String>) throws(Unclear) -> String {
    let wasHead = isHead
    isHead = false
    try enter()
    defer {
      isHead = wasHead
      depth -= 1
    }
    var parts: [String] = []
    while true {
      guard let token = token(), !isOpen else { throw Unclear() }
      if isWhole { parts += comments(before: token.range.lowerBound) }
      if token.kind != .string, ends.contains(token.text) { break }
      parts.append(try statement())
      while take(";") {}
      dropComments(before: tokens[at - 1].range.upperBound)
    }
    parts.removeAll(where: \.isEmpty)
    return isWhole ? Self.lines(parts) : parts.joined(separator: " ")
  }

  /// The comments before a position, each as a line of Lua.
  private mutating func comments(before position: Int) -> [String] {
    let found = comments.prefix { $0.range.lowerBound < position }
    comments = comments.dropFirst(found.count)
    return found.map { ForeignCode.lua($0.text) }
  }

  mutating func dropComments(before position: Int) {
    comments = comments.drop { $0.range.lowerBound < position }
  }

  /// Statements below each other.
  ///
  /// Lua allows `return` only at the end of a block.
  static func lines(_ statements: [String]) -> String {
    var lines: [String] = []
    for (index, statement) in statements.enumerated() {
      let own = statement.split(separator: "\n").map(String.init)
      let isEnd = index == statements.count - 1
      guard !isEnd, let last = own.last, last == "return" || last.hasPrefix("return "),
        statements[(index + 1)...].contains(where: { !$0.hasPrefix("--") })
      else {
        lines += own
        continue
      }
      lines += own.dropLast() + ["do \(last) end"]
    }
    return lines.joined(separator: "\n")
  }

  /// A block, on one line if it is short.
  static func laidOut(_ head: String, _ body: String, _ end: String) -> String {
    let parts = [head, body, end].filter { !$0.isEmpty }
    let isShort =
      !head.contains("\n") && !body.contains("\n") && !body.hasPrefix("--")
      && !body.hasSuffix(" end") && head.count + body.count < 80
    return parts.joined(separator: isShort ? " " : "\n")
  }

  /// Lines of Lua, indented.
  static func indented(_ text: String) -> String {
    var depth = 0
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let words = LuaLexer.tokens(of: String(line)).filter { $0.kind != .comment }.map(\.word)
      let steps = words.map { word in
        ["function", "if", "do", "repeat", "{"].contains(word)
          ? 1 : ["end", "until", "}"].contains(word) ? -1 : 0
      }
      let leading = steps.prefix { $0 < 0 }.reduce(0, +)
      let isElse = words.first == "else" || words.first == "elseif"
      let margin = max(0, depth + leading - (isElse ? 1 : 0))
      depth += steps.reduce(0, +)
      return String(repeating: "  ", count: margin) + line
    }.joined(separator: "\n")
  }

  /// A block of Lua, after `then` or `do`.
  mutating func luaBlock(_ head: String) throws(Unclear) -> String {
    guard isWhole else { return head }
    let body = try statements(until: ["end", "else", "elseif", "}"])
    if take("end") || take("}") { return Self.laidOut(head, body, "end") }
    let first = Self.lines([head, body].filter { !$0.isEmpty })
    if isAt("elseif") { return "\(first)\n\(try self.head("elseif"))" }
    at += 1
    if isAt("if") { return "\(first)\n\(try self.head("elseif"))" }
    return "\(first)\n\(isAt("{") ? try block("else") : try luaBlock("else"))"
  }

  /// `try … catch … end`, without braces, and `do … catch … end`.
  mutating func wordAttempt() throws(Unclear) -> String {
    let isDo = isAt("do")
    if !isDo { mark(Self.caught + ", as in local ok, err = pcall(auth.signOut, auth)") }
    guard isWhole else { throw Unclear() }
    at += 1
    let wasTrying = isTrying
    isTrying = true
    let body = try statements(until: ["catch", "end", "}"])
    isTrying = wasTrying
    guard take("catch") else {
      at += 1
      return isDo
        ? Self.laidOut("do", body, "end")
        : Self.laidOut("local ok, err = pcall(function()", body, "end)")
    }
    var error = "err"
    while !isAtLineEnd, let token = token(), token.is("(") || token.is(")") || token.kind == .name {
      if token.kind == .name, !token.is("then"), !token.is("do") { error = token.text }
      at += 1
    }
    checks.append(Check(error: error, result: error, isActive: false))
    let handler = try statements(until: ["end", "}"])
    checks.removeLast()
    at += 1
    return Self.laidOut("local ok, \(error) = pcall(function()", body, "end)") + "\n"
      + Self.laidOut("if not ok then", handler, "end")
  }

  // MARK: Tests for errors

  /// The innermost check with an error or a result of this name.
  func check(of name: String) -> Int? {
    guard !checks.isEmpty,
      let index = checks.lastIndex(where: { $0.error == name || $0.result == name })
    else { return nil }
    return checks[index].isActive ? index : nil
  }

  /// A value as a condition: `ok` for the result of a checked call, and `not ok` for its error.
  ///
  /// - Parameter isUsed: Whether the value is used besides the test.
  mutating func test(_ value: Value, isUsed: Bool = false) -> Value {
    guard let index = check(of: value.text) else { return value }
    guard checks[index].error == value.text else { return Value("ok") }
    checks[index].isTested = true
    if !isUsed { checks[index].uses -= 1 }
    return Value("not ok", level: 7)
  }

  /// Conditions that all must be true, each once.
  func conjunction(_ conditions: [String]) -> String {
    var parts: [String] = []
    for condition in conditions {
      let isKnown = parts.contains("not ok") && condition.hasPrefix("not ok and ")
      let part = isKnown ? String(condition.dropFirst("not ok and ".count)) : condition
      if !parts.contains(part) { parts.append(part) }
    }
    return parts.joined(separator: " and ")
  }

  func negated(_ value: Value) -> Value {
    value.text == "not ok" ? Value("ok") : Value("not \(value.operand(7))", level: 7)
  }

  // MARK: Calls

  /// The statements for a call: the call, and what its callbacks do.
  ///
  /// - Parameter name: The variable for its result; nil for none.
  mutating func statement(of value: Value, name: String? = nil) -> String {
    if value.returned != nil || value.isChain || !value.last.isEmpty {
      return chain(value, name: name)
    }
    let given = name ?? value.result.flatMap { $0.isEmpty ? nil : $0 }
    if let error = awaitedError, let call = value.call, names.waits(Self.name(of: call)) {
      awaitedError = nil
      let result = given ?? error
      checks.append(Check(error: error, result: result))
      return "local ok, \(result) = \(call.caught)"
    }
    if let check = value.check, let call = value.call {
      let result = name ?? check.result
      var lines = ["local ok, \(result) = \(call.caught)"]
      if check.uses > 0, check.error != result {
        lines.append("local \(check.error) = not ok and \(result)")
      }
      if let field = value.field { lines.append("if ok then \(result) = \(result).\(field) end") }
      return Self.lines(lines + [value.after].filter { !$0.isEmpty })
    }
    guard let error = value.caught, let call = value.call else {
      let start = given.map { "local \($0) = " } ?? ""
      let field = given == nil ? "" : value.field.map { ".\($0)" } ?? ""
      return joined("\(start)\(value.text)\(field)", value.after)
    }
    // Of `BOOL status = [auth signOut:&error]`, the variable holds whether the call succeeded.
    if let name, !error.isEmpty, value.result == nil,
      marks.contains(where: { $0.why.hasSuffix("Objective-C") })
    {
      return "local \(name), \(error) = \(call.caught)" + cleared(error, ifTrue: name)
    }
    let result = given ?? (error.isEmpty ? "err" : error)
    let start =
      "local ok, \(result) = \(call.caught)"
      + (result == error && value.handler == nil ? cleared(error, ifTrue: "ok") : "")
    guard isWhole else { return joined(start, value.after) }
    var value = value
    if let field = value.field {
      value.after = Self.lines(
        ["\(result) = \(result).\(field)", value.after].filter { !$0.isEmpty })
    }
    var handler = value.handler ?? ""
    if !handler.isEmpty, error != result { handler = "local \(error) = \(result)\n\(handler)" }
    if handler.isEmpty, value.after.isEmpty { return start }
    if handler.isEmpty { return "\(start)\n\(Self.laidOut("if ok then", value.after, "end"))" }
    if value.after.isEmpty { return "\(start)\n\(Self.laidOut("if not ok then", handler, "end"))" }
    return "\(start)\nif ok then\n\(value.after)\nelse\n\(handler)\nend"
  }

  /// The statement that makes an error nil if the call succeeded; "" if no code tests `if (error)`.
  func cleared(_ error: String, ifTrue status: String) -> String {
    let isTested = zip(tokens, zip(tokens.dropFirst(), tokens.dropFirst(2))).contains {
      $0.is("if") && $1.0.is("(") && $1.1.is(error)
    }
    guard isTested, tokens.contains(where: { $0.is("&") }) else { return "" }
    return "\(isWhole ? "\n" : " ")if \(status) then \(error) = nil end"
  }

  private func joined(_ call: String, _ after: String) -> String {
    after.isEmpty ? call : isWhole ? "\(call)\n\(after)" : "\(call); \(after)"
  }

  static func name(of call: Call) -> String {
    String(call.function.split(separator: ".").last ?? "")
  }
}
