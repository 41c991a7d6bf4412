import System

/// Names of the SDKs and of other languages, and what luath has for them.
extension Translation {
  private static let words: [String: String] = [
    "null": "nil", "undefined": "nil", "nullptr": "nil", "NULL": "nil", "Nil": "nil",
    "NSNull": "nil",
    "YES": "true", "NO": "false", "FIRAuth": "Auth",
  ]

  /// The name in luath of a name, unless the source declares it.
  mutating func name(_ token: ForeignToken) -> String {
    let name = token.text
    if names.locals.contains(name) { return name }
    let current = Self.words[name] ?? Self.current(name)
    if current != name { isChanged = true }
    return current
  }

  /// The name in luath of a global of the SDKs.
  static func current(_ name: String) -> String {
    let spellings = Spellings.shared
    if name.hasPrefix("FIRAuthErrorCode"), let code = code(named: String(name.dropFirst(16))) {
      return "Auth.ErrorCode.\(code)"
    }
    if spellings.isConstant(name) { return "Auth.\(name)" }
    guard let line = spellings.line(forGlobal: name), line.hasPrefix("Auth."),
      line.allSatisfy({ $0.isLetter || $0 == "." })
    else { return name }
    return line
  }

  /// A function that is called without an object.
  mutating func function(_ value: Value) -> Call {
    if names.locals.contains(value.text) || value.text.contains(".") {
      return Call(function: value.text)
    }
    if Spellings.shared.functions.contains(where: { $0.name == value.text }) {
      isChanged = true
      return Call(function: "Auth.\(value.text)")
    }
    return Call(function: value.text)
  }

  /// Functions of other languages that Lua has under another name.
  mutating func known(_ owner: String, _ name: String) throws(Unclear) -> Value? {
    switch (owner, name) {
    case ("console", _):
      isChanged = true
      return try call(Call(function: "print"))
    case ("firebase", "auth"):
      isChanged = true
      return try call(Call(function: "Auth.auth"))
    case ("JSON", "stringify"), ("JSON", "parse"):
      isChanged = true
      let value = try call(Call(function: name == "parse" ? "json.decode" : "json.encode"))
      let token = value.call?.arguments.first?.wholeMatch(of: Self.payload)
      return token.map { Value("require(\"luath.crypto\").claims(\($0.output.1))") } ?? value
    case ("Promise", _):
      mark("luath has no promises: luath.task runs functions at the same time", -1)
      throw Unclear()
    case (_, "forEach"):
      mark("Lua goes through a list with ipairs")
      guard take("("), isClosureStart else { throw Unclear() }
      let item = try body(.function)
      try expect(")")
      let head = "for _, \(item.parameters.first ?? "item") in ipairs(\(owner)) do"
      return Value(isOpen ? head : Self.laidOut(head, item.body, "end"))
    default: return nil
    }
  }

  /// Whether `?:` of Objective-C follows.
  var isElvis: Bool { isAt("?") && isAt(":", 1) && token(1)?.touches == true }

  /// `(Type *)value` of Objective-C.
  var isCast: Bool {
    var offset = 1
    guard isName(offset) else { return false }
    while isName(offset) || isAt("*", offset) || isAt("<", offset) || isAt(">", offset) {
      offset += 1
    }
    guard isAt(")", offset), let last = token(offset - 1) else { return false }
    if last.is("*") || last.text.hasPrefix("_N") { return true }
    return Self.numbers.contains(last.text) && isOperand(offset + 1)
  }

  /// Types of C, as in `(long)error.code`.
  private static let numbers: Set<String> = [
    "int", "long", "short", "char", "unsigned", "signed", "float", "double", "bool", "size_t", "id",
    "void", "BOOL", "NSInteger", "NSUInteger", "CGFloat", "FIRAuthErrorCode", "int64_t", "uint64_t",
    "NSTimeInterval",
  ]

  /// Whether a `?` belongs to `condition ? a : b`, whose `:` follows on the line.
  var isTernary: Bool {
    var offset = 1
    while let token = token(offset), !token.startsLine || offset == 1 {
      if token.is(":") { return true }
      offset += 1
    }
    return false
  }

  /// The labels of completion closures.
  static let callbacks: Set = ["completion", "completionHandler", "callback", "handler"]

  /// Functions that nothing stands for.
  private static let needless = [
    "initializeApp":
      "luath needs no app: luath.lua or --target names the project; delete this line",
    "FirebaseApp.configure":
      "luath needs no app: luath.lua or --target names the project; delete this line",
    "connectAuthEmulator":
      "luath starts its emulator by itself, and --target names another; delete this line",
    "getRedirectResult":
      "luath has no redirects: signIn waits and returns its result; delete this line",
  ]

  /// What luath has in place of some functions.
  mutating func replaced(_ call: Call) throws(Unclear) -> Value? {
    guard !names.locals.contains(call.function) else { return nil }
    if let why = Self.needless[call.function] {
      mark(why, -1)
      throw Unclear()
    }
    var value: Value?
    switch call.function {
    case "fetch": value = fetched(call)
    case "Headers" where call.isTable:
      value = Value("{ \(call.arguments.joined(separator: ", ")) }")
    case "jwtDecode" where call.arguments.count == 1, "jwt_decode" where call.arguments.count == 1:
      value = Value("require(\"luath.crypto\").claims(\(call.arguments[0]))")
    case "NSLog" where !call.arguments.isEmpty:
      value = Value("print(\(Self.format(call.arguments).text))")
    case "getAuth": value = Value("Auth.auth()")
    case "Auth.GoogleAuthProvider" where call.arguments.isEmpty:
      value = Value("Auth.OAuthProvider(\"google.com\")")
    case "Auth.FacebookAuthProvider" where call.arguments.isEmpty:
      value = Value("Auth.OAuthProvider(\"facebook.com\")")
    case "Auth.GithubAuthProvider" where call.arguments.isEmpty:
      value = Value("Auth.OAuthProvider(\"github.com\")")
    case "Auth.TwitterAuthProvider" where call.arguments.isEmpty:
      value = Value("Auth.OAuthProvider(\"twitter.com\")")
    case "getAdditionalUserInfo" where call.arguments.count == 1:
      value = Value("\(call.arguments[0]).additionalUserInfo")
    case "Auth.ErrorCode", "Auth.ErrorCode.Code":
      guard call.isTable, call.arguments[0].hasPrefix("rawValue = ") else { return nil }
      // A code of luath is its own value.
      value = Value(String(call.arguments[0].dropFirst("rawValue = ".count)))
    default: return nil
    }
    guard let value else { return nil }
    isChanged = true
    return value
  }
}
