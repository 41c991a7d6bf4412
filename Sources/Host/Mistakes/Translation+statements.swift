import System

/// Statements.
extension Translation {
  /// The Lua of one statement, without the body of a block that goes on in further lines.
  mutating func statement() throws(Unclear) -> String {
    guard let token = token() else { throw Unclear() }
    switch token.text {
    case "let" where isName(1) || isAt("{", 1) || isAt("(", 1),
      "var" where isName(1) || isAt("{", 1), "const" where isName(1) || isAt("{", 1):
      mark("variables are declared with local")
      at += 1
      return try declaration()
    case "local": return try luaLocal()
    case "elseif" where isWhole, "else" where isWhole: throw Unclear()
    case "if", "elseif", "while": return try head(token.text)
    case "guard": return try guarded()
    case "for": return try loop()
    case "else" where isAt("if", 1):
      mark("in Lua else if is one word: elseif", isEarly: true)
      at += 1
      return try head("elseif")
    case "Task" where isAt("{", 1):
      let why = "luath needs no Task: a call waits by itself"
      mark(isWhole ? why : "\(why), so delete this line", isEarly: true)
      guard isWhole else { throw Unclear() }
      at += 2
      let body = try statements(until: ["}", "end"])
      at += 1
      return body
    case "repeat" where isAt("{", 1):
      mark("Lua writes repeat … until")
      at += 1
      return try block("repeat")
    case "break":
      at += 1
      return "break"
    case "else", "do", "repeat", "then", "until":
      return try luaWord(token.text)
    case "try" where isAt("{", 1), "@" where isAt("try", 1): return try attempt()
    case "try" where self.token(1).map { $0.startsLine && $0.kind == .name } == true:
      return try wordAttempt()
    case "catch", "@catch":
      if isWhole { throw Unclear() }
      return try handler()
    case "end", ")", "]", ",", "}":
      if isWhole { throw Unclear() }
      if token.is("}") { return try closing() }
      at += 1
      return token.text
    case "return":
      at += 1
      let isBare = isAtLineEnd || isAt(";") || isAt("}") || isAt("end")
      guard !isBare else { return "return" }
      let values = try expressions()
      if values.count == 1, values[0].hasCallbacks { return returning(values[0]) }
      return "return " + values.map(\.text).joined(separator: ", ")
    case "throw":
      mark("Lua raises errors with error")
      at += 1
      // A local variable may hide the function.
      let raise = names.locals.contains("error") ? "_G.error" : "error"
      guard take("new") else { return "\(raise)(\(try expression().text))" }
      _ = try takeName()
      guard take("(") else { throw Unclear() }
      let message = try expression().text
      try expect(")")
      return "\(raise)(\(message))"
    case "switch": return try choice()
    case "import", "#import", "#include": return try imported()
    case "@" where isAt("import", 1):
      at += 1
      return try imported()
    case "func", "function": return try function()
    case "async" where isAt("function", 1):
      mark("luath needs no async: a call waits by itself")
      at += 1
      return try function()
    case "class", "struct", "enum", "protocol", "extension", "interface":
      if isName(1) {
        mark("Lua has functions and tables in place of a \(token.text)")
        throw Unclear()
      }
    case "export", "static", "private", "public", "final", "lazy", "fileprivate", "override":
      if isName(1) {
        mark("Lua has no \(token.text): what is local stays in its file")
        at += 1
        _ = take("default")
        return try statement()
      }
    default: break
    }
    if let body = try queued() { return body }
    if isStart {
      // The request was sent where its task was made.
      mark("luath sends a request where it is made")
      at += token.is("[") ? 4 : 5
      return ""
    }
    if let name = try typedName() { return try declaration(of: name) }
    return try other()
  }

  // MARK: Declarations

  /// The line that makes `Auth` known.
  static let module = "local Auth = require \"luath.auth\""

