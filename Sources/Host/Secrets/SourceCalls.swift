import System
import IdentityToolkit
import Lua

/// Determines which arguments of the calls in Lua source are secrets.
struct SourceCalls {
  /// The called function as written.
  struct Callee: Equatable {
    let name: String
    /// The name before the dot or colon.
    let owner: String?
    let isMethod: Bool
  }

  /// Facts about the arguments before the current one.
  struct Given {
    private(set) var hasEmail = false
    private(set) var hasProvider = false
    private(set) var count = 0

    mutating func add(_ value: String) {
      count += 1
      if StringShape.isEmail(value) { hasEmail = true }
      if StringShape.isProvider(value) { hasProvider = true }
    }
  }

  private typealias Function = SecretParameters.Function

  /// Functions whose result contains their argument in some form.
  private static let passing: Set<String> = [
    "format", "rep", "concat", "tostring", "upper", "lower", "sub", "gsub", "assert", "reverse",
    "pack", "char", "ipairs", "pairs", "select", "unpack",
  ]

  private let tokens: [LuaToken]
  private let text: (LuaToken) -> String
  private let table: SecretParameters?
  /// The functions that the source itself declares.
  private var own: [String: Function] = [:]
  /// Local names for functions: `local signIn = auth.signIn`.
  private var aliases: [String: Callee] = [:]
  /// Local names for modules: `local codes = require "luath.totp"`.
  private var modules: [String: String] = [:]

  /// A cache for mistyped names, as each look-up compares with every name.
  private final class Corrected {
    var functions: [String: [Function]] = [:]
  }
  private let corrected = Corrected()

  /// - Parameters:
  ///   - tokens: The tokens, without comments.
  ///   - text: Returns the source text of a token.
  init(_ tokens: [LuaToken], text: @escaping (LuaToken) -> String) {
    self.tokens = tokens
    self.text = text
    table = SecretParameters.shared
    for index in tokens.indices {
      if tokens[index].is("function") { readFunction(index) }
      if tokens[index].is("=") { readAlias(index) }
    }
  }

  /// The function whose arguments begin at a token; nil when it is the result of an expression.
  func callee(before index: Int) -> Callee? {
    guard index > 0 else { return nil }
    switch tokens[index - 1].kind {
    case .name: return named(endingAt: index - 1)
    case .symbol where tokens[index - 1].is("]"): return indexed(endingAt: index - 1)
    case .symbol where tokens[index - 1].is(")"): return grouped(endingAt: index - 1)
    default: return nil
    }
  }

  /// `signIn` in `signIn`, `auth.signIn` and `auth:signIn`.
  private func named(endingAt end: Int) -> Callee? {
    let name = tokens[end].word
    guard end > 1, tokens[end - 1].is(".") || tokens[end - 1].is(":") else {
      return aliases[name] ?? Callee(name: name, owner: nil, isMethod: false)
    }
    return Callee(
      name: name, owner: owner(endingAt: end - 2), isMethod: tokens[end - 1].is(":"))
  }

  /// `signIn` in `auth["signIn"]`.
  private func indexed(endingAt end: Int) -> Callee? {
    guard end > 2, tokens[end - 1].kind == .string, tokens[end - 2].is("["),
      let name = SourceSecrets.values(of: text(tokens[end - 1])).first
    else { return nil }
    return Callee(name: name, owner: owner(endingAt: end - 3), isMethod: false)
  }

  /// `signIn` in `(auth.signIn)`.
  private func grouped(endingAt end: Int) -> Callee? {
    guard end > 1, let callee = callee(before: end),
      let open = tokens[..<end].suffix(8).lastIndex(where: { $0.is("(") }),
      !tokens[open..<end].contains(where: { $0.is(",") })
    else { return nil }
    // `f(x)` is a call, whose result is unknown.
    let before = open > 0 ? tokens[open - 1] : nil
    let isCall = before.map { $0.kind == .name || $0.is(")") || $0.is("]") } ?? false
    return isCall ? nil : callee
  }

  private func owner(endingAt end: Int) -> String {
    let owner = tokens[end]
    let named = owner.kind == .name ? modules[owner.word] ?? owner.word : nil
    return named ?? required(endingAt: end) ?? ""
  }

  /// `totp` in `require "luath.totp"` and `require("luath.totp")`.
  private func required(endingAt end: Int) -> String? {
    let literal = tokens[end].is(")") ? end - 1 : end
    let start = tokens[end].is(")") ? end - 3 : end - 1
    guard start >= 0, tokens[literal].kind == .string, tokens[start].word == "require" else {
      return nil
    }
    let module = SourceSecrets.values(of: text(tokens[literal])).first ?? ""
    return module.split(separator: ".").last.map(String.init)
  }

