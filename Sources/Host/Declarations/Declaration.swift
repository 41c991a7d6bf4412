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