  mutating func declaration() throws(Unclear) -> String {
    if isAt("{") {
      // `const { user, credential } = result`
      at += 1
      var fields: [String] = []
      var names: [String] = []
      repeat {
        fields.append(try takeName())
        names.append(take(":") ? try takeName() : fields[fields.count - 1])
      } while take(",") && !isAt("}")
      guard take("}"), take("=") else { throw Unclear() }
      let value = try expression()
      if value.text.contains("firebase"), value.text.hasPrefix("require") { return Self.module }
      var (owner, before) = (value.text, "")
      let isPlain = value.text.wholeMatch(of: /[\w.]+/) != nil
      if !isPlain && fields.count > 1 || value.hasCallbacks || value.caught != nil {
        owner = value.text.contains("redentialFrom") ? "credential" : "result"
        before = statement(of: value, name: owner) + (isWhole ? "\n" : "; ")
      }
      let values = fields.map { "\(owner).\($0)" }
      return before + "local \(names.joined(separator: ", ")) = \(values.joined(separator: ", "))"
    }
    if take("(") {
      // `let (a, b) = f()`
      var names: [String] = []
      repeat { names.append(try takeName()) } while take(",")
      guard take(")"), take("=") else { throw Unclear() }
      let value = try expression()
      if value.call?.function.contains("luath.http") == true, names.count == 2 {
        let response = names[1] == "_" ? "response" : names[1]
        return Self.lines([
          "local \(response) = \(value.text)", "local \(names[0]) = \(response).body",
        ])
      }
      return "local \(names.joined(separator: ", ")) = \(value.text)"
    }
    return try declaration(of: try takeName())
  }

  mutating func declaration(of first: String) throws(Unclear) -> String {
    var (names, values) = ([first], [String]())
    if take(":") { try type() }
    guard take("=") else {
      while take(",") { names.append(try takeName()) }
      return "local \(names.joined(separator: ", "))"
    }
    var value = try expression()
    if value.text.contains("firebase"), value.text.hasPrefix("require") { return Self.module }
    if ["NSURLSession", "URLSession.shared"].contains(value.text) {
      mark("luath.http needs no session", -1)
      return ""
    }
    if value.result != nil, value.call?.function.contains("luath.http") == true {
      return statement(of: value)
    }
    if value.call != nil || value.caught != nil || value.result != nil || value.hasCallbacks {
      return statement(of: value, name: first)
    }
    values.append(value.text)
    while take(",") {
      names.append(try takeName())
      guard take("=") else { throw Unclear() }
      value = try expression()
      values.append(value.text)
    }
    return "local \(names.joined(separator: ", ")) = \(values.joined(separator: ", "))"
  }

  private mutating func luaLocal() throws(Unclear) -> String {
    at += 1
    if isAt("function") { return "local " + (try function()) }
    var names: [String] = []
    repeat {
      var name = try takeName()
      if take("<") {
        name += " <\(try takeName())>"
        guard take(">") else { throw Unclear() }
      }
      names.append(name)
    } while take(",")
    guard take("=") else { return "local \(names.joined(separator: ", "))" }
    let values = try expressions()
    if values.count == 1, names.count == 1, values[0].call != nil {
      return statement(of: values[0], name: names[0])
    }
    return "local \(names.joined(separator: ", ")) = "
      + values.map(\.text).joined(separator: ", ")
  }

  private mutating func function() throws(Unclear) -> String {
    let isSwift = isAt("func")
    if isSwift { mark("Lua has the word function") }
    at += 1
    var name = try takeName()
    while isAt(".") || isAt(":") {
      name += tokens[at].text
      at += 1
      name += try takeName()
    }
    let parameters = try parameters().joined(separator: ", ")
    while isAt("async") || isAt("throws") { at += 1 }
    if take("->") { try type() }
    guard isAt("{") else {
      if isWhole { return try luaBlock("function \(name)(\(parameters))") }
      if isAtLineEnd { isOpen = true }
      return "function \(name)(\(parameters))"
    }
    if !isSwift { mark("Lua writes function … end, without braces") }
    return try block("local function \(name)(\(parameters))")
  }

  // MARK: Others

