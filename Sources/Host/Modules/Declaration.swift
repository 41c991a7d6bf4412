import Client
public import Lua

/// The declaration of a script function: the data for help, checks and reference, and the function itself.
public struct Declaration {
  /// The name without module or class.
  public let name: String
  /// The form of a call: `auth:signIn(credential [, delegate])`.
  public let usage: String
  /// One sentence about it.
  public let summary: String
  /// The results, in words.
  public let returns: String
  /// Whether the call waits, so that other tasks run meanwhile.
  public let waits: Bool
  /// The parameters, without the object of a method.
  public let parameters: [LuaParameter]
  /// The current name, if this is an older spelling.
  public var current: String?
  let function: LuaFunction
}

/// Collects the declarations of a module's or class's members.
struct Declarations {
  let interpreter: Interpreter
  /// The name before the function's in usages: `json` for functions, `auth` for methods.
  let owner: String
  let type: LuaClass?
  private(set) var list: [Declaration] = []

  init(_ interpreter: Interpreter, owner: String, type: LuaClass? = nil) {
    self.interpreter = interpreter
    self.owner = owner
    self.type = type
  }

  /// Declares a function that does not wait.
  mutating func add(
    _ name: String, _ summary: String, _ parameters: [LuaParameter] = [], variadic: Bool = false,
    returns: String = "", body: @escaping LuaFunction.Body
  ) {
    let usage = usage(name, parameters, variadic)
    let function = LuaFunction(
      usage: usage, parameters: own + parameters, variadic: variadic, body: body)
    list.append(
      Declaration(
        name: name, usage: usage, summary: summary, returns: returns, waits: false,
        parameters: parameters, function: function))
  }

  /// Declares a function that waits: `make` reads the arguments and returns the effect to run.
  mutating func wait(
    _ name: String, _ summary: String, _ parameters: [LuaParameter] = [], variadic: Bool = false,
    returns: String = "", make: @escaping (LuaCall) throws(LuaError) -> Effect
  ) {
    wait(name, summary, parameters, variadic: variadic, returns: returns) {
      (call) throws(LuaError) -> Wait in .effect(try make(call))
    }
  }

  /// Declares a function that waits: `make` reads the arguments and returns what to wait for.
  mutating func wait(
    _ name: String, _ summary: String, _ parameters: [LuaParameter] = [], variadic: Bool = false,
    returns: String = "", for make: @escaping (LuaCall) throws(LuaError) -> Wait
  ) {
    let usage = usage(name, parameters, variadic)
    let interpreter = interpreter
    let function = LuaFunction(
      usage: usage, parameters: own + parameters, variadic: variadic,
      finish: { [unowned interpreter] call throws(LuaError) in try interpreter.finish(call) },
      body: { [unowned interpreter] call throws(LuaError) in
        interpreter.begin(try make(call))
        return .waits
      })
    list.append(
      Declaration(
        name: name, usage: usage, summary: summary, returns: returns, waits: true,
        parameters: parameters, function: function))
  }

  /// Declares other spellings of a member; each is the same function.
  mutating func alias(_ spellings: [(old: String, current: String)]) {
    for (old, current) in spellings {
      guard let known = list.first(where: { $0.name == current }) else {
        preconditionFailure("the alias \(old) names \(current), which is not declared")
      }
      list.append(
        Declaration(
          name: old, usage: known.usage, summary: "An older spelling of \(current).",
          returns: known.returns, waits: known.waits, parameters: known.parameters,
          current: current, function: known.function))
    }
  }

  /// Declares a function of another SDK that does what `current`, a property, does here.
  mutating func add(
    _ name: String, for current: String, _ parameters: [LuaParameter],
    body: @escaping LuaFunction.Body
  ) {
    add(name, "An older spelling of \(current).", parameters, body: body)
    list[list.count - 1].current = current
  }

  var members: [(name: String, function: LuaFunction)] { list.map { ($0.name, $0.function) } }

  private var own: [LuaParameter] { type.map { [LuaParameter("self", .object($0))] } ?? [] }

  private func usage(_ name: String, _ parameters: [LuaParameter], _ variadic: Bool) -> String {
    var words = ""
    for (index, parameter) in parameters.enumerated() {
      let comma = index == 0 ? "" : ", "
      words += parameter.optional ? " [\(comma)\(parameter.name)]" : comma + parameter.name
    }
    if variadic { words += words.isEmpty ? "..." : ", ..." }
    if words.hasPrefix(" ") { words.removeFirst() }
    return "\(owner)\(type == nil ? "." : ":")\(name)(\(words))"
  }
}

