import System

/// Operands: names, literals, brackets, and what follows them.
extension Translation {
  /// Words that begin or end statements, and so are no operands.
  private static let reserved: Set<String> = [
    "do", "else", "elseif", "end", "for", "if", "in", "local", "repeat", "return", "then", "until",
    "while", "goto", "break", "switch", "case", "default", "catch", "guard", "throw", "import",
    "export",
    "const", "let", "var", "func", "this", "class", "struct",
  ]

  mutating func primary() throws(Unclear) -> Value {
    guard let token = token() else { throw Unclear() }
    switch token.kind {
    case .number, .string:
      if token.hasAt { mark("this is Objective-C") }
      if isWhole, token.text.contains("\n") { throw Unclear() }
      at += 1
      return Value(token.text)
    case .template:
      return try template(token)
    case .comment: throw Unclear()
    case .name:
      if isAt("=>", 1) || token.is("async") && (isName(1) && isAt("=>", 2) || isAt("(", 1)) {
        return try closure()
      }
      if token.is("function") { return try closure() }
      guard !Self.reserved.contains(token.text), !token.text.hasPrefix("#") else { throw Unclear() }
      at += 1
      if let index = check(of: token.text), checks[index].error == token.text {
        checks[index].uses += 1
      } else if freeError == nil, token.is("error") || token.is("err"), !isAt("("),
        !names.locals.contains(token.text),
        !checks.contains(where: { $0.error == token.text || $0.result == token.text })
      {
        freeError = at - 1
      }
      return Value(name(token))
    case .symbol:
      switch token.text {
      case "(": return try group()
      case "[": return try bracket()
      case "{": return isClosure ? try closure() : try table("{", "}")
      case "@[": return try literal("@[", "]")
      case "@{": return try literal("@{", "}")
      case "@(":
        mark("this is Objective-C")
        at += 1
        let value = try expression()
        try expect(")")
        return value
      case "@" where isAt("YES", 1) || isAt("NO", 1) || self.token(1)?.kind == .number:
        mark("this is Objective-C")
        at += 1
        return try primary()
      case "^": return try closure()
      case "...":
        at += 1
        return Value("...")
      case ".":
        // `.wrongPassword` of Swift.
        guard let member = self.token(1), let code = Self.code(named: member.text) else {
          throw Unclear()
        }
        mark("Lua has no short form of members")
        at += 2
        return Value("Auth.ErrorCode.\(code)")
      default: throw Unclear()
      }
    }
  }

  // MARK: What follows an operand

  mutating func postfix(_ start: Value) throws(Unclear) -> Value {
    var value = start
    while !isOpen, let token = token() {
      if token.kind == .symbol, ["!", "?"].contains(token.text), token.touches, !isTernaryMark,
        !isElvis
      {
        mark(
          token.text == "!"
            ? "Lua has no forced values, so leave out the !" : "Lua has no optional chaining")
        at += 1
      } else if token.is(".") || token.is("?.") {
        value = try member(value, isOptional: token.is("?."))
      } else if token.is(":"), isMethodColon {
        at += 1
        let name = try takeMember()
        if isClass(value.text) {
          isChanged = true
          value = try call(Call(function: "\(value.text).\(name)"))
        } else if Self.promises.contains(name), let call = value.call,
          value.hasCallbacks || names.waits(Self.name(of: call)), isAt("(")
        {
          value = try promise(value, ["next", "andThen"].contains(name) ? "then" : name)
        } else {
          value = try call(Call(receiver: value.text, function: name))
        }
      } else if token.is("["), !token.startsLine {
        at += 1
        let index = try expression()
        try expect("]")
        value = Value("\(value.text)[\(index.text == "0" ? "1" : index.text)]")
      } else if token.is("("), !token.startsLine {
        value = try call(function(value))
      } else if token.is("{"), !isHead, !token.startsLine, value.call == nil,
        isCallable(value) || isClosure
      {
        value = try call(function(value))
      } else if token.kind == .string, !token.startsLine, isCallable(value), value.call == nil {
        at += 1
        value = Value("\(value.text) \(token.text)")
      } else {
        break
      }
    }
    return value
  }

  /// Whether the `?` belongs to `a ? b : c` although no blank is before it.
  private var isTernaryMark: Bool {
    guard isAt("?"), let next = token(1) else { return false }
    return !next.startsLine && next.kind != .symbol
  }

