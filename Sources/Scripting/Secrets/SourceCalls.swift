import Encoding
import IdentityToolkit
import Lua

/// Says of the calls in Lua source which arguments are secrets.
struct SourceCalls {
  /// A function as it is called.
  struct Callee: Equatable {
    let name: String
    /// What stands before its dot or colon.
    let owner: String?
    let isMethod: Bool
  }

  /// What the arguments before one were.
  struct Given {
    private(set) var hasEmail = false
    private(set) var hasProvider = false

    /// Notes a string among the arguments.
    mutating func add(_ value: String) {
      if isEmail(value) { hasEmail = true }
      if isProvider(value) { hasProvider = true }
    }
  }

  private typealias Function = SecretParameters.Function

  /// What gives its argument back in some form.
  private static let passing: Set<String> = [
    "format", "rep", "concat", "tostring", "upper", "lower", "sub", "gsub", "assert", "reverse",
    "pack", "char", "ipairs", "pairs", "select", "unpack",
  ]

  private let tokens: [LuaToken]
  private let text: (LuaToken) -> String
  private let table: SecretParameters?
  /// The functions that the source itself declares.
  private var own: [String: Function] = [:]
  /// Other names that it gives to functions: `local signIn = auth.signIn`.
  private var aliases: [String: Callee] = [:]
  /// The names that it gives to modules: `local codes = require "luath.totp"`.
  private var modules: [String: String] = [:]

  /// What mistyped names mean: to find out takes a comparison with every name.
  private final class Corrected {
    var functions: [String: [Function]] = [:]
  }
  private let corrected = Corrected()

  /// - Parameters:
  ///   - tokens: Without comments.
  ///   - text: What stands at a token.
  init(_ tokens: [LuaToken], text: @escaping (LuaToken) -> String) {
    self.tokens = tokens
    self.text = text
    table = SecretParameters.shared
    for index in tokens.indices {
      if tokens[index].is("function") { readFunction(index) }
      if tokens[index].is("=") { readAlias(index) }
    }
  }

  /// The function whose arguments begin at a token; nil for the result of an expression.
  func callee(before index: Int) -> Callee? {
    guard index > 0, tokens[index - 1].kind == .name else { return nil }
    let name = tokens[index - 1].word
    guard index > 2, tokens[index - 2].is(".") || tokens[index - 2].is(":") else {
      return aliases[name] ?? Callee(name: name, owner: nil, isMethod: false)
    }
    let owner = tokens[index - 3]
    let named = owner.kind == .name ? modules[owner.word] ?? owner.word : nil
    return Callee(
      name: name, owner: named ?? required(endingAt: index - 3) ?? "",
      isMethod: tokens[index - 2].is(":"))
  }

  /// `totp` of `require "luath.totp"` and `require("luath.totp")`.
  private func required(endingAt end: Int) -> String? {
    let literal = tokens[end].is(")") ? end - 1 : end
    let start = tokens[end].is(")") ? end - 3 : end - 1
    guard start >= 0, tokens[literal].kind == .string, tokens[start].word == "require" else {
      return nil
    }
    let module = SourceSecrets.values(of: text(tokens[literal])).first ?? ""
    return module.split(separator: ".").last.map(String.init)
  }

  /// Whether a function gives its arguments back, so that they are what its result is.
  func passesOn(_ callee: Callee) -> Bool {
    Self.passing.contains(callee.name) && own[callee.name] == nil
  }

  /// Whether a string is a secret that is given to a function.
  ///
  /// - Parameters:
  ///   - position: Counted from 0, as it is written.
  ///   - path: The keys of the tables around it inside of the argument, nil for an item.
  func takesSecret(
    _ callee: Callee, at position: Int, _ path: ArraySlice<String?>, _ value: String, _ given: Given
  ) -> Bool {
    guard table != nil else { return true }
    let candidates = candidates(callee)
    guard candidates.contains(where: \.takesSecrets) else { return false }
    var isText = false
    var secrets = 0
    for function in candidates {
      let isExact = function.isMethod == callee.isMethod
      // `auth.signIn(auth, …)` has the object as an argument.
      let place = function.isMethod && !callee.isMethod ? position - 1 : position
      guard function.places.indices.contains(place) else { continue }
      let found = function.places[place]
      if found.isSecret(at: path) { secrets += 1 }
      if isExact, path.isEmpty, found.isText, !found.isSecret { isText = true }
    }
    if secrets == candidates.count { return true }
    if secrets > 0 { return !isEmail(value) && !isProviderID(value) }
    guard path.allSatisfy({ $0 == nil }), !isText else { return false }
    // It is given where no string belongs, as the password in `auth:signIn("a@b", "…")`.
    if given.hasProvider || isProvider(value) || isData(value) { return false }
    return given.hasEmail || !isEmail(value)
  }

  /// Whether a function of this name takes secrets, so that nothing beside it is safe to show.
  func takesSecrets(_ name: String) -> Bool {
    candidates(Callee(name: name, owner: nil, isMethod: false)).contains(where: \.takesSecrets)
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
    // A short name may be that of anything, unless a method is called by it.
    if SecretParameters.isTelling(callee.name) { return named }
    return callee.isMethod && callee.owner != "" ? named.filter(\.isMethod) : []
  }

  private func mistyped(_ name: String, in table: SecretParameters) -> [Function] {
    // Names of other things, such as functions of Lua's, are mostly shorter than these.
    guard name.utf8.count >= 5, let near = nearestName(to: name, among: table.longNames),
      let functions = table.functions[near]
    else { return [] }
    // A word such as `check` begins a name, and is none yet.
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
    let places = names.map { SecretPlace(isSecret: SecretNames.isNameOfSecret($0)) }
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

  /// Whether a token behind a name makes the two one expression.
  private static func goesOn(_ token: LuaToken) -> Bool {
    token.kind == .string || token.kind == .symbol && ![",", ";", ")", "}"].contains(token.word)
  }
}

/// Whether a text can be an e-mail address.
private func isEmail(_ value: String) -> Bool {
  value.wholeMatch(of: /[^\s@]+@[^\s@]+/) != nil
}

/// Whether a text is an address, a form or JSON, whose fields have names of their own.
private func isData(_ value: String) -> Bool {
  value.hasPrefix("{") || value.hasPrefix("[") || value.contains("://")
    || value.prefixMatch(of: /\w+=/) != nil
}

/// Whether a text is the id of a provider, and hardly a password: `microsoft.com`, `oidc.corp`.
private func isProviderID(_ value: String) -> Bool {
  value.wholeMatch(of: /[a-z]+\.com|(?:oidc|saml)\.[\w.\-]+/) != nil
}

/// Whether a text is the id of a provider or the name of a sign-in method.
private func isProvider(_ value: String) -> Bool {
  value.wholeMatch(of: /password|phone|emailLink|[a-z]+\.[\w.\-]+/) != nil
}
