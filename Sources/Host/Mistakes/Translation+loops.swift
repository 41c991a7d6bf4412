import System

/// Loops with `for`.
extension Translation {
  mutating func loop() throws(Unclear) -> String {
    let start = at
    at += 1
    if isWhole, let names = luaNames {
      at += names.count * 2
      let word = tokens[at - 1].text
      let values = try expressions().map(\.text).joined(separator: ", ")
      guard take("do") else { throw Unclear() }
      return try luaBlock("for \(names.joined(separator: ", ")) \(word) \(values) do")
    }
    let hasParenthesis = take("(")
    if isAt("const") || isAt("let") || isAt("var") { at += 1 }
    if isAt("[") || hasParenthesis && isAt(",", 1) { return try pairs(start, hasParenthesis) }
    if hasParenthesis, let typed = try? typedInLoop() { return try items(typed, start, true) }
    let name = try takeName()
    if isAt("=") {
      // `for (let i = 0; i < n; i++) {`
      at += 1
      let first = try expression().text
      guard hasParenthesis, take(";"), try takeName() == name, isAt("<") || isAt("<=") else {
        throw Unclear()
      }
      let isBelow = isAt("<")
      at += 1
      let last = try expression().text
      guard take(";"), try takeName() == name, take("++"), take(")"), isAt("{") else {
        throw Unclear()
      }
      marks.insert(
        Mark(why: "Lua writes for … do … end", token: tokens[start], isEarly: false), at: 0)
      return try block("for \(name) = \(first), \(last)\(isBelow ? " - 1" : "") do")
    }
    return try items(name, start, hasParenthesis)
  }

  /// The variables of a loop of Lua, as in `for key, value in pairs(list) do`; nil for another one.
  private var luaNames: [String]? {
    var (names, offset) = ([String](), 0)
    while isName(offset), let name = token(offset)?.text {
      names.append(name)
      offset += 2
      if !isAt(",", offset - 1) { break }
    }
    guard isAt("=", offset - 1) || isAt("in", offset - 1) else { return nil }
    while let token = token(offset), !token.startsLine {
      if token.is("do") { return names }
      offset += 1
    }
    return nil
  }

  /// The variable of `for (NSString *provider in providers)`.
  private mutating func typedInLoop() throws(Unclear) -> String {
    var copy = self
    _ = try copy.takeName()
    if copy.isAt("<") { try copy.skipBrackets() }
    guard copy.take("*") || copy.isName(), let name = try? copy.takeName(), copy.isAt("in") else {
      throw Unclear()
    }
    self = copy
    return name
  }

  private mutating func items(
    _ name: String, _ start: Int, _ hasParenthesis: Bool
  ) throws(Unclear) -> String {
    guard take("in") || take("of") else { throw Unclear() }
    isHead = true
    let list = try expression().text
    isHead = false
    if hasParenthesis { try expect(")") }
    guard isAt("{") else { throw Unclear() }
    marks.insert(
      Mark(why: "Lua goes through a list with ipairs", token: tokens[start], isEarly: true), at: 0)
    return try block("for _, \(name) in ipairs(\(list)) do")
  }

  /// `for (const [key, value] of Object.entries(object))`, and `for (key, value) in object` of Swift.
  private mutating func pairs(_ start: Int, _ hasParenthesis: Bool) throws(Unclear) -> String {
    let isList = take("[")
    let (key, hasComma, value) = (try takeName(), take(","), try takeName())
    guard hasComma, take(isList ? "]" : ")"), take("in") || take("of") else { throw Unclear() }
    isHead = true
    var table = try expression().text
    isHead = false
    if isList, hasParenthesis { try expect(")") }
    guard isAt("{") else { throw Unclear() }
    var function = "pairs"
    if let inner = table.wholeMatch(of: /Object\.entries\((.*)\)/) {
      table = String(inner.output.1)
    }
    if let inner = table.wholeMatch(of: /(.*):enumerated\(\)/) {
      (function, table) = ("ipairs", String(inner.output.1))
    }
    marks.insert(
      Mark(why: "Lua goes through a table with pairs", token: tokens[start], isEarly: true), at: 0)
    return try block("for \(key), \(value) in \(function)(\(table)) do")
  }
}
