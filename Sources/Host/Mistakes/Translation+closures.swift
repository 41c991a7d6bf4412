import IdentityToolkit
import System

/// Closures and texts with values in them.
extension Translation {
  /// The parameters and the body of a closure.
  struct Closure {
    var parameters: [String] = []
    /// The body, if it ends on the same line.
    var body = ""
    /// Whether the body is an expression that is its result.
    var isExpression = false

    var text: String {
      "function(\(parameters.joined(separator: ", ")))"
        + (body.isEmpty ? "" : isExpression ? " return \(body) end" : " \(body) end")
    }
  }

  /// Whether a closure of any language begins here.
  var isClosureStart: Bool {
    isAt("function") || isAt("^") || isAt("=>", 1) && isName() || isAt("(") && isArrow
      || isAt("async") && (isAt("(", 1) || isAt("=>", 2) || isAt("function", 1))
      || isAt("{") && isClosure
  }

  /// Whether a `{` begins a closure of Swift: `{ credential, error in` or `{ $0 }`.
  var isClosure: Bool {
    guard isAt("{"), let first = token(1), !first.startsLine else { return false }
    if first.text.hasPrefix("$") { return true }
    var offset = 1
    while let token = token(offset), !token.startsLine {
      if token.is("in") { return offset > 1 }
      let isPart =
        token.kind == .name
        || ["(", ")", ",", ":", "?", "!", ".", "[", "]", "->", "<", ">"].contains(token.text)
      guard isPart else { return false }
      offset += 1
    }
    return false
  }

  /// Whether a `(` begins the parameters of `(a, b) => …`.
  var isArrow: Bool {
    var (offset, depth) = (0, 0)
    while let token = token(offset) {
      if token.is("(") { depth += 1 }
      if token.is(")") { depth -= 1 }
      offset += 1
      if depth == 0 { return isAt("=>", offset) }
    }
    return false
  }

  /// A closure as a function of Lua.
  mutating func closure() throws(Unclear) -> Value {
    if isAt("function"), !isForeignFunction {
      at += 1
      var closure = Closure()
      closure.parameters = try parameters()
      if isAtLineEnd {
        isOpen = true
      } else {
        closure.body = try statements(until: "end")
      }
      return Value(closure.text)
    }
    mark("Lua writes closures as function(…) … end")
    return Value(try body().text)
  }

  /// A callback of a call that waits.
  mutating func readClosure() throws(Unclear) -> Closure {
    mark("luath has no callbacks: the call waits and returns its result")
    return try body()
  }

  /// Whether `function (a) {` follows, not `function(a)` of Lua.
  private var isForeignFunction: Bool {
    var copy = self
    copy.at += 1
    return (try? copy.parameters()) != nil && copy.isAt("{")
  }

  mutating func body() throws(Unclear) -> Closure {
    var closure = Closure()
    _ = take("async")
    if take("function") || take("^") {
      if isAt("(") { closure.parameters = try parameters() }
      guard isAt("{") else {
        // A function of Lua.
        if isAtLineEnd { isOpen = true } else { closure.body = try statements(until: "end") }
        return closure
      }
      return try block(closure)
    }
    if isAt("{") {
      at += 1
      if token()?.text.hasPrefix("$") == true { throw Unclear() }
      if isAt("[") { try skipBrackets() }
      if isAt("(") {
        closure.parameters = try parameters()
      } else {
        repeat { closure.parameters.append(try takeName()) } while take(",")
      }
      if take("->") { try type() }
      guard take("in") else { throw Unclear() }
      at -= 1
      return try block(closure)
    }
    closure.parameters = isAt("(") ? try parameters() : [try takeName()]
    guard take("=>") else { throw Unclear() }
    if isAt("{") { return try block(closure) }
    closure.body = try expression().text
    closure.isExpression = true
    return closure
  }

  /// The body after `{` or `in`.
  private mutating func block(_ start: Closure) throws(Unclear) -> Closure {
    var closure = start
    at += 1
    if isAtLineEnd {
      isOpen = true
    } else {
      closure.body = try statements(until: "}")
    }
    return closure
  }

  /// The names of parameters in parentheses, in any language.
  mutating func parameters() throws(Unclear) -> [String] {
    guard take("(") else { throw Unclear() }
    var names: [String] = []
    while !isAt(")") {
      if take("...") {
        names.append("...")
      } else {
        // `_ name: Type`, `label name: Type`, `Type *_Nullable name`.
        var last: String?
        while let token = token(),
          token.kind == .name || token.is("*") || token.is("<") || token.is(">")
        {
          if token.kind == .name { last = token.text }
          at += 1
        }
        guard let last else { throw Unclear() }
        names.append(last)
        if take(":") { try type() }
        if take("=") { _ = try expression() }
      }
      if !take(","), !isAt(")") { throw Unclear() }
    }
    at += 1
    return names
  }

  /// The statements of a block that ends on this line.
  mutating func statements(until end: String) throws(Unclear) -> String {
    let wasHead = isHead
    isHead = false
    defer { isHead = wasHead }
    var parts: [String] = []
    while !isAt(end) {
      if token() == nil || isOpen { throw Unclear() }
      parts.append(try statement())
      while take(";") {}
    }
    at += 1
    return parts.joined(separator: " ")
  }

  /// A code of `Auth.ErrorCode`, by its name in Swift or in Objective-C.
  static func code(named name: String) -> String? {
    ErrorCode.allCases.first { $0.rawValue.lowercased() == name.lowercased() }?.rawValue
  }

  // MARK: Texts

  /// `` `a ${b}` `` as `("a %s"):format(b)`.
  mutating func template(_ token: ForeignToken) throws(Unclear) -> Value {
    mark(
      token.text.hasPrefix("`")
        ? "Lua has no template strings" : "Lua puts values into a text with format")
    at += 1
    var rest = token.text.dropFirst().dropLast()
    var (format, values) = ("", [String]())
    while let place = rest.firstRange(of: /\$\{[^{}]*\}|\\\([^()]*\)/) {
      format += rest[..<place.lowerBound].replacing("%", with: "%%") + "%s"
      let inner = Array(rest[place].dropFirst(2).dropLast().utf8)
      var value = Translation(ForeignToken.tokens(of: inner), at: 0, names: names)
      values.append(try value.expression().text)
      rest = rest[place.upperBound...]
    }
    guard !rest.contains("${"), !rest.contains("\n"), !rest.contains("\"") else { throw Unclear() }
    if values.isEmpty { return Value("\"\(rest)\"") }
    format += rest.replacing("%", with: "%%")
    return Value("(\"\(format)\"):format(\(values.joined(separator: ", ")))")
  }
}
