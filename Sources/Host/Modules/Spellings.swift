import IdentityToolkit
import Lua
import System

/// The tables `stdlib/luath/spellings.lua` and `absent.lua`: names of Firebase's SDKs, and what to write in place of others.
public struct Spellings: Sendable {
  /// The table of the library in the binary, read on first use.
  public static let shared = Spellings()

  /// The labels by usage, such as `auth:signIn`: the name, with the argument's position or the option.
  private let labels: [String: [(name: String, argument: Int, option: String?)]]
  /// The JavaScript SDK's functions, each with the class and the method.
  let functions: [(name: String, owner: String, method: String)]
  /// The functions that return a field of their argument, each with the class and the field.
  let fields: [(name: String, owner: String, method: String)]
  /// Such functions of each provider.
  let providerFields: [(name: String, owner: String, method: String)]
  /// What to do instead, for names that `luath.auth` does not have.
  let absent: [String: String]
  private let table: JSON
  /// The table of names that luath does not have.
  private let missing: JSON

  private init() {
    (table, missing) = (Self.read("spellings"), Self.read("absent"))
    labels = Dictionary(
      uniqueKeysWithValues: Self.members(table["labels"]).map { usage, group in
        let labels = Self.members(group).map { name, place in
          (
            name: name, argument: Int((place.integer ?? place[0]?.integer) ?? 1),
            option: place.string ?? place[1]?.string
          )
        }
        return (usage, labels.sorted { ($0.argument, $0.name) < ($1.argument, $1.name) })
      })
    errors = Self.names(table["errors"])
    lists = Self.names(table["methods"]?["list"])
    functions = Self.pairs(table["functions"])
    fields = Self.pairs(table["fields"])
    providerFields = Self.pairs(table["fields"]?["providers"])
    absent = Self.names(missing["members"])
  }

  private static func read(_ name: String) -> JSON {
    guard let text = Stdlib.text(of: "luath.\(name)"),
      let table = try? ProjectScript.evaluate(Array(text.utf8), name: "luath/\(name).lua")
    else { preconditionFailure("stdlib/luath/\(name).lua is missing or no table of texts") }
    return table
  }

  /// The members of a table that are lists of two texts.
  private static func pairs(_ value: JSON?) -> [(name: String, owner: String, method: String)] {
    members(value).compactMap { name, value in
      guard let owner = value[0]?.string, let method = value[1]?.string else { return nil }
      return (name, owner, method)
    }
  }

  /// The members of a table, ordered by name.
  private static func members(_ value: JSON?) -> [(key: String, value: JSON)] {
    (value?.object?.entries ?? []).map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
  }

  private static func names(_ value: JSON?) -> [String: String] {
    Dictionary(uniqueKeysWithValues: members(value).map { ($0.key, $0.value.string ?? "") })
  }

  private func texts(_ path: String...) -> [(key: String, value: String)] {
    var value: JSON? = table
    for key in path { value = value?[key] }
    return Self.members(value).compactMap { key, text in text.string.map { (key, $0) } }
  }

  /// The other names of a class's methods, with the current ones.
  func methods(of type: String) -> [(old: String, current: String)] {
    texts("methods", type).map { ($0.key, $0.value) }
  }

  /// The other names of a provider's constructors, with the current ones; "" is the call of the provider.
  func constructors(of provider: String) -> [(old: String, current: String)] {
    texts("constructors", provider).map { ($0.key, $0.value) }
  }

  /// The other names of an error's fields, with the fields; "" is the error itself.
  let errors: [String: String]
  /// The other names of the methods of lists.
  let lists: [String: String]

  /// The other names of members of `luath.auth`, with the current ones.
  var members: [(old: String, current: String)] { texts("members").map { ($0.key, $0.value) } }

  /// The keys of an error's further values in `luath.auth`, and the fields that they name.
  var constants: [(key: String, value: String)] { texts("constants") }

