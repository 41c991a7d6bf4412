import IdentityToolkit
import System

/// Closures and texts with values in them.
extension Translation {
  /// The parameters and the body of a closure.
  struct Closure {
    var parameters: [String] = []
    /// What declares the fields of a parameter that is an object.
    var prelude = ""
    /// The body, if it ends on the same line.
    var body = ""
    /// Whether the body is an expression that is its result.
    var isExpression = false
    /// The error that it checks for.
    var check: Check?
    /// The parameters that are users, by their type or name.
    var users: Set<String> = []

    /// The function; without its end if its body is on further lines.
    func text(isWhole: Bool) -> String {
      let head = "function(\(parameters.joined(separator: ", ")))"
      if isExpression { return "\(head) return \(body) end" }
      if isWhole { return Translation.laidOut(head, body, "end") }
      return head + (body.isEmpty ? "" : " \(body) end")
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
      return Value(try body(.function).text(isWhole: isWhole))
    }
    mark("Lua writes closures as function(…) … end")
    return Value(try body(.function).text(isWhole: isWhole))
  }

  /// What the parameters of a closure stand for.
  enum Role {
    case function
    /// The result and the error of a call, with or without a check of the error.
    case checking, ignoringError
  }

  /// A callback of a call that waits.
  mutating func readClosure() throws(Unclear) -> Closure {
    mark("luath has no callbacks: the call waits and returns its result")
    let start = self
    let closure = try body(.checking)
    if closure.check != nil || !isWhole { return closure }
    let readTwice = readTwice + 1
    self = start
    self.readTwice = readTwice
    return try body(.ignoringError)
  }

  /// Whether `function (a) {` follows, not `function(a)` of Lua.
  private var isForeignFunction: Bool {
    var copy = self
    copy.at += 1
    return (try? copy.parameters()) != nil && copy.isAt("{")
  }

  mutating func body(_ role: Role) throws(Unclear) -> Closure {
    renameError(from: at)
    var closure = try withoutPrelude(role)
    if !closure.prelude.isEmpty {
      let body = closure.isExpression ? "return \(closure.body)" : closure.body
      closure.body =
        [closure.prelude, body].filter { !$0.isEmpty }.joined(separator: isWhole ? "\n" : "; ")
      closure.isExpression = false
    }
    return closure
  }

  private mutating func withoutPrelude(_ role: Role) throws(Unclear) -> Closure {
    var closure = Closure()
    _ = take("async")
    if take("function") || take("^") {
      if isAt("(") { try parameters(of: &closure) }
      (closure.prelude, prelude) = (prelude, "")
      // A function of Lua has no brace.
      if !isAt("{") { at -= 1 }
      return try block(closure, role)
    }
    if isAt("{") {
      at += 1
      if token()?.text.hasPrefix("$") == true { throw Unclear() }
      if isAt("[") { try skipBrackets() }
      if isAt("(") {
        try parameters(of: &closure)
      } else {
        repeat { closure.parameters.append(try takeName()) } while take(",")
        if closure.parameters.contains("user") { closure.users = ["user"] }
      }
      if take("->") { try type() }
      guard take("in") else { throw Unclear() }
      at -= 1
      return try block(closure, role)
    }
    if isAt("(") {
      try parameters(of: &closure)
    } else {
      closure.parameters = [try takeName()]
    }
    (closure.prelude, prelude) = (prelude, "")
    guard take("=>") else { throw Unclear() }
    if isAt("{") { return try block(closure, role) }
    let value = try expression()
    if value.hasCallbacks {
      closure.body = returning(value)
    } else {
      closure.body = value.text
      closure.isExpression = true
    }
    return closure
  }

  /// The body after `{`, `in` or the parameters.
  private mutating func block(_ start: Closure, _ role: Role) throws(Unclear) -> Closure {
    var closure = start
    at += 1
    if !isWhole, isAtLineEnd {
      isOpen = true
      return closure
    }
    let depth = checks.count
    if role == .checking, isWhole, let error = Self.error(of: closure.parameters) {
      checks.append(Check(error: error, result: Self.result(of: closure.parameters) ?? error))
    } else {
      checks += closure.parameters.map { Check(error: $0, result: $0, isActive: false) }
    }
    closure.body = try statements(until: ["}", "end"])
    at += 1
    if let check = checks[depth...].last, check.isActive, check.isTested || check.uses > 0 {
      closure.check = check
    }
    checks.removeSubrange(depth...)
    return closure
  }