  private mutating func choice() throws(Unclear) -> String {
    mark("Lua has no switch: use if, elseif and else", isEarly: true)
    at += 1
    isHead = true
    let subject = Self.unwrapped(try expression().text)
    isHead = false
    guard take("{") else { throw Unclear() }
    guard isWhole else {
      isOpen = true
      return "if \(try cases(of: subject)) then"
    }
    var lines: [String] = []
    while !take("}") {
      let isFirst = lines.isEmpty
      if take("default") {
        guard take(":"), !isFirst else { throw Unclear() }
        lines.append("else")
      } else {
        lines.append("\(isFirst ? "if" : "elseif") \(try cases(of: subject)) then")
        _ = take(":")
      }
      var body = try statements(until: ["case", "default", "}"])
      if body.hasSuffix("break") { body = String(body.dropLast("break".count).trimmed) }
      if !body.isEmpty { lines.append(body) }
    }
    return (lines + ["end"]).joined(separator: "\n")
  }

  /// The condition of some cases of a `switch`.
  private mutating func cases(of subject: String) throws(Unclear) -> String {
    guard take("case") else { throw Unclear() }
    var conditions: [String] = []
    repeat {
      let found = try expression()
      let isWeb = subject.hasSuffix(".code") && found.text.contains("auth/")
      let text = isWeb ? subject.dropLast(4) + "webCode" : subject
      conditions.append("\(text) == \(found.text)")
      if isWhole, isAt(":"), isAt("case", 1) { at += 1 }
    } while take(",") || take("case")
    return conditions.joined(separator: " or ")
  }

  private mutating func imported() throws(Unclear) -> String {
    let start = at
    at += 1
    var words: [String] = []
    while let token = token(), !token.startsLine || !words.isEmpty && isAt("}") || isInList(start) {
      words.append(token.text)
      at += 1
    }
    let isAuth = words.contains { $0.lowercased().contains("fir") }
    let why = "Lua loads modules with require"
    guard isAuth, !names.modules.contains("Auth") else {
      at = start
      mark("luath needs no such import: delete this line", isEarly: true)
      throw Unclear()
    }
    at = start
    mark(why, isEarly: true)
    at += words.count + 1
    return Self.module
  }

  /// Whether the braces of `import { … }` are still open.
  private func isInList(_ start: Int) -> Bool {
    let open = tokens[start..<at].count { $0.is("{") }
    return open > tokens[start..<at].count { $0.is("}") }
  }

  /// An assignment, or an expression as a statement.
  private mutating func other() throws(Unclear) -> String {
    let start = at
    let values = try expressions()
    let targets = values.map { $0.target ?? $0.text }
    if values.count == 1, let sign = token(), !isOpen {
      let target = targets[0]
      if sign.is("++") || sign.is("--") {
        mark("Lua has no \(sign.text)")
        at += 1
        return "\(target) = \(target) \(sign.text.first ?? "+") 1"
      }
      if ["+=", "-=", "*=", "/=", "??="].contains(sign.text) {
        mark("Lua has no \(sign.text)")
        at += 1
        let right = try expression()
        let isText = sign.is("+=") && right.text.first.map { "\"'(".contains($0) } == true
        let word = sign.is("??=") ? "or" : isText ? ".." : String(sign.text.dropLast())
        return "\(target) = \(target) \(word) \(right.operand(5))"
      }
    }
    if isAt("..="), values.count == 1 {
      mark("Lua has no ..=")
      at += 1
      return "\(values[0].text) = \(values[0].text) .. \(try expression().operand(4))"
    }
    if !isOpen, take("=") {
      let right = try expressions()
      if right.count == 1, let call = right[0].call, let error = right[0].caught {
        let name = targets.joined(separator: ", ")
        return error.isEmpty
          ? "local ok; ok, \(name) = \(call.caught)"
          : "\(name), \(error) = \(call.caught)" + cleared(error, ifTrue: name)
      }
      if right.count == 1, right[0].hasCallbacks {
        let after = statement(of: right[0], name: "result")
        return "\(after)\(isWhole ? "\n" : "; ")\(targets.joined(separator: ", ")) = result"
      }
      return targets.joined(separator: ", ") + " = "
        + right.map(\.text).joined(separator: ", ")
    }
    guard at > start, values.count == 1 else { throw Unclear() }
    var value = values[0]
    if tokens[start].is("try"), !isTrying, value.call != nil { value.caught = value.caught ?? "" }
    return statement(of: value)
  }

}
