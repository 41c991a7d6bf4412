import IdentityToolkit
import System

/// Translates a line of Swift, Objective-C or JavaScript to Lua, as far as that is certain.
///
/// It reads Lua too, because a line may be Lua except for one operator. It records each place that is no Lua
/// (`marks`). A line that it cannot translate for certain makes it throw; the marks until there stay.
struct Translation {
  /// Thrown where no translation is certain.
  struct Unclear: Error {}

  /// A place that is no Lua.
  struct Mark {
    /// What Lua has instead, in one sentence.
    let why: String
    let token: ForeignToken
    /// Whether Lua may notice it only in a later line, as `if (a) {` begins a call with a table.
    let isEarly: Bool

    /// Whether nothing in luath stands for the line.
    var isNeedless: Bool { why.hasSuffix("delete this line") }
  }

  /// The names of the source, and what they stand for.
  struct Names {
    /// The names of local variables.
    let locals: Set<String>
    /// The local names of modules.
    let modules: Set<String>
    /// Whether a function of this name waits, so that it takes no callback.
    let waits: (String) -> Bool
    /// Whether a function of this name takes a function that is called later.
    let listens: (String) -> Bool
    /// Whether an object has a property of this name.
    let isProperty: (String) -> Bool
  }

  /// An expression in Lua.
  struct Value {
    var text: String
    /// The precedence of its operator; 10 for an operand.
    var level = 10
    var call: Call?
    /// For a call that had a callback: what the callback named its result; "" for none.
    var result: String?
    /// Whether errors of the call are to be caught, and the name for the error.
    var caught: String?
    /// What a callback does with the result.
    var after = ""
    /// The error of a callback that checks for one.
    var check: Check?
    /// The field of the result that the callback has as its parameter; nil for the whole result.
    var field: String?
    /// What the callback for errors does; `caught` is the name that it has for the error.
    var handler: String?
    /// What the callbacks of a chain return in the end.
    var returned: String?
    /// Whether the callbacks after the first one, or what is done at the end, need a function for `pcall`.
    var isChain = false
    /// What `.finally` does.
    var last = ""
    /// The value as the target of an assignment, if it is written in another way there.
    var target: String?

    init(_ text: String, level: Int = 10) {
      self.text = text
      self.level = level
    }

    /// Whether it is more than its text.
    var hasCallbacks: Bool {
      returned != nil || !after.isEmpty || handler != nil || check != nil || !last.isEmpty
    }

    /// The value as an operand of an operator of this precedence.
    func operand(_ level: Int) -> String { self.level < level ? "(\(text))" : text }
  }

  /// A call in Lua.
  struct Call {
    var receiver: String?
    var function: String
    var arguments: [String] = []
    /// Whether the arguments are the fields of one table.
    var isTable = false

    var text: String {
      let list = arguments.joined(separator: ", ")
      let called = (receiver.map { "\($0):" } ?? "") + function
      return called + (isTable ? list.isEmpty ? "{}" : "{ \(list) }" : "(\(list))")
    }

    /// The call by `pcall`.
    var caught: String {
      let table = isTable ? ["{ \(arguments.joined(separator: ", ")) }"] : arguments
      let passed = receiver.map { ["\($0).\(function)", $0] } ?? [function]
      return "pcall(\((passed + table).joined(separator: ", ")))"
    }
  }

  /// The error of a call, as the code after the call names it.
  struct Check {
    let error: String
    /// The name of the call's result, which is the error if the call fails.
    var result: String
    /// Whether the names are those of this call; otherwise they hide the ones of a call around it.
    var isActive = true
    /// Whether the code tests for an error.
    var isTested = false
    /// How often the code uses the error otherwise.
    var uses = 0
  }

  var tokens: [ForeignToken]
  let names: Names
  /// Whether blocks are translated with their bodies, which may be on further lines.
  let isWhole: Bool
  /// The comments that are not yet in the translation.
  var comments: ArraySlice<ForeignToken>
  var at: Int
  /// The calls around the current token whose errors are checked, innermost last.
  var checks: [Check] = []
  /// The name of the error of the next call, if the code after it checks for one.
  var awaitedError: String?
  /// Whether an enclosing `pcall` catches all errors.
  var isTrying = false
  /// The first use of an error that nothing declares, by token.
  var freeError: Int?
  /// What declares the fields of the parameter that was read last.
  var prelude = ""
  /// The methods that are called with a dot.
  var dotted: [String] = []
  /// How deeply operands and blocks are nested here, and how often a callback was read twice.
  var (depth, readTwice) = (0, 0)
  private static let (deepest, mostReadTwice) = (120, 200)
  var marks: [Mark] = []
  /// Whether a name was replaced by its name in luath.
  var isChanged = false
  /// Whether a block or function has begun whose body is on further lines.
  var isOpen = false
  /// Whether `{` begins a block, as in `if a {`.
  var isHead = false

