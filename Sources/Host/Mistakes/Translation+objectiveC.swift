import System

/// Messages of Objective-C.
extension Translation {
  /// A message such as `[user linkWithCredential:credential completion:^(…) {`; nil for a list.
  mutating func message() throws(Unclear) -> Value? {
    guard isMessage(0) else { return nil }
    mark("this is Objective-C", isEarly: true)
    at += 1
    let wasHead = isHead
    isHead = false
    defer { isHead = wasHead }
    let receiver = isAt("[") ? try postfix(try bracketed()) : try path()
    var name = try takeName()
    guard take(":") else {
      try expect("]")
      return try unaryMessage(receiver, name)
    }
    if name.hasSuffix("WithCompletion") { name.removeLast("WithCompletion".count) }
    var sent = Sent(receiver: receiver.text, name: name)
    try argument(&sent, label: name)
    while !isOpen, !isAt("]") {
      if take(",") {
        sent.arguments.append(try expression().text)
      } else {
        let label = try takeName()
        guard take(":") else { throw Unclear() }
        try argument(&sent, label: label)
      }
    }
    try expect("]")
    return try value(of: sent)
  }

  private struct Sent {
    let receiver: String
    let name: String
    var arguments: [String] = []
    var callback: Closure?
    /// The variable whose address is passed for the error.
    var error: String?
  }

  /// Whether a message begins at the `[` at an offset.
  private func isMessage(_ start: Int) -> Bool {
    guard isAt("[", start) else { return false }
    var offset = start + 1
    if isAt("[", offset) {
      guard isMessage(offset) else { return false }
      var depth = 0
      repeat {
        if isAt("[", offset) { depth += 1 }
        if isAt("]", offset) { depth -= 1 }
        offset += 1
      } while depth > 0 && token(offset) != nil
      while isAt(".", offset), isName(1 + offset) { offset += 2 }
    } else {
      guard isName(offset) || token(offset)?.kind == .string else { return false }
      offset += 1
      while isAt(".", offset), isName(1 + offset) { offset += 2 }
    }
    return isName(offset) && (isAt(":", offset + 1) || isAt("]", offset + 1))
  }

  private mutating func bracketed() throws(Unclear) -> Value {
    guard let value = try message() else { throw Unclear() }
    return value
  }

  /// A receiver such as `auth.currentUser` or `FIROAuthProvider`.
  private mutating func path() throws(Unclear) -> Value {
    var text = try primary().text
    while take(".") { text += ".\(try takeName())" }
    return Value(text)
  }

  private mutating func argument(_ sent: inout Sent, label: String) throws(Unclear) {
    if isAt("^") {
      if names.listens(sent.name) {
        sent.arguments.append(try closure().text)
      } else {
        sent.callback = try readClosure()
      }
    } else if take("&") {
      sent.error = try takeName()
    } else {
      let value = try expression().text
      if !Self.callbacks.contains(label) { sent.arguments.append(value) }
    }
  }

  /// A message without arguments: a property, or a method.
  private func unaryMessage(_ receiver: Value, _ name: String) throws(Unclear) -> Value {
    if receiver.text == "FIRAuth" || receiver.text == "Auth", name == "auth" {
      return value(of: Call(function: "Auth.auth"))
    }
    if name == "resume", receiver.call?.function.contains("luath.http") == true { return receiver }
    if name == "sharedSession" || name == "alloc" && receiver.text == "NSString" {
      return Value(receiver.text)
    }
    if name == "alloc" || name == "init" { throw Unclear() }
    if name == "count" || name == "length" { return Value("#\(receiver.text)", level: 7) }
    if name == "firstObject" { return Value("\(receiver.text)[1]") }
    if name == "lastObject" { return Value("\(receiver.text)[#\(receiver.text)]") }
    if names.isProperty(name) { return Value("\(receiver.text).\(name)") }
    return value(of: Call(receiver: receiver.text, function: name))
  }

  private func value(of call: Call) -> Value {
    var value = Value(call.text)
    value.call = call
    return value
  }