/// The classes of one interpreter; not shared, as their members capture the interpreter.
final class Classes {
  let null: LuaClass
  let task = LuaClass("Task", "A function that runs beside its caller.")
  let response = LuaClass("HTTPResponse", "The response to a request.")
  let delegate = LuaClass("UIDelegate", "A way to show sign-in pages.")
  let auth = LuaClass(
    "Auth", "The client of one project, with its signed-in user.", keepsIdentity: true)
  let browserState = LuaClass(
    "BrowserState", "What web apps of signed-in users keep in a browser.")
  let listener = LuaClass("AuthListener", "A function that is called with the signed-in user.")
  let user = LuaClass("User", "A signed-in account.")
  let provider = LuaClass("OAuthProvider", "An identity provider by its id.")
  let profileChange = LuaClass(
    "UserProfileChangeRequest", "A change of name and picture, which commitChanges sends.")
  let credential: LuaClass
  let admin = LuaClass("Admin", "The administrator of one project or tenant.")
  let phoneProvider = LuaClass("PhoneAuthProvider", "Sends SMS codes to phone numbers.")
  let multiFactor = LuaClass("MultiFactor", "The second factors of a user.")
  let multiFactorSession = LuaClass(
    "MultiFactorSession", "What a code or secret is asked for with.")
  let multiFactorAssertion = LuaClass("MultiFactorAssertion", "The proof of a second factor.")
  let multiFactorResolver = LuaClass(
    "MultiFactorResolver", "What finishes a sign-in that asked for a second factor.")
  let totpSecret = LuaClass("TOTPSecret", "A secret to share with an authenticator app.")
  let adminList = LuaClass("AdminList", "Items that the backend returns page by page.")
  let oidcClient = LuaClass("OIDCClient", "A client of one OpenID provider.")
  let oidcFlow = LuaClass("OIDCFlow", "One sign-in at an OpenID provider, until its response.")
  let oidcTokens = LuaClass("OIDCTokens", "The tokens of an OpenID provider for one user.")
  let oidcDevice = LuaClass("OIDCDevice", "A sign-in that is finished on another device.")

  let process = LuaClass("Process", "A program that the script has started.")
  let server = LuaClass("Server", "An HTTP server of the script.")
  let page = LuaClass("Page", "A page in a browser, driven over WebDriver.")
  let pageElement = LuaClass("PageElement", "An element of a page, which each verb finds again.")

  init() {
    null = LuaClass(JSONBridge.nullName, "JSON's null.")
    null.describe = { _ in "null" }
    delegate.describe = { ($0 as? DelegateBox)?.words ?? "delegate" }
    multiFactorSession.describe = { _ in "MultiFactorSession" }
    multiFactorAssertion.describe = { object in
      (object as? MultiFactorAssertion).map { "MultiFactorAssertion(\($0.factorID))" }
        ?? "MultiFactorAssertion"
    }
    credential = CredentialClass.make()
  }

  /// Removes all members to break their reference cycles with the classes; call it when no script runs any more.
  func dissolve() {
    for type in [
      null, task, response, delegate, auth, browserState, listener, user, provider, profileChange,
      credential,
      admin,
      phoneProvider, multiFactor, multiFactorSession, multiFactorAssertion, multiFactorResolver,
      totpSecret, adminList, oidcClient, oidcFlow, oidcTokens, oidcDevice, process, server, page,
      pageElement,
    ] {
      type.methods = []
      type.close = nil
      type.properties = []
    }
  }
}

/// A module of the host that scripts require.
public final class Module {
  /// The name that scripts require: `luath.json`.
  public let name: String
  /// The purpose, in one sentence.
  public let summary: String
  /// Its functions.
  public let declarations: [Declaration]
  /// Names of other SDKs for its members, which have no declarations.
  public let others: [OtherName]
  /// The classes of the module, with their methods.
  public let classes: [(type: LuaClass, methods: [Declaration])]
  let value: LuaValue

  /// Creates a module whose value is a table of its functions and other fields.
  ///
  /// A name with a dot is a member of a table: `TOTPMultiFactorGenerator.generateSecret`.
  init(
    _ name: String, _ summary: String, _ declarations: [Declaration],
    classes: [(type: LuaClass, methods: [Declaration])] = [], fields: [(String, LuaValue)] = [],
    others: [OtherName] = [], metatable: String? = nil
  ) {
    self.others = others
    self.name = name
    self.summary = summary
    self.declarations = declarations
    self.classes = classes
    let members = Self.members(
      declarations.map { ($0.name, .function($0.function)) } + fields)
    value = .pushed { call in
      call.push(.record(members))
      if let metatable { call.useMetatable(metatable) }
    }
  }

  private static func members(_ named: [(String, LuaValue)]) -> [(String, LuaValue)] {
    var members: [(String, LuaValue)] = []
    var tables: [(name: String, members: [(String, LuaValue)])] = []
    for (name, value) in named {
      let words = name.split(separator: ".", maxSplits: 1).map(String.init)
      if words.count == 1 {
        members.append((name, value))
      } else if let known = tables.firstIndex(where: { $0.name == words[0] }) {
        tables[known].members.append((words[1], value))
      } else {
        tables.append((words[0], [(words[1], value)]))
      }
    }
    return members + tables.map { ($0.name, .record($0.members)) }
  }
}
