import IdentityToolkit
import Lua
import System

/// Finds the strings in Lua source that are secrets by their position: assigned to a name such as `password`, or
/// passed to a function that takes secrets.
///
/// It never fails. In source with errors, each keyword that begins a statement ends the brackets that are still
/// open.
struct SourceScan {
  /// A construct around a token.
  private struct Frame {
    enum Kind { case block, call, group, table, index }

    let kind: Kind
    /// For a call: the function; nil for the call of an expression.
    var callee: SourceCalls.Callee?
    /// For a call: whether its argument is a table without parentheses.
    var isImplicit = false
    /// For a call: the number of arguments so far; for a block: the number of values in the assignment so far.
    var position = 0
    /// For a table: the key of the current field.
    var key: String?
    /// For a block: the names that are assigned to.
    var targets: [String] = []
    /// For a call: facts about its arguments so far.
    var given = SourceCalls.Given()
    /// For a call: its string arguments, and the kind of another argument that is a variable with the name of a secret.
    var literals: [Int] = []
    var compared: SecretKind?
    /// For a call: a function among its arguments that receives the following ones, as in
    /// `luath.try(auth.signIn, auth, …)`, and its position.
    var passed: (callee: SourceCalls.Callee, position: Int)?

    init(_ kind: Kind) { self.kind = kind }
  }

  private let tokens: [LuaToken]
  private let text: (LuaToken) -> String
  private let calls: SourceCalls
  private let names: SourceTargets
  private var stack = [Frame(.block)]
  /// The kinds of the secrets, by token index.
  private(set) var found: [Int: SecretKind] = [:]

  /// - Parameters:
  ///   - tokens: The tokens, without comments.
  ///   - text: Returns the source text of a token.
  init(_ tokens: [LuaToken], text: @escaping (LuaToken) -> String) {
    self.tokens = tokens
    self.text = text
    calls = SourceCalls(tokens, text: text)
    names = SourceTargets(tokens, text: text)
    for index in tokens.indices { read(index) }
  }

  private var top: Frame {
    get { stack[stack.count - 1] }
    set { stack[stack.count - 1] = newValue }
  }

  private mutating func read(_ index: Int) {
    let token = tokens[index]
    switch token.kind {
    case .keyword: readKeyword(index)
    case .name:
      if top.kind == .block, isOperand(index - 1) { top.targets = [] }
      if top.kind == .call, SecretNames.isNameOfSecret(token.word), isWholeArgument(index),
        !isErrorCode(index)
      {
        let kind = SecretNames.kind(of: token.word)
        top.compared = kind
        if isComparison(top) { for index in top.literals { found[index] = kind } }
      }
      readPassedFunction(index)
    case .symbol: readSymbol(index)
    case .string, .number, .broken:
      if Self.isLiteral(token, text(token)) { readLiteral(index) }
    case .comment: break
    }
  }

  /// Whether a token is a string or number, and not a stray character.
  static func isLiteral(_ token: LuaToken, _ text: String) -> Bool {
    switch token.kind {
    case .string, .number: true
    case .broken: text.first.map { "\"'[".contains($0) } ?? false
    default: false
    }
  }

  // MARK: Structure

  private static let statements: Set<String> = [
    "local", "return", "if", "for", "while", "repeat", "goto", "break", "do", "then", "else",
    "elseif", "until",
  ]

  private mutating func readKeyword(_ index: Int) {
    let token = tokens[index]
    if Self.statements.contains(token.word) {
      // Brackets that are still open here are an error.
      while top.kind != .block { stack.removeLast() }
      top.targets = []
    }
    switch token.word {
    case "function", "do", "if", "repeat": stack.append(Frame(.block))
    case "end", "until": close([.block])
    case "in":
      // `for _, password in …`
      let names = names.targets(before: index)
      top.targets = [names.first(where: SecretNames.isNameOfSecret) ?? ""]
      top.position = 0
    default: break
    }
  }

  private mutating func readSymbol(_ index: Int) {
    switch tokens[index].word {
    case "(": open(isCallable(index - 1) ? .call : .group, at: index)
    case "{":
      if isCallable(index - 1) {
        open(.call, at: index)
        top.isImplicit = true
      }
      stack.append(Frame(.table))
    case "[": stack.append(Frame(.index))
    case ")": close([.call, .group])
    case "]":
      close([.index])
      readPassedFunction(index)
    case "}":
      close([.table])
      if top.isImplicit { stack.removeLast() }
    case "=", ":": readName(before: index)
    case ",", ";": next(isComma: tokens[index].word == ",")
    default: break
    }
  }