  private mutating func value(of sent: Sent) throws(Unclear) -> Value {
    switch sent.name {
    case "isEqualToString", "isEqual":
      return Value("\(sent.receiver) == \(sent.arguments[0])", level: 3)
    case "stringByAppendingString":
      return Value("\(sent.receiver) .. \(sent.arguments[0])", level: 4)
    case "stringWithFormat":
      return Self.format(sent.arguments)
    case "objectForKey", "objectForKeyedSubscript", "valueForKey":
      let key = sent.arguments[0]
      let isName = key.wholeMatch(of: /"[A-Za-z_]\w*"/) != nil
      let field = String(key.dropFirst().dropLast())
      return Value(
        isName && !LuaWords.all.contains(field)
          ? "\(sent.receiver).\(field)" : "\(sent.receiver)[\(key)]")
    case "objectAtIndex", "objectAtIndexedSubscript":
      let index = sent.arguments[0]
      return Value("\(sent.receiver)[\(Int(index).map { "\($0 + 1)" } ?? "\(index) + 1")]")
    default: break
    }
    let plain = Call(receiver: sent.receiver, function: sent.name, arguments: sent.arguments)
    if Self.sends(plain) { return sending(plain, sent.callback) }
    if let value = request(plain) {
      isChanged = true
      return value
    }
    guard sent.receiver.first?.isUppercase == true, !sent.receiver.contains("(") else {
      var made = plain
      if sent.name == "signOut" { made.arguments = [] }
      if made.arguments.count == 1, made.arguments[0].hasPrefix("{ ") {
        made.isTable = true
        made.arguments = [String(made.arguments[0].dropFirst(2).dropLast(2))]
      }
      return finished(made, sent)
    }
    guard sent.receiver.hasPrefix("Auth.") else { throw Unclear() }
    let provider = String(sent.receiver.dropFirst("Auth.".count))
    let current = Spellings.shared.constructors(of: provider).first { $0.old == sent.name }?.current
    let function = current == "" ? sent.receiver : "\(sent.receiver).\(sent.name)"
    return finished(Call(function: function, arguments: sent.arguments), sent)
  }

  private mutating func finished(_ made: Call, _ sent: Sent) -> Value {
    var value = value(of: made)
    if let callback = sent.callback { finish(&value, callback) }
    if let error = sent.error { value.caught = error }
    if isOpen, sent.callback == nil { value.text = value.text.replacing(/[\)\}]$/, with: "") }
    return value
  }

  /// A text with values, from a format of Objective-C.
  static func format(_ arguments: [String]) -> Value {
    // The codes of luath's errors are texts, so %s is for numbers too.
    let format = arguments[0].replacing(/%(@|[hlqzjt]*[diupS]|%)/) { match in
      match.output.0 == "%%" ? "%%" : "%s"
    }.replacing(/%([-+0#\ ]*[0-9.]*)[hlqzjtL]+([a-zA-Z])/) { match in
      "%\(match.output.1)\(match.output.2)"
    }
    return arguments.count == 1
      ? Value(format)
      : Value("(\(format)):format(\(arguments.dropFirst().joined(separator: ", ")))")
  }

  /// A declaration with a type, such as `NSError *error;`; nil for something else.
  ///
  /// Its name is returned; the type is skipped.
  mutating func typedName() throws(Unclear) -> String? {
    var offset = 1
    guard isName(), !LuaWords.all.contains(token()?.text ?? "") else { return nil }
    if isAt("<", offset) {
      while token(offset) != nil, !isAt(">", offset) { offset += 1 }
      offset += 1
    }
    var isPointer = false
    while isAt("*", offset) || token(offset)?.text.hasPrefix("_N") == true {
      isPointer = true
      offset += 1
    }
    guard isName(offset), token(offset)?.startsLine == false,
      !LuaWords.all.contains(token(offset)?.text ?? "")
    else { return nil }
    let next = token(offset + 1)
    let isEnd = next.map { $0.startsLine || $0.is(";") } ?? true
    // In `a * b = c` no operator follows, and two names never follow each other in Lua.
    guard next?.is("=") == true || isEnd && (isPointer || next?.is(";") == true) else { return nil }
    mark("variables are declared with local, without a type")
    at += offset + 1
    return tokens[at - 1].text
  }
}

/// The words of Lua and of other languages with which a statement begins.
enum LuaWords {
  static let all: Set<String> = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
    "local",
    "nil", "not", "or", "repeat", "return", "then", "true", "until", "while", "let", "var", "const",
    "try",
    "await", "new", "throw", "import", "func", "guard", "switch", "case", "async", "catch", "class",
    "typeof",
  ]
}
