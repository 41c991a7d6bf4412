public import Lua

/// One script function: what help, checks and references are made from, and the function itself.
public struct Declaration {
  /// Its name without module or class.
  public let name: String
  /// How to call it: `auth:signIn(credential [, delegate])`.
  public let usage: String
  /// What it does, in one sentence.
  public let summary: String
  /// What it gives back, in words.
  public let returns: String
  /// Whether the call waits, and lets other tasks go on meanwhile.
  public let waits: Bool
  /// Its arguments, without the object of a method.
  public let parameters: [LuaParameter]
  /// The name of the same function that is written today, when this is an older spelling.
  public var current: String?
  let function: LuaFunction
}

/// The members of a module or of a class, as they are declared.
struct Declarations {
  let interpreter: Interpreter
  /// `json` for functions, `auth` for methods: what stands before the name in usages.
  let owner: String
  /// The class, for methods.
  let type: LuaClass?
  private(set) var list: [Declaration] = []

  init(_ interpreter: Interpreter, owner: String, type: LuaClass? = nil) {
    self.interpreter = interpreter
    self.owner = owner
    self.type = type
  }

  /// Declares a function that ends before it returns.
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

  /// Declares a function that waits: `make` reads the arguments and gives the work.
  mutating func wait(
    _ name: String, _ summary: String, _ parameters: [LuaParameter] = [], variadic: Bool = false,
    returns: String = "", make: @escaping (LuaCall) throws(LuaError) -> Effect
  ) {
    wait(name, summary, parameters, variadic: variadic, returns: returns) {
      (call) throws(LuaError) -> Wait in .effect(try make(call))
    }
  }

  /// Declares a function that waits: `make` reads the arguments and says for what.
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

  /// The members, for a table or a class.
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