  init(
    _ tokens: [ForeignToken], at: Int, names: Names, isWhole: Bool = false,
    comments: [ForeignToken] = []
  ) {
    self.tokens = tokens
    self.at = at
    self.names = names
    self.isWhole = isWhole
    self.comments = comments[...]
    if isWhole, tokens.indices.contains(at) { dropComments(before: tokens[at].range.lowerBound) }
  }

  // MARK: Tokens

  func token(_ offset: Int = 0) -> ForeignToken? {
    tokens.indices.contains(at + offset) ? tokens[at + offset] : nil
  }

  func isAt(_ text: String, _ offset: Int = 0) -> Bool { token(offset)?.is(text) == true }

  func isName(_ offset: Int = 0) -> Bool { token(offset)?.kind == .name }

  /// Whether the current token begins a line, or there is none.
  var isAtLineEnd: Bool { token().map(\.startsLine) ?? true }

  mutating func take(_ text: String) -> Bool {
    guard isAt(text) else { return false }
    at += 1
    return true
  }

  mutating func expect(_ text: String) throws(Unclear) {
    // The rest of an open callback closes on another line.
    if !isOpen, !take(text) { throw Unclear() }
  }

  mutating func takeName() throws(Unclear) -> String {
    guard let token = token(), token.kind == .name else { throw Unclear() }
    at += 1
    return token.text
  }

  /// Records that the current token, or the one at an offset, is no Lua.
  mutating func mark(_ why: String, _ offset: Int = 0, isEarly: Bool = false) {
    guard let token = token(offset) else { return }
    marks.append(Mark(why: why, token: token, isEarly: isEarly))
  }

  /// Goes one level deeper; throws if the source is nested too deeply.
  mutating func enter() throws(Unclear) {
    guard depth < Self.deepest, readTwice < Self.mostReadTwice else { throw Unclear() }
    depth += 1
  }

  // MARK: Lines

  /// The Lua of a line and of the lines that belong to it.
  mutating func line() throws(Unclear) -> String {
    var parts: [String] = []
    repeat {
      parts.append(try statement())
      while take(";") {}
    } while !isOpen && !isAtLineEnd
    parts.removeAll(where: \.isEmpty)
    let line = parts.joined(separator: " ")
    return isWhole && (line.count > 80 || line.contains("\n")) ? Self.lines(parts) : line
  }

  // MARK: Operators

  private static let binary: [String: (lua: String, level: Int, why: String?)] = [
    "or": ("or", 1, nil), "and": ("and", 2, nil),
    "||": ("or", 1, "Lua has the words and, or, not"),
    "&&": ("and", 2, "Lua has the words and, or, not"),
    "??": ("or", 1, "Lua has or in place of ??"),
    "==": ("==", 3, nil), "~=": ("~=", 3, nil), "<": ("<", 3, nil), ">": (">", 3, nil),
    "<=": ("<=", 3, nil), ">=": (">=", 3, nil),
    "===": ("==", 3, "in Lua equal is =="), "!=": ("~=", 3, "in Lua unequal is ~="),
    "!==": ("~=", 3, "in Lua unequal is ~="),
    "..": ("..", 4, nil), "+": ("+", 5, nil), "-": ("-", 5, nil), "*": ("*", 6, nil),
    "/": ("/", 6, nil), "//": ("//", 6, nil), "%": ("%", 6, nil), "^": ("^", 8, nil),
  ]

  mutating func expressions() throws(Unclear) -> [Value] {
    var values: [Value] = []
    repeat { values.append(try expression()) } while !isOpen && take(",")
    return values
  }

  mutating func expression(_ level: Int = 0) throws(Unclear) -> Value {
    var left = try unary()
    while !isOpen, let token = token() {
      if token.is("as"), !token.startsLine {
        mark("Lua has no types, so leave out as")
        at += 1
        if isAt("!") || isAt("?") { at += 1 }
        try type()
        continue
      }
      if level < 1, isElvis {
        mark("Lua has or in place of ?:")
        at += 2
        let right = try expression(1)
        left = Value("\(left.operand(1)) or \(right.operand(2))", level: 1)
        continue
      }
      if level == 0, token.is("?"), isTernary {
        left = try conditional(left)
        continue
      }
      guard token.kind == .symbol || token.is("and") || token.is("or"),
        let known = Self.binary[token.text], known.level > level
      else { break }
      // In `foo() ^(…)` a block follows, and a line that begins with `*` or `-` is another statement.
      if token.is("^"), isAt("(", 1) || isAt("{", 1) { break }
      if let why = known.why { mark(why) }
      at += 1
      let right = try expression(known.level)
      left = combined(left, known.lua, known.level, right, isCondition: token.text != "??")
    }
    return left
  }

