import Client
import System
import IdentityToolkit
import Lua

enum AuthModule {
  static func delegate(_ interpreter: Interpreter) -> LuaParameter {
    LuaParameter(
      "delegate", .either([.object(interpreter.classes.delegate), .function]), optional: true,
      "how to show the page: an object of luath.ui, or a function from request to final address")
  }

  static func make(_ interpreter: Interpreter) -> Module {
    let provider = ProviderClass.declare(interpreter)
    let user = UserClass.declare(interpreter)
    let auth = AuthClass.declare(interpreter)
    let phone = PhoneProviderClass.declare(interpreter)
    let functions = self.functions(interpreter)
    let members = fields(interpreter, functions) + free(auth: auth, user: user)
    registerMetatables(interpreter, auth: auth, user: user)
    let classes = interpreter.classes
    for type in [
      classes.auth, classes.credential, classes.phoneProvider, classes.provider, classes.user,
    ] {
      spell(type)
    }
    for function in interpreter.constructors + (auth + user + provider).map(\.function) {
      Spellings.shared.label(function)
    }
    return Module(
      "luath.auth", "Firebase Auth's primitives.", functions.list,
      classes: [
        (interpreter.classes.auth, auth), (interpreter.classes.user, user),
        (interpreter.classes.provider, provider),
        (interpreter.classes.profileChange, ProfileChangeClass.declare(interpreter)),
        (interpreter.classes.credential, []),
        (interpreter.classes.phoneProvider, phone),
        (interpreter.classes.multiFactor, MultiFactorClass.declare(interpreter)),
        (interpreter.classes.multiFactorSession, []),
        (interpreter.classes.multiFactorAssertion, []),
        (interpreter.classes.multiFactorResolver, MultiFactorResolverClass.declare(interpreter)),
        (interpreter.classes.totpSecret, TOTPSecretClass.declare(interpreter)),
        (interpreter.classes.listener, []),
        (interpreter.classes.browserState, BrowserStateClass.declare(interpreter)),
      ],
      fields: members, others: Spellings.shared.others, metatable: "luath.auth")
  }

  /// Adds the other SDKs' names of a class's properties, and the advice for names that it does not have.
  private static func spell(_ type: LuaClass) {
    type.properties += Spellings.shared.properties(of: type.name).map { old, current in
      guard let property = type.properties.first(where: { $0.name == current }) else {
        preconditionFailure("spellings.lua names \(type.name).\(current), which is not declared")
      }
      return property.spelled(old)
    }
    type.advice = Spellings.shared.absentFields(of: type.name)
  }

  /// The JavaScript SDK's functions, which receive the Auth or the user as their first argument.
  private static func free(
    auth: [Declaration], user: [Declaration]
  ) -> [(String, LuaValue)] {
    Spellings.shared.functions.map { name, owner, method in
      guard
        let known = (owner == "Auth" ? auth : user).first(where: { $0.name == method })
      else { preconditionFailure("spellings.lua names \(owner).\(method), which is not declared") }
      return (name, .function(known.function))
    }
  }

  private static func functions(_ interpreter: Interpreter) -> Declarations {
    var auth = Declarations(interpreter, owner: "Auth")
    auth.add(
      "auth", "The Auth of the run's target; always the same one. Another target's with options.",
      [
        LuaParameter(
          "options",
          .options([LuaParameter("target", .string, optional: true, "a name of the project file")]),
          optional: true)
      ], returns: "Auth"
    ) { [unowned interpreter] call throws(LuaError) in
      let name = call.isTable(1) ? call.field(1, "target") { $0.string($1) } : nil
      call.push(interpreter.classes.auth, try interpreter.auth(target: name))
      return .results(1)
    }
    sessions(&auth, interpreter)
    MultiFactorGenerators.declare(in: &auth, interpreter)
    ActionCodeFunctions.declare(&auth)
    createError(&auth, interpreter)
    return auth
  }

  private static func fields(
    _ interpreter: Interpreter, _ functions: Declarations
  ) -> [(String, LuaValue)] {
    let codes = ErrorCode.allCases.map { ($0.rawValue, LuaValue.string($0.rawValue)) }
    let errorCode = LuaValue.pushed { call in
      call.push(.record(codes))
      call.useMetatable("luath.ErrorCode")
    }
    let own =
      [
        ("ErrorCode", errorCode), ("AuthErrorCode", errorCode),
        ActionCodeFunctions.operations,
        ("AuthProviderID", ProviderIDs.table(interpreter)),
      ] + ProviderConstructors.fields(interpreter)
    let known = functions.list.map { ($0.name, LuaValue.function($0.function)) } + own
    let spelled = Spellings.shared.members.map { old, current in
      guard let member = known.first(where: { $0.0 == current }) else {
        preconditionFailure("spellings.lua names \(current), which luath.auth does not have")
      }
      return (old, member.1)
    }
    let tables = Spellings.idTables.map { name in
      (
        name,
        LuaValue.pushed { call in
          call.push(
            .record(Spellings.shared.constants(of: name).map { ($0.key, .string($0.value)) }))
          call.useMetatable("luath.\(name)")
        }
      )
    }
    let ids = Spellings.shared.ids.map { ($0.name, LuaValue.string($0.value)) }
    let factors = ["PhoneMultiFactorGenerator", "TOTPMultiFactorGenerator"].flatMap { name in
      Spellings.shared.constants(of: name).map { ("\(name).\($0.key)", LuaValue.string($0.value)) }
    }
    return own + spelled + tables + ids + factors
      + Spellings.shared.constants.map { ($0.key, .string($0.value)) }
      + Spellings.shared.fields.map { ProviderConstructors.reader("Auth.\($0.name)", $0) }
  }

