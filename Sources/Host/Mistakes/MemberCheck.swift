import Lua
import System

/// Finds calls in a script that would fail when they run, for `luath check`: members that luath does not have, methods
/// called with a dot, and callbacks of calls that wait.
///
/// A local variable counts if it is assigned once, at its declaration, from luath's modules, classes and properties. What `pcall` or a check for errors calls may fail on purpose, and is left out.
struct MemberCheck {
  /// What an expression holds.
  private enum Kind {
    /// A module of luath, or a table in it: `luath.auth` and `OAuthProvider`.
    case module(String, [String])
    case object(LuaClass, [Declaration])
    case result
    /// A class or type that this check does not know.
    case other
  }

  private struct Mistake: Error {
    let message: String
    let hint: String?
    let token: LuaToken
  }

  private let bytes: [UInt8]
  private let tokens: [LuaToken]
  private let surface: Surface
  /// Reads a member of a module: its type, "nil", or the error that reading it raises.
  private let read: (String, [String]) -> (type: String, message: String?)
  private var kinds: [String: Kind] = [:]
  /// The end of the brackets of each `(` and `{`, by token.
  private let closes: [Int: Int]
  /// The tokens whose innermost bracket is a `{`.
  private let inTable: Set<Int>

  init(
    _ source: [UInt8], _ surface: Surface,
    read: @escaping (String, [String]) -> (type: String, message: String?)
  ) {
    bytes = source
    tokens = LuaLexer.tokens(of: String(decoding: source, as: UTF8.self)).filter {
      $0.kind != .comment
    }
    self.surface = surface
    self.read = read
    var (open, closes): ([Int], [Int: Int]) = ([], [:])
    var inTable: Set<Int> = []
    for (index, token) in tokens.enumerated() {
      if let last = open.last, tokens[last].is("{") { inTable.insert(index) }
      if token.is("(") || token.is("{") || token.is("[") { open.append(index) }
      if token.is(")") || token.is("}") || token.is("]"), let start = open.popLast() {
        closes[start] = index
      }
    }
    self.closes = closes
    self.inTable = inTable
  }

  /// The first mistake: its message, its hint, and the position and the word that it is about.
  mutating func first() -> (message: String, hint: String?, position: Int, word: String)? {
    let once = declaredOnce
    var tried = 0
    var index = 0
    while index < tokens.count {
      defer { index += 1 }
      if isTrying(index), let end = closes[index + 1] { tried = max(tried, end) }
      guard tokens[index].kind == .name, index == 0 || !isSuffix(index - 1) else { continue }
      do {
        let (kind, end) = try chain(index, isChecked: index > tried)
        if index > 1, isEnd(end), tokens[index - 1].is("="), tokens[index - 2].kind == .name,
          once.contains(tokens[index - 2].word)
        {
          kinds[tokens[index - 2].word] = kind
        }
      } catch let mistake as Mistake {
        let position = mistake.token.range.lowerBound
        return (mistake.message, mistake.hint, position, text(mistake.token))
      } catch {
        continue
      }
    }
    return nil
  }

  // MARK: Names

  /// The local variables that nothing else in the file assigns or declares.
  private var declaredOnce: Set<String> {
    var counts: [String: Int] = [:]
    for index in tokens.indices where tokens[index].kind == .name {
      let name = tokens[index].word
      let next = index + 1 < tokens.count ? tokens[index + 1] : nil
      let isField = index > 0 && isSuffix(index - 1)
      guard !isField else { continue }
      if index > 0,
        tokens[index - 1].is("local") || tokens[index - 1].is("for")
          || tokens[index - 1].is("function")
      {
        // `local a, b = …` may hold anything.
        counts[name, default: 0] += next?.is("=") == true && tokens[index - 1].is("local") ? 1 : 2
      } else if next?.is("=") == true || next?.is(",") == true
        || index > 0 && tokens[index - 1].is(",")
      {
        if isParameterOrTarget(index) { counts[name, default: 0] += 2 }
      } else if isParameterOrTarget(index) {
        counts[name, default: 0] += 2
      }
    }
    return Set(counts.filter { $0.value == 1 }.keys)
  }

  /// Whether a name is a parameter, or is assigned to by a statement.
  private func isParameterOrTarget(_ index: Int) -> Bool {
    var start = index
    while start > 1, tokens[start - 1].is(","), tokens[start - 2].kind == .name { start -= 2 }
    guard start > 0 else { return index + 1 < tokens.count && tokens[index + 1].is("=") }
    if tokens[start - 1].is("(") {
      // `function(a, b)` or `function f(a, b)`.
      var before = start - 2
      while before >= 0,
        tokens[before].kind == .name || tokens[before].is(".") || tokens[before].is(":")
      { before -= 1 }
      return before >= 0 && tokens[before].is("function")
    }
    var end = index
    while end + 2 < tokens.count, tokens[end + 1].is(","), tokens[end + 2].kind == .name {
      end += 2
    }
    let isAssigned = end + 1 < tokens.count && (tokens[end + 1].is("=") || tokens[end + 1].is("in"))
    return isAssigned && !isInTable(index) && !tokens[start - 1].is("local")
  }