  /// Whether a `:` calls a method, and is neither a label nor part of `a ? b : c`.
  private var isMethodColon: Bool {
    guard token()?.touches == true, isName(1), token(1)?.touches == true, let next = token(2) else {
      return false
    }
    return !next.startsLine && (next.is("(") || next.is("{") || next.kind == .string)
  }

  private func isCallable(_ value: Value) -> Bool {
    value.text.last.map { $0.isLetter || $0.isNumber || $0 == "_" } == true
      && value.text.first?.isNumber == false && !["nil", "true", "false"].contains(value.text)
  }

  /// A member, and the call if it is a method.
  private mutating func member(_ value: Value, isOptional: Bool) throws(Unclear) -> Value {
    var owner = value
    if owner.text == "firebase.auth", !names.locals.contains("firebase") {
      owner.text = "Auth"
      isChanged = true
    }
    if owner.text == "AuthErrorCodes", !names.locals.contains(owner.text),
      let member = token(1), let code = Self.webCode(named: member.text)
    {
      at += 2
      isChanged = true
      return Value("\"\(code)\"")
    }
    let isForeign = isOptional
    if isForeign { mark("Lua has no optional chaining") }
    at += 1
    let name = try takeMember()
    if name == "then" || name == "catch" || name == "finally" { return try promise(owner, name) }
    if name == "resume", owner.call?.function.contains("luath.http") == true, isAt("("),
      isAt(")", 1)
    {
      at += 2
      return owner
    }
    let isCall = !isAtLineEnd && (isAt("(") || isAt("{") && !isHead)
    guard isCall else {
      if name == "rawValue", owner.text.hasPrefix("Auth.ErrorCode.") {
        mark("an error code of luath is its own value, without rawValue", -1)
        return owner
      }
      let isList = Self.lists.contains { owner.text.hasSuffix(".\($0)") }
      if name == "length" || name == "count", !isAt("="), isList || !marks.isEmpty {
        isChanged = true
        return Value("#\(owner.text)", level: 7)
      }
      let text = "\(owner.text).\(name == "statusCode" ? "status" : name)"
      if isForeign, owner.level == 2, let target = owner.target {
        var value = Value("\(owner.text) and \(target).\(name)", level: 2)
        value.target = "\(target).\(name)"
        return value
      }
      let tested = isForeign ? test(owner, isUsed: true) : owner
      var value =
        isForeign
        ? Value(
          "\(tested.text == owner.text ? owner.operand(10) : tested.text) and \(text)", level: 2)
        : Value(text, level: owner.level)
      value.target = "\(owner.target ?? owner.text).\(name)"
      return value
    }
    if let known = try known(owner.text, name) { return known }
    guard
      isClass(owner.text) || names.modules.contains(owner.text)
        || Self.libraries.contains(owner.text)
    else {
      dotted.append(name)
      return try call(Call(receiver: owner.operand(10), function: name))
    }
    return try call(Call(function: "\(owner.text).\(name)"))
  }

  /// Properties of the SDKs that are lists.
  private static let lists = ["providerData", "scopes", "enrolledFactors"]

  /// Whether an operand is a class of an SDK, whose functions take a dot.
  private func isClass(_ text: String) -> Bool {
    let path = text.split(separator: ".")
    return !path.isEmpty
      && path.allSatisfy { $0.first?.isUppercase == true && !$0.contains("(") }
  }

  private static let libraries: Set<String> = [
    "string", "table", "math", "os", "io", "coroutine", "utf8", "debug",
  ]

  /// The name of a member; some are words of Lua.
  private mutating func takeMember() throws(Unclear) -> String {
    if isAt("goto") {
      mark("goto is a word of Lua, and a page has the method go")
      at += 1
      return "go"
    }
    return try takeName()
  }

  // MARK: Arguments