  /// What to do instead of reading a name from the module's table, for names of other SDKs and of methods.
  private static func advice(auth: [Declaration], user: [Declaration]) -> [String: String] {
    var advice = Spellings.shared.absent
    for (object, methods) in [("auth", auth), ("user", user)] {
      for method in methods where advice[method.name] == nil {
        advice[method.name] =
          "write \(object):\(method.name)(…), where \(object) is "
          + (object == "auth" ? "Auth.auth()" : "Auth.auth().currentUser")
      }
    }
    return advice
  }

  private static func registerMetatables(
    _ interpreter: Interpreter, auth: [Declaration], user: [Declaration]
  ) {
    // `Auth()` of the guides is `Auth.auth()`.
    let make = LuaFunction(
      usage: "Auth()", parameters: [LuaParameter("self", .table)], callsTable: true
    ) { [unowned interpreter] call in
      call.push(interpreter.classes.auth, interpreter.defaultAuth)
      return .results(1)
    }
    interpreter.lua.registerMetatable(
      "luath.auth",
      [
        ("__call", .function(make)),
        (
          "__index",
          .function(
            missing(
              "luath.auth",
              memberNames + Spellings.shared.functions.map(\.name)
                + Spellings.shared.ids.map(\.name) + Spellings.idTables, objectiveC,
              advice: advice(auth: auth, user: user)))
        ),
      ])
    // Without this, a misspelled code would be nil, and comparisons with it always false.
    let codes = ErrorCode.allCases.map(\.rawValue)
    interpreter.lua.registerMetatable(
      "luath.ErrorCode", [("__index", .function(missing("Auth.ErrorCode", codes)))])
    for name in Spellings.idTables {
      let names = Spellings.shared.constants(of: name).map(\.key)
      interpreter.lua.registerMetatable(
        "luath.\(name)", [("__index", .function(missing("Auth.\(name)", names)))])
    }
    ActionCodeFunctions.register(in: interpreter.lua)
    AuthRecord.register(in: interpreter.lua)
    interpreter.lua.registerMetatable(
      "luath.AuthProviderID",
      [("__index", .function(missing("Auth.AuthProviderID", ProviderIDs.memberNames)))])
  }

  private static let memberNames = [
    "auth", "session", "load", "OAuthProvider", "EmailAuthProvider", "GoogleAuthProvider",
    "FacebookAuthProvider", "GitHubAuthProvider", "TwitterAuthProvider", "ErrorCode",
    "EmailAuthProviderID", "PhoneAuthProvider", "PhoneMultiFactorGenerator",
    "TOTPMultiFactorGenerator", "ActionCodeURL", "ActionCodeOperation", "AuthProviderID",
    "createError",
  ]

  /// The error codes by their names in Objective-C, in lower case: Apple writes `APIKey`, luath `apiKey`.
  private static let objectiveC = Dictionary(
    uniqueKeysWithValues: ErrorCode.allCases.map {
      ("firautherrorcode\($0.rawValue.lowercased())", $0.rawValue)
    })

  /// A function for `__index` that raises an error for a name that is not there.
  ///
  /// - Parameters:
  ///   - others: Further members, by their names in lower case.
  ///   - advice: What to do in place of using some names.
  static func missing(
    _ owner: String, _ names: [String], _ others: [String: String] = [:],
    advice: [String: String] = [:]
  ) -> LuaFunction {
    LuaFunction(
      usage: owner, parameters: [LuaParameter("self", .table), LuaParameter("name", .any)]
    ) { call throws(LuaError) in
      let name = call.string(2) ?? ""
      if let other = others[name.lowercased()] {
        call.push(other)
        return .results(1)
      }
      let guess = nearestName(to: name, among: names).map { "; did you mean '\($0)'?" }
      let all = names.count < 12 ? "; its members: \(names.joined(separator: ", "))" : ""
      let end = advice[name].map { "; \($0)" } ?? guess ?? all
      throw .message("\(owner) has no '\(name.printable)'\(end)")
    }
  }
}

extension Interpreter {
  /// The Auth of the run's target.
  var defaultAuth: Auth {
    if let known = auths[""] { return known }
    return keep(makeAuth(context.target), as: "")
  }

  /// Keeps an Auth until the end of the script, and with it its listeners, which are stored with its Lua value.
  private func keep(_ auth: Auth, as name: String) -> Auth {
    auths[name] = auth
    keptAuths[name] = lua.makeReference(.object(classes.auth, auth))
    return auth
  }

  func makeAuth(_ target: Target) -> Auth {
    Auth(target: target, transport: transport(to: target), clock: clock)
  }

  /// The Auth of a target, by its name in the project file.
  func auth(target name: String?) throws(LuaError) -> Auth {
    guard let name else { return defaultAuth }
    if let known = auths[name] { return known }
    let target = try target(named: name)
    return keep(makeAuth(target), as: name)
  }

  func value(_ result: AuthResult) -> LuaValue {
    var info: [(String, LuaValue)] = []
    if let additional = result.additionalUserInfo {
      info = [
        ("providerID", .string(additional.providerID)),
        ("isNewUser", .boolean(additional.isNewUser)),
        ("profile", JSONBridge.value(.object(additional.profile), self)),
        ("username", .string(ifAny: additional.username)),
      ]
    }
    return AuthRecord.result.table([
      ("user", .object(classes.user, result.user)),
      ("additionalUserInfo", info.isEmpty ? .nil : AuthRecord.additionalUserInfo.table(info)),
      ("credential", result.credential.map { .object(classes.credential, $0) } ?? .nil),
    ])
  }
}