  private mutating func open(_ kind: Frame.Kind, at index: Int) {
    var frame = Frame(kind)
    if kind == .call { frame.callee = calls.callee(before: index) }
    stack.append(frame)
  }

  private mutating func close(_ kinds: [Frame.Kind]) {
    guard let place = stack.lastIndex(where: { kinds.contains($0.kind) }), place > 0 else { return }
    stack.removeSubrange(place...)
  }

  private mutating func readName(before index: Int) {
    // `{ password: "…" }` and `f(password = "…")` are syntax errors, but still name the secret.
    let isColon = tokens[index].is(":")
    if isColon, index + 1 >= tokens.count || tokens[index + 1].kind == .name { return }
    // `password := "…"` was handled at its colon.
    if !isColon, index > 0, tokens[index - 1].is(":") { return }
    switch top.kind {
    case .table, .call: top.key = names.key(before: index)
    case .block:
      top.targets = names.targets(before: index)
      top.position = 0
    case .group, .index: break
    }
  }

  private mutating func next(isComma: Bool) {
    top.position += 1
    top.key = nil
    if top.kind == .block, !isComma { top.targets = [] }
  }

  // MARK: Strings

  /// Records a function that is passed to another function with its arguments: `pcall(auth.signIn, auth, …)`.
  private mutating func readPassedFunction(_ index: Int) {
    guard top.kind == .call, index + 1 < tokens.count, tokens[index + 1].is(","),
      let callee = calls.callee(before: index + 1), callee.owner != nil,
      calls.takesSecrets(callee.name)
    else { return }
    top.passed = (callee, top.position)
  }

  private mutating func readLiteral(_ index: Int) {
    if top.kind == .call, isOperand(index - 1), !isCallable(index - 1) {
      // A comma is missing.
      top.position += 1
    }
    if let kind = kindOfSecret(index) { found[index] = kind }
    guard top.kind == .call else { return }
    top.given.add(content(index))
    top.literals.append(index)
    if let kind = top.compared, isComparison(top) { found[index] = kind }
  }

  private func content(_ index: Int) -> String {
    SourceSecrets.values(of: text(tokens[index])).first ?? ""
  }