  /// Whether `name =` is a field of a table.
  private func isInTable(_ index: Int) -> Bool {
    let before = index > 0 ? tokens[index - 1] : nil
    return before?.is("{") == true
      || (before?.is(",") == true || before?.is(";") == true) && inTable.contains(index)
  }

  private func isSuffix(_ index: Int) -> Bool { tokens[index].is(".") || tokens[index].is(":") }

  /// Functions whose arguments may fail on purpose.
  private static let trying: Set<String> = [
    "pcall", "xpcall", "try", "raises", "fails", "error", "errors", "has_error", "has_errors",
    "error_matches",
    "refuses",
  ]

  private func isTrying(_ index: Int) -> Bool {
    index + 1 < tokens.count && tokens[index].kind == .name && tokens[index + 1].is("(")
      && Self.trying.contains(tokens[index].word)
  }

  private func text(_ token: LuaToken) -> String {
    String(decoding: bytes[token.range], as: UTF8.self)
  }

  private func source(_ range: Range<Int>) -> String {
    guard !range.isEmpty else { return "" }
    return String(
      decoding: bytes[
        tokens[range.lowerBound].range.lowerBound..<tokens[range.upperBound - 1].range.upperBound],
      as: UTF8.self)
  }

  /// Whether an expression ends before a token.
  private func isEnd(_ index: Int) -> Bool {
    guard index < tokens.count else { return true }
    let token = tokens[index]
    return token.kind == .name || token.is(";")
      || token.kind == .keyword && !["and", "or"].contains(token.word)
  }

  // MARK: Expressions

  /// What the expression that begins with a name holds, and the token after it.
  private func chain(_ start: Int, isChecked: Bool) throws -> (kind: Kind, end: Int) {
    var at = start + 1
    var kind = kinds[tokens[start].word] ?? .other
    if tokens[start].word == "require", let (module, end) = required(start) {
      if isChecked, end == start + 2 || tokens[start + 1].is("(") { try check(module, start) }
      // Scripts add members to modules of the library, such as checks to luath.expect.
      kind = Surface.moduleNames.contains(module) ? .module(module, []) : .other
      at = end
    }
    while at < tokens.count {
      if case .other = kind { break }
      if isSuffix(at), at + 1 < tokens.count, tokens[at + 1].kind == .name {
        kind = try member(kind, at, start, isChecked)
        at += 2
        if isCallStart(at) {
          at = end(ofCall: at)
        }
      } else if isCallStart(at) {
        kind = called(kind)
        at = end(ofCall: at)
      } else {
        break
      }
    }
    return (kind, at)
  }

  private func isCallStart(_ index: Int) -> Bool {
    index < tokens.count
      && (tokens[index].is("(") || tokens[index].is("{") || tokens[index].kind == .string)
  }

  private func end(ofCall index: Int) -> Int {
    tokens[index].kind == .string ? index + 1 : (closes[index] ?? tokens.count - 1) + 1
  }

  /// The module of `require "name"` and `require("name")`.
  private func required(_ start: Int) -> (String, Int)? {
    let hasParenthesis =
      start + 3 < tokens.count && tokens[start + 1].is("(") && tokens[start + 3].is(")")
    let literal = hasParenthesis ? start + 2 : start + 1
    guard literal < tokens.count, tokens[literal].kind == .string else { return nil }
    let name = text(tokens[literal]).dropFirst().dropLast()
    return (String(name), hasParenthesis ? start + 4 : start + 2)
  }

  private func check(_ module: String, _ start: Int) throws {
    guard module.hasPrefix("luath."), read(module, []).type == "none" else { return }
    let near = Surface.module(meantBy: module)
    throw Mistake(
      message: "luath has no module '\(module.printable)'",
      hint: near.map { "did you mean '\($0)'?" },
      token: tokens[tokens[start + 1].is("(") ? start + 2 : start + 1])
  }

  /// What a member holds, or what it returns if it is called.
  private func member(_ owner: Kind, _ at: Int, _ start: Int, _ isChecked: Bool) throws -> Kind {
    let token = tokens[at + 1]
    let isCall = isCallStart(at + 2)
    let isAssigned = at + 2 < tokens.count && tokens[at + 2].is("=")
    switch owner {
    case .module(let module, let path):
      if isChecked, !isAssigned { try check(module, path + [token.word], token, isCall: isCall) }
      guard isCall else { return .module(module, path + [token.word]) }
      if tokens[at].is(":") {
        guard isChecked, read(module, path + [token.word]).type == "function" else { return .other }
        throw Mistake(
          message: "\(token.word) is a function of \(module), which is called with a dot",
          hint: "write \(source(start..<at)).\(token.word)"
            + source(at + 2..<end(ofCall: at + 2)).firstLine,
          token: token)
      }
      return called(.module(module, path + [token.word]))
    case .object(let type, let methods):
      if let method = methods.first(where: { $0.name == token.word }) {
        guard isCall else { return .other }
        if isChecked { try check(method, type, at, start) }
        return kind(method.returns)
      }
      if let property = type.properties.first(where: { $0.name == token.word }) {
        return isCall ? .other : property.kind.classes.first.map(object) ?? .other
      }
      guard isChecked, !isAssigned else { return .other }
      let names = methods.map(\.name) + type.properties.map(\.name)
      throw Mistake(
        message: "\(type.name) has no field '\(token.word)'",
        hint: type.advice[token.word]
          ?? nearestName(to: token.word, among: names).map { "did you mean '\($0)'?" },
        token: token)
    case .result:
      if isChecked, !isAssigned, let advice = AuthRecord.result.advice(for: token.word) {
        throw Mistake(message: advice, hint: nil, token: token)
      }
      let type = surface.module("luath.auth")?.classes.first {
        $0.type.name.lowercased() == token.word.lowercased()
      }
      return type.map { .object($0.type, $0.methods) } ?? .other
    case .other: return .other
    }
  }