  /// The parameters of a closure in parentheses.
  private mutating func parameters(of closure: inout Closure) throws(Unclear) {
    let start = at
    closure.parameters = try parameters()
    let types = (start..<at).filter { ["FIRUser", "User"].contains(tokens[$0].text) }
    closure.users = Set(closure.parameters.filter { $0 == "user" })
    for type in types {
      // `FIRUser *_Nullable user`, `user: User?`.
      let name = tokens[(type + 1)..<at].first {
        $0.kind == .name && !$0.text.hasPrefix("_N") || $0.is(",") || $0.is(")")
      }
      if let name, name.kind == .name { closure.users.insert(name.text) }
      if tokens[type - 1].is(":") { closure.users.insert(tokens[type - 2].text) }
    }
  }

  /// The names of parameters in parentheses, in any language.
  mutating func parameters() throws(Unclear) -> [String] {
    guard take("(") else { throw Unclear() }
    var names: [String] = []
    while !isAt(")") {
      if take("...") {
        names.append("...")
      } else if take("{") {
        // `({ user }) => …`
        names.append("result")
        var (fields, own) = ([String](), [String]())
        repeat {
          fields.append(try takeName())
          own.append(take(":") ? try takeName() : fields[fields.count - 1])
        } while take(",") && !isAt("}")
        guard take("}"), names.count == 1 else { throw Unclear() }
        prelude =
          "local \(own.joined(separator: ", ")) = "
          + fields.map { "result.\($0)" }.joined(separator: ", ")
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

  /// A code of `Auth.ErrorCode`, by its name in Swift or in Objective-C.
  static func code(named name: String) -> String? {
    ErrorCode.allCases.first { $0.rawValue.lowercased() == name.lowercased() }?.rawValue
  }

  // MARK: Results of callbacks

  /// Replaces a callback by the result of the call.
  mutating func finish(_ value: inout Value, _ callback: Closure) {
    value.result = Self.result(of: callback.parameters) ?? ""
    value.after = isWhole || callback.body.contains("(") ? callback.body : ""
    value.check = callback.check
    let isUser = callback.users.contains(value.result ?? "")
    if isUser, let call = value.call, Self.signsIn(call), !callback.body.contains("user.user") {
      value.field = "user"
    }
    // The SDKs report a conflict where the credential is made, luath where it is used.
    let conflict = ErrorCode.accountExistsWithDifferentCredential.rawValue
    if var call = value.call, call.function.hasPrefix("getCredential"), !call.isTable,
      call.arguments.count < 2, callback.body.contains(conflict)
    {
      call.arguments = [call.arguments.first ?? "nil", "{ raisesConflict = true }"]
      value.text = call.text
      value.call = call
    }
  }

  /// Whether a call returns the result of a sign-in, which older SDKs replaced by the user.
  private static func signsIn(_ call: Call) -> Bool {
    let name = name(of: call)
    return ["signIn", "createUser", "link", "reauthenticate"].contains { name.hasPrefix($0) }
      && !name.hasSuffix("PhoneNumber")
  }

  private static let errors: Set = ["error", "err", "e", "reason"]

  /// The parameter of a callback that is the call's result; nil for none.
  static func result(of parameters: [String]) -> String? {
    parameters.first { !errors.contains($0) && $0 != "_" }
  }

  /// The parameter of a callback that is the call's error; nil for none.
  static func error(of parameters: [String]) -> String? {
    parameters.last { errors.contains($0) || $0.lowercased().hasSuffix("error") }
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
      value.checks = checks
      values.append(try value.expression().text)
      checks = value.checks
      rest = rest[place.upperBound...]
    }
    guard !rest.contains("${"), !rest.contains("\n"), !rest.contains("\"") else { throw Unclear() }
    if values.isEmpty { return Value("\"\(rest)\"") }
    format += rest.replacing("%", with: "%%")
    return Value("(\"\(format)\"):format(\(values.joined(separator: ", ")))")
  }
}
