import Client
import IdentityToolkit
import Lua
import System

extension Interpreter {
  func luaError(_ error: AuthError) -> LuaError {
    var fields: [(String, LuaValue)] = [
      ("code", .string(error.code.rawValue)), ("rawValue", .integer(Int64(error.code.number))),
      ("name", .string(error.code.name)), ("webCode", .string(error.code.webCode)),
      ("message", .string(error.message.printable)),
      ("hint", .string((context.projectFile?.hint(for: error) ?? error.hint).printable)),
      ("serverName", .string(ifAny: error.serverName)), ("email", .string(ifAny: error.email)),
      ("verifiedProviders", list(error.verifiedProviders)),
    ]
    signInWarnings.note(error)
    if let credential = error.pendingCredential {
      fields.append(("pendingCredential", .object(classes.credential, credential)))
    }
    if let resolver = error.resolver {
      fields.append(("resolver", .object(classes.multiFactorResolver, resolver)))
    }
    if let place = error.place { fields.append(("where", .string(place))) }
    if let details = error.details { fields.append(("details", JSONBridge.value(details, self))) }
    return .object(fields)
  }

  /// Runs work of Auth and converts its errors.
  func auth(_ work: () async throws(AuthError) -> [LuaValue]) async throws(LuaError) -> [LuaValue] {
    do throws(AuthError) {
      return try await work()
    } catch {
      throw luaError(error)
    }
  }

  /// Runs synchronous work of Auth and converts its errors.
  func checked<Value>(_ work: () throws(AuthError) -> Value) throws(LuaError) -> Value {
    do throws(AuthError) {
      return try work()
    } catch {
      throw luaError(error)
    }
  }

  /// A list of strings with the method `contains`.
  func list(_ strings: [String]) -> LuaValue {
    ListMetatable.list(strings.map(LuaValue.string))
  }
}

/// The metatable of lists that the host returns.
enum ListMetatable {
  static let name = "luath.List"

  /// A list with this metatable.
  static func list(_ items: [LuaValue]) -> LuaValue {
    .pushed { call in
      call.push(.list(items))
      call.useMetatable(name)
    }
  }

  static func register(in lua: LuaState) {
    let contains = LuaFunction(
      usage: "list:contains(value)",
      parameters: [LuaParameter("self", .table), LuaParameter("value", .string)]
    ) { call in
      call.push(call.strings(1).contains { $0.utf8.elementsEqual((call.string(2) ?? "").utf8) })
      return .results(1)
    }
    let missing = LuaFunction(
      usage: "list", parameters: [LuaParameter("self", .table), LuaParameter("key", .any)]
    ) { call throws(LuaError) in
      if call.integer(2) == 0 {
        throw .message("a list has no item 0; its first item is list[1]")
      }
      guard call.isString(2), let name = call.string(2) else { return .results(0) }
      if let advice = Spellings.shared.absentFields(of: "list")[name] {
        throw .message("a list has no field '\(name)'; \(advice)")
      }
      guard Spellings.shared.lists[name] == "contains" else { return .results(0) }
      call.push(.function(contains))
      return .results(1)
    }
    lua.registerMetatable("luath.List.methods", [("__index", .function(missing))])
    lua.registerMetatable(
      name,
      [
        ("__name", .string("list")),
        (
          "__index",
          .pushed { call in
            call.push(.record([("contains", .function(contains))]))
            call.useMetatable("luath.List.methods")
          }
        ),
      ])
  }
}

enum ErrorMetatable {
  static let name = "luath.Error"

  /// The fields of errors, which are nil where they do not apply.
  private static let fields = [
    "code", "rawValue", "name", "webCode", "message", "hint", "serverName", "email",
    "verifiedProviders", "pendingCredential", "resolver", "details",
  ]

  /// The field that a name probably means.
  ///
  /// Errors of other modules have more fields, and a script may add its own, so only small differences count.
  private static func misspelled(_ name: String) -> String? {
    guard !fields.contains(name), name.utf8.count >= 4,
      let near = nearestName(to: name, among: fields + Spellings.shared.errors.keys.sorted())
    else { return nil }
    let (wanted, given) = (Array(near.lowercased().utf8), Array(name.lowercased().utf8))
    let start = zip(wanted, given).prefix { $0 == $1 }.count
    let end = zip(wanted.reversed(), given.reversed()).prefix { $0 == $1 }.count
    // One letter is missing, added or another, or two are exchanged.
    let isNear =
      abs(wanted.count - given.count) <= 1 && start + end + 2 >= max(wanted.count, given.count)
    return isNear && start > 0 ? near : nil
  }

  static func register(in lua: LuaState) {
    let describe = LuaFunction(
      usage: "tostring(err)", parameters: [LuaParameter("self", .table)], variadic: true
    ) { call in
      func text(_ name: String) -> String? { call.field(1, name) { $0.string($1) } }
      var words = text("message") ?? "an error"
      if let code = text("code") { words = "\(code): \(words)" }
      if let place = text("where") { words = "\(place): \(words)" }
      if let hint = text("hint"), !hint.isEmpty { words += " (\(hint))" }
      call.push(words)
      return .results(1)
    }
    let field = LuaFunction(
      usage: "error", parameters: [LuaParameter("self", .table), LuaParameter("name", .any)]
    ) { call throws(LuaError) in
      guard call.isString(2), let name = call.string(2) else { return .results(0) }
      guard let field = Spellings.shared.errors[name] else {
        if let advice = Spellings.shared.absentFields(of: "AuthError")[name] {
          throw .message("the error has no field '\(name)'; \(advice)")
        }
        if let near = misspelled(name) {
          throw .message("the error has no field '\(name.printable)'; did you mean '\(near)'?")
        }
        return .results(0)
      }
      // The SDKs' table of further values is the error itself.
      call.push(field.isEmpty ? call.reference(1) : call.field(1, field) { $0.reference($1) })
      return .results(1)
    }
    lua.registerMetatable(
      name,
      [
        ("__name", .string(name)), ("__tostring", .function(describe)),
        ("__index", .function(field)),
      ])
  }
}

extension AuthModule {
  static func createError(_ auth: inout Declarations, _ interpreter: Interpreter) {
    auth.add(
      "createError", "An error as luath.auth raises it, for a script to raise itself.",
      [
        LuaParameter("code", .string, "a name of Auth.ErrorCode"),
        LuaParameter("message", .string, optional: true),
        LuaParameter("hint", .string, optional: true, "what to do, in one sentence"),
      ], returns: "a table to pass to error"
    ) { [unowned interpreter] call throws(LuaError) in
      guard let code = ErrorCode(rawValue: call.string(1) ?? "") else {
        throw .message("bad argument #1 to 'createError' (a name of Auth.ErrorCode expected)")
      }
      guard
        case .object(let fields) = interpreter.luaError(
          AuthError(code, call.string(2), hint: call.string(3)))
      else { preconditionFailure("errors of Auth are objects") }
      call.push(.record(fields))
      call.useMetatable(ErrorMetatable.name)
      return .results(1)
    }
  }
}