  /// The arguments of a call, in parentheses or as a table, and the callback after them.
  mutating func call(_ callee: Call) throws(Unclear) -> Value {
    var call = callee
    var callback: Closure?
    if take("(") {
      var labels: [String?] = []
      while !isOpen, !isAt(")") {
        let label = isLabel ? token()?.text : nil
        if label != nil {
          mark("argument labels are the keys of a table")
          at += 2
        }
        if let label, ["encoding", "options"].contains(label) {
          // How to read bytes, which luath.http does by itself.
          _ = take(".")
          _ = try expression()
        } else if isClosureStart, names.waits(Self.name(of: call)) || Self.sends(call) {
          callback = try readClosure()
        } else if let label, Self.callbacks.contains(label), isAt("nil") {
          at += 1
        } else {
          var argument = try expression()
          if argument.hasCallbacks { throw Unclear() }
          if let caught = argument.caught, argument.call != nil { argument.text = "(\(caught))" }
          call.arguments.append(argument.text)
          labels.append(label)
        }
        if !isOpen, !take(","), !isAt(")") { throw Unclear() }
      }
      try expect(")")
      if labels.contains(where: { $0 != nil }), labels.allSatisfy({ $0 != nil }) {
        call.isTable = true
        call.arguments = zip(labels, call.arguments).map { "\($0 ?? "") = \($1)" }
      } else if call.arguments.count == 1, let only = call.arguments.first, only.hasPrefix("{") {
        // `f({ a = 1 })` is `f{ a = 1 }`.
        call.isTable = true
        call.arguments = only == "{}" ? [] : [String(only.dropFirst(2).dropLast(2))]
      }
    } else if isAt("{"), !isClosure {
      let isWaiting = names.waits(Self.name(of: call))
      let table = try table("{", "}", callback: isWaiting ? { callback = $0 } : nil).text
      call.isTable = true
      call.arguments = table == "{}" ? [] : [String(table.dropFirst(2).dropLast(2))]
    } else if let token = token(), token.kind == .string {
      at += 1
      call.arguments = [token.text]
    }
    if !isOpen, isAt("function"), !isAtLineEnd, names.waits(Self.name(of: call)) {
      callback = try readClosure()
    }
    if !isOpen, isAt("{"), !isHead, isClosure, !isAtLineEnd {
      if names.waits(Self.name(of: call)) || !names.listens(Self.name(of: call)) {
        callback = try readClosure()
      } else {
        call.arguments.append(try closure().text)
      }
    }
    if callback != nil, call.isTable, !call.arguments.contains(where: { $0.contains("=") }) {
      call.isTable = false
    }
    if Self.sends(call) { return sending(call, callback) }
    // Of Objective-C's `signOut:&error`.
    if call.receiver != nil, call.function == "signOut" { call.arguments = [] }
    let delegates = ["with = nil", "uiDelegate = nil", "UIDelegate = nil"]
    if call.receiver != nil, call.function == "credential", call.arguments.count == 1,
      delegates.contains(call.arguments[0])
    {
      call.function = "getCredential"
      (call.isTable, call.arguments) = (false, [])
    }
    if let value = request(call) {
      isChanged = true
      return value
    }
    if let fields = Self.tokens(of: call) { (call.isTable, call.arguments) = (true, fields) }
    if callee.receiver == nil {
      if let value = try replaced(call) { return value }
      if call.function == "pcall", let first = call.arguments.first,
        Spellings.shared.functions.contains(where: { $0.name == first }),
        !names.locals.contains(first)
      {
        isChanged = true
        call.arguments[0] = "Auth.\(first)"
      }
    }
    var value = Value(call.text)
    value.call = call
    if let callback { finish(&value, callback) }
    if isOpen, callback == nil { value.text = value.text.replacing(/[\)\}]$/, with: "") }
    return value
  }

  /// Whether an argument label follows: a name with `:`, as in `with: credential`.
  private var isLabel: Bool {
    guard isName(), isAt(":", 1), token(2) != nil else { return false }
    let isMethod =
      isName(2) && token(1)?.touches == true && token(2)?.touches == true
      && (isAt("(", 3) || isAt("{", 3))
    return !isMethod
  }

  // MARK: Brackets

  private mutating func group() throws(Unclear) -> Value {
    if isArrow { return try closure() }
    if isCast {
      mark("Lua has no casts")
      try skipBrackets()
      return try unary()
    }
    at += 1
    let wasHead = isHead
    isHead = false
    let value = try expression()
    isHead = wasHead
    try expect(")")
    // `(a as! B).c` and `(a!).b` need no parentheses in Lua.
    return value.level == 10 && value.call == nil && !isOpen ? value : Value("(\(value.text))")
  }

  /// A message, list or dictionary.
  private mutating func bracket() throws(Unclear) -> Value {
    if let message = try message() { return message }
    return try literal("[", "]")
  }

  /// A list or dictionary of another language.
  private mutating func literal(_ open: String, _ close: String) throws(Unclear) -> Value {
    mark(open == "[" ? "lists and dictionaries of Lua are tables in { }" : "this is Objective-C")
    if isAt(":", 1), isAt("]", 2) {
      at += 3
      return Value("{}")
    }
    return try table(open, close)
  }
}
