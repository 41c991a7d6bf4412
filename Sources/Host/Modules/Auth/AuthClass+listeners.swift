import Client
import Lua

extension AuthClass {
  /// Declares the methods that add listeners, with the names of the Web SDK and the Apple SDK.
  static func listen(_ methods: inout Declarations, _ interpreter: Interpreter) {
    let function = LuaParameter("f", .function, "called with the user, or nil when nobody is in")
    let stop = LuaFunction(
      usage: "stop()", parameters: [LuaParameter("self", .object(interpreter.classes.listener))],
      callsTable: true
    ) { call in
      call.object(1, as: ScriptListener.self)?.stop(call)
      return .results(0)
    }
    for (name, summary, hearsTokens) in [
      (
        "onAuthStateChanged", "Tells a function who is signed in: now and whenever it changes.",
        false
      ),
      (
        "onIDTokenChanged",
        "Tells a function who is signed in: now, at each sign-in and sign-out, at each new token.",
        true
      ),
    ] {
      methods.add(name, summary, [function], returns: "a function that ends it") {
        [unowned interpreter] call in
        let made = ScriptListener.add(
          call, hearsTokens: hearsTokens, passesAuth: false, interpreter)
        if let made { call.push(stop, bound: .object(interpreter.classes.listener, made)) }
        return .results(1)
      }
    }
    methods.alias([(old: "onIdTokenChanged", current: "onIDTokenChanged")])
    appleNames(&methods, interpreter)
  }

  /// Declares the Apple SDK's methods, which pass the Auth before the user and remove listeners by handle.
  private static func appleNames(_ methods: inout Declarations, _ interpreter: Interpreter) {
    let function = LuaParameter("f", .function, "called with the Auth, and the user or nil")
    let handle = LuaParameter(
      "listener", .object(interpreter.classes.listener), "what add gave")
    for (kind, current, hearsTokens) in [
      ("StateDidChangeListener", "onAuthStateChanged", false),
      ("IDTokenDidChangeListener", "onIDTokenChanged", true),
    ] {
      methods.add(
        "add\(kind)", "\(current) as the Apple SDK has it.", [function], returns: "AuthListener"
      ) { [unowned interpreter] call in
        let made = ScriptListener.add(call, hearsTokens: hearsTokens, passesAuth: true, interpreter)
        if let made { call.push(interpreter.classes.listener, made) }
        return .results(1)
      }
      methods.add("remove\(kind)", "Ends what add\(kind) began.", [handle]) { call in
        call.object(2, as: ScriptListener.self)?.stop(call)
        return .results(0)
      }
    }
  }
}