  /// Whether a function returns its arguments, so that they count as its result.
  func passesOn(_ callee: Callee) -> Bool {
    Self.passing.contains(callee.name) && own[callee.name] == nil
  }

  /// Whether a string argument of a function is a secret.
  ///
  /// - Parameters:
  ///   - position: The index of the argument as written, from 0.
  ///   - path: The keys of the tables around the string within the argument; nil for an item.
  func takesSecret(
    _ callee: Callee, at position: Int, _ path: ArraySlice<String?>, _ value: String, _ given: Given
  ) -> Bool {
    guard table != nil else { return true }
    let candidates = candidates(callee)
    guard candidates.contains(where: \.takesSecrets) else {
      guard own[callee.name] == nil else { return false }
      return isSignIn(callee.name) && isGuessed(at: position, path, value, given)
        || path.isEmpty && isProof(callee.name, at: position)
          && isUndeclared(value, given)
    }
    var isOpen = false
    var secrets = 0
    for function in candidates {
      let verdict = verdict(function, callee, position, path)
      if verdict == .secret { secrets += 1 }
      if verdict == .open, !path.isEmpty || function.isMethod == callee.isMethod { isOpen = true }
    }
    if secrets == candidates.count { return true }
    if secrets > 0 { return !StringShape.isEmail(value) && !StringShape.isProviderID(value) }
    if isOpen || StringShape.isProvider(value) || StringShape.isData(value) { return false }
    if let key = path.last(where: { $0 != nil }).flatMap(\.self) {
      // A misspelled option, such as `pasword`.
      return !StringShape.isEmail(value) && !Self.isOpen(key) && isSure(callee, candidates)
    }
    // No string is declared here, as for the password in `auth:signIn("a@b", "…")`.
    return !given.hasProvider && (given.hasEmail || !StringShape.isEmail(value))
  }

  /// The kind of a secret argument, by the name of its parameter.
  func kind(_ callee: Callee, at position: Int) -> SecretKind {
    let kinds = candidates(callee).compactMap { function -> SecretKind? in
      // `auth.signIn(auth, …)` passes the object as an argument.
      let place = function.isMethod && !callee.isMethod ? position - 1 : position
      guard function.places.indices.contains(place), function.places[place].holdsSecrets else {
        return nil
      }
      return function.places[place].kind
    }
    return kinds.first { $0 != .secret } ?? .secret
  }

  private func verdict(
    _ function: Function, _ callee: Callee, _ position: Int, _ path: ArraySlice<String?>
  ) -> SecretPlace.Verdict {
    // `auth.signIn(auth, …)` passes the object as an argument, and `auth.signIn { … }` lacks it.
    let isShifted = function.isMethod && !callee.isMethod
    let places = isShifted ? path.isEmpty ? [position - 1] : [position - 1, position] : [position]
    let verdicts = places.filter(function.places.indices.contains).map {
      function.places[$0].verdict(at: path)
    }
    return verdicts.first { $0 == .secret } ?? verdicts.first { $0 == .open } ?? .undeclared
  }

  /// Whether a call is certainly one of the declared functions, and not another with the same short name.
  private func isSure(_ callee: Callee, _ candidates: [Function]) -> Bool {
    SecretParameters.isTelling(callee.name)
      || candidates.contains { $0.owner.lowercased() == (callee.owner ?? "").lowercased() }
  }

  // MARK: Functions that luath does not have

  private static let signIns = [
    "login", "logon", "signin", "signup", "authenticate", "createaccount",
  ]
  /// Common options of such functions that are not secret.
  private static let openOptions: Set<String> = [
    "email", "user", "username", "name", "login", "provider", "providerid", "method", "displayname",
    "uid", "id", "role", "locale", "tenant",
  ]

  private static func isOpen(_ option: String) -> Bool {
    openOptions.contains(option.lowercased().filter { $0 != "_" })
  }

  /// Whether a name is typical for a sign-in function, as in scripts for other libraries.
  func isSignIn(_ name: String) -> Bool {
    let plain = name.lowercased().filter { $0 != "_" }
    return Self.signIns.contains { plain.hasPrefix($0) || plain.hasSuffix($0) }
      || plain == "register" || plain.hasPrefix("registeruser")
  }

  /// Whether a function takes a credential object, so that a string there is probably meant as the password.
  ///
  /// Other libraries have functions named `link` too, but with a single string.
  private func isProof(_ name: String, at position: Int) -> Bool {
    name.hasPrefix("reauthenticate") || name.hasPrefix("link") && position > 0
  }