  private mutating func combined(
    _ left: Value, _ sign: String, _ level: Int, _ right: Value, isCondition: Bool
  ) -> Value {
    if level < 3, isCondition {
      let (first, second) = (test(left), test(right))
      // `error and not ok and error.code == …`
      if first.text == "not ok", second.text.hasPrefix("not ok and ") { return second }
      return Value(
        "\(first.operand(level)) \(sign) \(second.operand(level + 1))", level: level)
    }
    if level == 3, right.text == "nil", check(of: left.text) != nil {
      return sign == "==" ? negated(test(left)) : test(left)
    }
    // Other languages join texts with +.
    let isText =
      sign == "+" && [left, right].contains { $0.text.first.map { "\"'".contains($0) } == true }
    if isText { return Value("\(left.operand(4)) .. \(right.operand(4))", level: 4) }
    var first = left
    if level == 3, let field = codeField(of: left.text, for: right.text) { first.text = field }
    if left.text.hasPrefix("type("), right.text.dropFirst().dropLast() == "undefined" {
      return Value("\(left.text.dropFirst(5).dropLast()) \(sign) nil", level: 3)
    }
    if level == 3, left.level > 3, let dot = left.text.firstIndex(of: "."),
      let index = check(of: String(left.text[..<dot])), checks[index].error == left.text[..<dot]
    {
      // Objective-C reads members of nil.
      checks[index].isTested = true
      return Value("not ok and \(first.text) \(sign) \(right.operand(4))", level: 2)
    }
    // With `==`, a test of the owner may stay in front: `user and user.email == "…"`.
    if sign == "==", left.level == 2 {
      return Value("\(first.text) == \(right.operand(4))", level: 2)
    }
    return Value("\(first.operand(level)) \(sign) \(right.operand(level + 1))", level: level)
  }

  /// The field of an error to compare with a web SDK's code or a number, in place of `code`.
  private func codeField(of left: String, for right: String) -> String? {
    guard left.hasSuffix(".code") else { return nil }
    let word = right.dropFirst().dropLast()
    let owner = left.dropLast("code".count)
    if ErrorCode.allCases.contains(where: { $0.webCode == word }) { return "\(owner)webCode" }
    if let number = Int(right), ErrorCode.allCases.contains(where: { $0.number == number }) {
      return "\(owner)rawValue"
    }
    return nil
  }

  private mutating func conditional(_ condition: Value) throws(Unclear) -> Value {
    mark("Lua has and … or in place of ?:")
    at += 1
    let first = try expression()
    guard take(":") else { throw Unclear() }
    let second = try expression()
    return Value(
      "\(test(condition).operand(2)) and \(first.operand(2)) or \(second.operand(1))", level: 1)
  }

  mutating func unary() throws(Unclear) -> Value {
    guard let token = token() else { throw Unclear() }
    try enter()
    defer { depth -= 1 }
    switch token.text {
    case "!" where token.kind == .symbol:
      mark("Lua has the words and, or, not")
      at += 1
      return negated(test(try unary()))
    case "not", "-", "#", "~":
      guard token.kind != .string else { break }
      at += 1
      let operand = try unary()
      return token.text == "not"
        ? negated(test(operand)) : Value(token.text + operand.operand(7), level: 7)
    case "await" where isOperand(1):
      mark("luath needs no await: a call waits by itself")
      at += 1
      if isAt("("), let value = try? awaited() { return value }
      return try unary()
    case "try" where isOperand(1) || isAt("?", 1) || isAt("!", 1):
      mark("luath raises errors by itself, and pcall catches them")
      at += 1
      let isCaught = take("?")
      _ = take("!")
      var value = try unary()
      if isCaught { value.caught = "" }
      return value
    case "new" where isName(1):
      mark("Lua has no new: an object is made by a call")
      at += 1
      return try unary()
    case "typeof" where isOperand(1):
      mark("Lua has the function type")
      at += 1
      return Value("type(\(try unary().text))")
    default: break
    }
    return try postfix(try primary())
  }

  /// Whether an operand begins at an offset, on the same line.
  func isOperand(_ offset: Int) -> Bool {
    guard let token = token(offset), !token.startsLine else { return false }
    return token.kind != .symbol || ["(", "[", "!", "@[", "@{", "{"].contains(token.text)
  }
}