  /// The kind of a literal that is a secret; nil for other literals.
  private func kindOfSecret(_ index: Int) -> SecretKind? {
    let value = content(index)
    let isNumber = tokens[index].kind == .number
    // A code has at least four digits; a shorter number is a count.
    guard !value.isEmpty, !isNumber || value.utf8.count >= 4 && isAlone(index),
      !Self.isScheme(value)
    else { return nil }
    // `[[FIRAuth auth] …` of Objective-C is no long string.
    let isMessage = tokens[index].kind == .broken && value.prefixMatch(of: /\w+ \w+\]/) != nil
    if isMessage { return nil }
    if let name = comparedName(index, value, isNumber: isNumber) {
      return SecretNames.kind(of: name)
    }
    if !isNumber, isCallable(index - 1), index > 0 {
      // `f "text"`
      let callee = calls.callee(before: index)
      if let callee, callee.owner == nil, SecretNames.isCertain(callee.name) {
        return SecretNames.kind(of: callee.name)
      }
      if let callee, !calls.passesOn(callee) {
        let isSecret = calls.takesSecret(callee, at: 0, [], value, SourceCalls.Given())
        return isSecret ? calls.kind(callee, at: 0) : nil
      }
    }
    return kindInFrames(value, isNumber: isNumber)
  }

  /// Whether a number is a whole value, and not a part of `password=Zebra-4711` in a string.
  private func isAlone(_ index: Int) -> Bool {
    !["-", "+", "*", "/", "//", "%", "^", ".", "..", "~", "|"].contains { sign in
      [index - 1, index + 1].contains { tokens.indices.contains($0) && tokens[$0].is(sign) }
    }
  }

  /// Whether a string is only the word before a secret in a header: `"Bearer " .. token`.
  private static func isScheme(_ value: String) -> Bool {
    ["Bearer", "Basic", "Bearer %s", "Basic %s"].contains(value.trimmed)
  }

  /// The kind of a string that is a secret because of the constructs around it, from the innermost.
  private func kindInFrames(_ value: String, isNumber: Bool) -> SecretKind? {
    var path: [String?] = []
    let isWords = stack.contains(where: isAboutWords)
    for frame in stack.reversed() {
      switch frame.kind {
      case .index: return nil
      case .group: continue
      case .table:
        if !isWords, let key = frame.key, isSecret(value, isNumber: isNumber, under: key) {
          return SecretNames.kind(of: key)
        }
        path.insert(frame.key, at: 0)
      case .call:
        if let key = frame.key, path.isEmpty, isSecret(value, isNumber: isNumber, under: key) {
          return SecretNames.kind(of: key)
        }
        guard let callee = frame.callee else { continue }
        if calls.passesOn(callee) { continue }
        if let passed = frame.passed, !isNumber {
          let position = frame.position - passed.position - 1
          if calls.takesSecret(passed.callee, at: position, path[...], value, frame.given) {
            return calls.kind(passed.callee, at: position)
          }
        }
        let isSecret =
          !isNumber && calls.takesSecret(callee, at: frame.position, path[...], value, frame.given)
        return isSecret ? calls.kind(callee, at: frame.position) : nil
      case .block:
        guard !isWords, frame.targets.indices.contains(frame.position) else { return nil }
        let name = frame.targets[frame.position]
        // In `{ email = …, password = … }` only some fields are secret, in `{ ada = …, bob = … }` all are.
        guard path.allSatisfy({ $0 == nil }) || SecretNames.isNameOfSecrets(name) else {
          return nil
        }
        return isSecret(value, isNumber: isNumber, under: name) ? SecretNames.kind(of: name) : nil
      }
    }
    return nil
  }

  /// The names of tables with selectors or labels of form fields.
  private static let tablesOfWords = [
    "selectors", "selector", "locators", "locator", "labels", "placeholders", "captions",
    "messages",
    "texts", "translations",
  ]

  /// Whether a table or assignment contains selectors or labels, under the names of their fields.
  private func isAboutWords(_ frame: Frame) -> Bool {
    let names: [String]
    switch frame.kind {
    case .table: names = [frame.key].compactMap(\.self)
    case .block where frame.targets.indices.contains(frame.position):
      names = [frame.targets[frame.position]]
    default: return false
    }
    return names.contains { name in
      let name = name.lowercased()
      return Self.tablesOfWords.contains { name.hasSuffix($0) }
    }
  }

  /// Whether a value is a secret because of its name; most numbers are counts.
  private func isSecret(_ value: String, isNumber: Bool, under name: String) -> Bool {
    guard isNumber ? SecretNames.mayHoldNumber(name) : !StringShape.isSelector(value) else {
      return false
    }
    return SecretNames.isSecret(value, inVariable: name)
  }

  /// The name of a secret's variable that the literal is compared with.
  private func comparedName(_ index: Int, _ value: String, isNumber: Bool) -> String? {
    func name(_ word: String) -> String? {
      isSecret(value, isNumber: isNumber, under: word) ? word : nil
    }
    func isSign(_ index: Int) -> Bool {
      tokens.indices.contains(index) && (tokens[index].is("==") || tokens[index].is("~="))
    }
    if isSign(index - 1), index > 1, tokens[index - 2].kind == .name {
      return name(tokens[index - 2].word)
    }
    guard isSign(index + 1) else { return nil }
    var last = index + 2
    while last + 2 < tokens.count, tokens[last + 1].is("."), tokens[last + 2].kind == .name {
      last += 2
    }
    guard last < tokens.count, tokens[last].kind == .name else { return nil }
    return name(tokens[last].word)
  }

  private func isComparison(_ frame: Frame) -> Bool {
    let name = frame.callee?.name.lowercased() ?? ""
    return ["equal", "same"].contains { name.contains($0) }
  }

  /// Whether the argument ends with this name, as in `f(person.password, …)`.
  private func isWholeArgument(_ index: Int) -> Bool {
    index + 1 < tokens.count && (tokens[index + 1].is(",") || tokens[index + 1].is(")"))
  }

  /// Whether a name is a code of `Auth.ErrorCode`, such as `ErrorCode.missingPassword`.
  private func isErrorCode(_ index: Int) -> Bool {
    index > 1 && tokens[index - 1].is(".") && tokens[index - 2].word == "ErrorCode"
  }

  // MARK: Tokens

  private func isOperand(_ index: Int) -> Bool {
    guard tokens.indices.contains(index) else { return false }
    let token = tokens[index]
    switch token.kind {
    case .name, .string, .number, .broken: return true
    case .keyword: return ["end", "nil", "true", "false"].contains(token.word)
    case .symbol: return [")", "]", "}", "..."].contains(token.word)
    case .comment: return false
    }
  }

  /// Whether arguments after a token would call the expression that ends with it.
  private func isCallable(_ index: Int) -> Bool {
    guard tokens.indices.contains(index) else { return false }
    let token = tokens[index]
    return token.kind == .name || token.is(")") || token.is("]")
  }
}