  private func check(_ module: String, _ path: [String], _ token: LuaToken, isCall: Bool) throws {
    let found = read(module, path)
    if let message = found.message { throw Mistake(message: message, hint: nil, token: token) }
    guard isCall, found.type == "nil" else { return }
    let owner = ([module] + path.dropLast()).joined(separator: ".")
    let names = surface.module(module)?.declarations.map(\.name) ?? []
    throw Mistake(
      message: "\(owner) has no '\(token.word)'",
      hint: nearestName(to: token.word, among: names).map { "did you mean '\($0)'?" }, token: token)
  }

  /// Checks the call of a method whose `.` or `:` is at a token.
  private func check(_ method: Declaration, _ type: LuaClass, _ at: Int, _ start: Int) throws {
    let open = at + 2
    let object = source(start..<at)
    if tokens[at].is(".") {
      // `auth.signIn(auth, credential)` is right.
      let first = tokens[open].is("(") && open + 1 < tokens.count ? text(tokens[open + 1]) : ""
      guard first != text(tokens[start]) else { return }
      throw Mistake(
        message: "\(method.name) is a method of \(type.name), which is called with a colon",
        hint: "write \(object):\(method.name)\(source(open..<end(ofCall: open)).firstLine)",
        token: tokens[at + 1])
    }
    guard method.waits, tokens[open].is("("), let close = closes[open],
      let function = callback(of: method, in: open + 1..<close)
    else { return }
    throw Mistake(
      message: "luath has no callbacks: \(method.name) waits and returns its result",
      hint: nil,
      token: tokens[function])
  }

  /// The function among the arguments that the method takes no function for.
  private func callback(of method: Declaration, in arguments: Range<Int>) -> Int? {
    var position = 0
    var index = arguments.lowerBound
    while index < arguments.upperBound {
      let token = tokens[index]
      if token.is("("), let close = closes[index] {
        index = close
      } else if token.is("{"), let close = closes[index] {
        index = close
      } else if token.is(",") {
        position += 1
      } else if token.is("function") {
        let isDelegate =
          method.parameters.indices.contains(position)
          && takesFunction(method.parameters[position].kind)
        return !isDelegate || isCompletion(index) ? index : nil
      }
      index += 1
    }
    return nil
  }

  private func takesFunction(_ kind: LuaParameter.Kind) -> Bool {
    switch kind {
    case .function, .any: true
    case .either(let kinds): kinds.contains(where: takesFunction)
    default: false
    }
  }

  /// Whether a function has the parameters of a completion closure, not of a delegate.
  private func isCompletion(_ index: Int) -> Bool {
    guard index + 1 < tokens.count, let close = closes[index + 1] else { return false }
    let names = tokens[(index + 2)..<close].filter { $0.kind == .name }.map(\.word)
    return names.count > 1 || names.first.map(LuaCall.resultNames.contains) == true
  }

  // MARK: Results

  private func object(_ type: LuaClass) -> Kind {
    let known = surface.module("luath.auth")?.classes.first { $0.type === type }
    return known.map { .object($0.type, $0.methods) } ?? .other
  }

  private func called(_ kind: Kind) -> Kind {
    guard case .module("luath.auth", let path) = kind else { return .other }
    if path.isEmpty { return self.kind("Auth") }
    if path.count == 1, ProviderConstructors.withPages.contains(path[0]) {
      return self.kind("OAuthProvider")
    }
    let declaration = surface.module("luath.auth")?.declarations.first {
      $0.name == path.joined(separator: ".")
    }
    return self.kind(declaration?.returns ?? "")
  }

  /// What a function returns, by the words of its declaration.
  private func kind(_ returns: String) -> Kind {
    if returns == "the result of signIn" || returns.hasPrefix("a table with user,") {
      return .result
    }
    let type = surface.module("luath.auth")?.classes.first { $0.type.name == returns }
    return type.map { .object($0.type, $0.methods) } ?? .other
  }
}

extension String {
  /// The first line, with the bracket that the rest would close.
  fileprivate var firstLine: String {
    guard let end = firstIndex(of: "\n") else { return self }
    return "\(self[..<end]) …"
  }
}