  /// Whether a string is neither an e-mail address, nor a provider ID, nor other plain data.
  private func isUndeclared(_ value: String, _ given: Given) -> Bool {
    !StringShape.isEmail(value) && !StringShape.isProvider(value) && !StringShape.isData(value)
      && !given.hasProvider
  }

  /// Whether an argument of such a function is probably a secret; the first argument names the user.
  private func isGuessed(
    at position: Int, _ path: ArraySlice<String?>, _ value: String, _ given: Given
  ) -> Bool {
    guard isUndeclared(value, given) else { return false }
    if let key = path.last.flatMap(\.self) {
      return !Self.isOpen(key)
    }
    return given.count > 0 || position > 0
  }

  /// Whether a function of this name takes secrets, so that its other arguments are not safe to show either.
  func takesSecrets(_ name: String) -> Bool {
    isSignIn(name)
      || candidates(Callee(name: name, owner: nil, isMethod: false)).contains(where: \.takesSecrets)
  }

  // MARK: Functions

  private func candidates(_ callee: Callee) -> [Function] {
    if let function = own[callee.name], callee.owner == nil || table?.functions[callee.name] == nil
    {
      return [function]
    }
    guard let table else { return [] }
    guard let named = table.functions[callee.name] else {
      if let known = corrected.functions[callee.name] { return known }
      let functions = mistyped(callee.name, in: table)
      corrected.functions[callee.name] = functions
      return functions
    }
    let owned = named.filter { $0.owner.lowercased() == (callee.owner ?? "").lowercased() }
    if !owned.isEmpty { return owned }
    // A short name may belong to anything, unless it is called as a method.
    if SecretParameters.isTelling(callee.name) { return named }
    return callee.isMethod && callee.owner != "" ? named.filter(\.isMethod) : []
  }

  private func mistyped(_ name: String, in table: SecretParameters) -> [Function] {
    // Most names of other functions, such as Lua's, are shorter.
    guard name.utf8.count >= 5, let near = nearestName(to: name, among: table.longNames),
      let functions = table.functions[near]
    else { return [] }
    // A short word such as `check` may only be the beginning of a name.
    return name.utf8.count >= 8 || near.utf8.count <= name.utf8.count + 2 ? functions : []
  }

  private mutating func readFunction(_ index: Int) {
    var position = index + 1
    var name: String?
    var isMethod = false
    while position < tokens.count, !tokens[position].is("(") {
      if tokens[position].is(":") { isMethod = true }
      guard tokens[position].kind == .name || tokens[position].is(".") || tokens[position].is(":")
      else { return }
      if tokens[position].kind == .name { name = tokens[position].word }
      position += 1
    }
    if name == nil, index > 1, tokens[index - 1].is("="), tokens[index - 2].kind == .name {
      name = tokens[index - 2].word
    }
    guard let name else { return }
    let rest = tokens[position...].dropFirst().prefix { !$0.is(")") }
    let names = rest.lazy.filter { $0.kind == .name }.map(\.word).prefix(20)
    let places = names.map { SecretPlace(isSecret: SecretNames.isNameOfSecret($0)).named($0) }
    own[name] = Function(owner: "", isMethod: isMethod, places: Array(places))
  }

  private mutating func readAlias(_ index: Int) {
    var end = index - 1
    if end >= 3, tokens[end].is(">"), tokens[end - 2].is("<") { end -= 3 }
    guard end >= 0, tokens[end].kind == .name else { return }
    if index + 1 < tokens.count, tokens[index + 1].word == "require" {
      let close = index + 2 < tokens.count && tokens[index + 2].is("(") ? index + 4 : index + 2
      let goesOn = close + 1 < tokens.count && tokens[close + 1].is(".")
      if close < tokens.count, !goesOn { modules[tokens[end].word] = required(endingAt: close) }
      return
    }
    var last = index + 1
    while last + 2 < tokens.count, tokens[last].kind == .name, tokens[last + 1].is("."),
      tokens[last + 2].kind == .name
    {
      last += 2
    }
    guard last > index + 1, last + 1 >= tokens.count || !Self.goesOn(tokens[last + 1]) else {
      return
    }
    aliases[tokens[end].word] = Callee(
      name: tokens[last].word, owner: tokens[last - 2].word, isMethod: false)
  }

  /// Whether a token after a name continues the expression.
  private static func goesOn(_ token: LuaToken) -> Bool {
    token.kind == .string || token.kind == .symbol && ![",", ";", ")", "}"].contains(token.word)
  }
}