  /// The ids of providers and sign-in methods in `luath.auth`.
  var ids: [(name: String, value: String)] {
    texts("ids").flatMap { [($0.key, $0.value), ("FIR\($0.key)", $0.value)] }
  }

  /// Such ids in a table of `luath.auth`.
  func constants(of owner: String) -> [(key: String, value: String)] { texts("tables", owner) }

  /// The tables of `luath.auth` that only hold such ids.
  static let idTables = ["FactorId", "ProviderId", "SignInMethod"]

  /// Whether a global of the SDKs is a member of `luath.auth` that is no function.
  func isConstant(_ name: String) -> Bool {
    Self.idTables.contains(name) || constants.contains { $0.key == name }
      || ids.contains { $0.name == name }
  }

  /// The other names of the properties of a class, with the current ones.
  func properties(of type: String) -> [(old: String, current: String)] {
    texts("properties", type).map { ($0.key, $0.value) }
  }

  /// The other name's field of a table that `luath.auth` returns.
  func field(_ name: String, of record: String) -> String? {
    table["records"]?[record]?[name]?.string
  }

  /// What to do instead, for fields that a class or table of `luath.auth` does not have.
  func absentFields(of type: String) -> [String: String] {
    Self.names(missing["fields"]?[type])
  }

  /// The line to write in place of a global.
  func line(forGlobal name: String) -> String? { missing["globals"]?[name]?.string }

  /// What to do in place of using a name of Firebase's SDKs that luath does not have; nil for other names.
  public func advice(forName name: String) -> String? {
    absent[name] ?? line(forGlobal: name).map { "write \($0)" }
  }

  /// The names of the labels of a function, by its usage; empty for a function without.
  public func labelNames(ofUsage usage: String) -> [String] {
    labels(ofUsage: usage).map(\.name)
  }

  /// The labels of a function, by its usage: the name, with the argument's position or the option.
  public func labels(
    ofUsage usage: String
  ) -> [(name: String, argument: Int, option: String?)] {
    let called = String(usage.prefix { $0 != "(" })
    let short = called.hasPrefix("Auth.") ? String(called.dropFirst("Auth.".count)) : called
    return labels[called] ?? labels[short] ?? []
  }

  /// The other names of an error's fields, with the fields; "" is the error itself.
  public var errorFields: [(name: String, field: String)] {
    errors.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
  }

  /// The SDKs' constants for keys of an error's `userInfo`, with the fields.
  public var errorKeys: [(key: String, value: String)] {
    constants.filter { $0.key.hasPrefix("AuthErrorUserInfo") }
  }

  /// The other names of the methods of lists, with the current ones.
  public var listMethods: [(name: String, method: String)] {
    lists.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
  }

  /// The JavaScript SDK's functions for a method, as they are called.
  public func functionNames(of type: String, _ method: String) -> [String] {
    functions.filter { $0.owner == type && $0.method == method }
      .map { "Auth.\($0.name)(\(type.lowercased()), …)" }
  }

  /// Declares the labels of a function.
  func label(_ function: LuaFunction) {
    let usage = String(function.usage.prefix { $0 != "(" && $0 != "{" })
    let offset = function.parameters.first?.name == "self" ? 1 : 0
    function.labels = (labels[usage] ?? []).map {
      LuaLabel($0.name, argument: $0.argument + offset, option: $0.option)
    }
  }
}

/// Another SDK's name for a member of a module.
public struct OtherName: Sendable {
  /// The name within the module: `linkWithPopup`, `EmailAuthProvider.credentialWithEmail`.
  public let name: String
  /// What it stands for: a member of the module, or `User:link` of a class.
  public let current: String
  /// Whether it is a function.
  public let isFunction: Bool
}

extension Spellings {
  /// The other names in the table of `luath.auth`, besides those with declarations.
  var others: [OtherName] {
    var others = [OtherName(name: "AuthErrorCode", current: "ErrorCode", isFunction: false)]
    others += members.map { OtherName(name: $0.old, current: $0.current, isFunction: true) }
    others += fields.map {
      OtherName(name: $0.name, current: "\($0.owner).\($0.method)", isFunction: true)
    }
    others += constants.map {
      OtherName(name: $0.key, current: "AuthError.\($0.value)", isFunction: false)
    }
    others += ids.filter { $0.name != "EmailAuthProviderID" }.map {
      OtherName(name: $0.name, current: "AuthProviderID", isFunction: false)
    }
    others += functions.map {
      OtherName(name: $0.name, current: "\($0.owner):\($0.method)", isFunction: true)
    }
    for owner in Self.idTables + ["PhoneMultiFactorGenerator", "TOTPMultiFactorGenerator"] {
      others += constants(of: owner).map {
        OtherName(name: "\(owner).\($0.key)", current: "AuthProviderID", isFunction: false)
      }
    }
    for provider in ProviderConstructors.all {
      others += constructors(of: provider).map { old, current in
        OtherName(
          name: "\(provider).\(old)",
          current: current.isEmpty ? provider : "\(provider).\(current)", isFunction: true)
      }
      others += constants(of: provider).map { name, value in
        OtherName(name: "\(provider).\(name)", current: provider, isFunction: false)
      }
      others += providerFields.map {
        OtherName(
          name: "\(provider).\($0.name)", current: "\($0.owner).\($0.method)", isFunction: true)
      }
    }
    return others
  }
}

/// What to write in place of an argument that a function refuses.
enum ArgumentAdvice {
  /// The advice for an argument, by its position; nil if there is none.
  static func text(_ function: LuaFunction, _ call: LuaCall, _ index: Int) -> String? {
    let usage = function.usage
    if function.waits, call.isScriptFunction(index) { return callback(usage) }
    if index > function.parameters.count, call.isScriptFunction(index), usage.hasSuffix("()") {
      return "luath has no callbacks; write \(usage)"
    }
    if index == 1, function.parameters.first?.name == "self", usage.contains(":") {
      return "write \(usage.prefix { $0 != "(" })(…), with a colon"
    }
    let name = usage.prefix { $0 != "(" }
    let provider = ProviderConstructors.all.first { call.hasMetatable(index, "luath.\($0)") }
    if provider != nil || call.hasMetatable(index, "luath.auth"), !usage.contains(":") {
      return "write \(name.hasPrefix("Auth") ? "" : "Auth.")\(name)(…), with a dot"
    }
    if let provider, ProviderConstructors.withPages.contains(provider) {
      let id = provider == "OAuthProvider" ? "\"microsoft.com\"" : ""
      return "write \(name)(Auth.\(provider)(\(id)))"
    }
    guard index <= function.parameters.count, let text = call.string(index),
      function.parameters[index - 1].kind.classes.contains(where: { $0.name == "OAuthProvider" })
    else { return nil }
    // Above the arguments is the message so far.
    let isPair = call.count > index + 1 && call.isString(index + 1)
    if name == "auth:signIn", text == "password" || text.contains("@") || isPair {
      return "write \(name){ email = email, password = password }"
    }
    guard StringShape.isProviderID(text) else { return nil }
    return "write \(name)(Auth.OAuthProvider(\"\(text)\"))"
  }

  /// The advice for a completion closure that is passed to a function that waits.
  static func callback(_ usage: String) -> String {
    // The usage without optional arguments, which a completion often follows.
    let line = usage.replacing(/\ ?\[.*?\]/, with: "").replacing("(proof", with: "(credential")
    return
      "luath has no callbacks: the call waits and returns its result; write local result = \(line)"
  }
}

extension LuaCall {
  /// Whether the argument is a function that has the parameters of a completion closure, not of a delegate.
  func isCompletion(_ index: Int) -> Bool {
    guard isScriptFunction(index) else { return false }
    let names = parameterNames(index)
    return names.count > 1 || names.first.map(Self.resultNames.contains) == true
  }

  /// What completion closures call their results.
  static let resultNames: Set = [
    "credential", "cred", "result", "authResult", "user", "error", "err", "data",
  ]
}
