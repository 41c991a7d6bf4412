import Client
import Lua

/// The class of `user.multiFactor`: holds the user, and has the members for second factors.
enum MultiFactorClass {
  static func declare(_ interpreter: Interpreter) -> [Declaration] {
    let type = interpreter.classes.multiFactor
    type.properties = [
      .computed("enrolledFactors", .list(.table), "One table for each second factor.") { call in
        let factors = call.object(1, as: User.self)?.enrolledFactors ?? []
        call.push(.list(factors.map(MultiFactorBridge.value)))
        return .results(1)
      }
    ]
    type.describe = { object in
      (object as? User).map { "MultiFactor(\($0.enrolledFactors.count) factors)" } ?? "MultiFactor"
    }
    var methods = Declarations(interpreter, owner: "multiFactor", type: type)
    methods.wait(
      "getSession", "What to ask for a code or a secret with, to enrol a factor.",
      returns: "MultiFactorSession"
    ) { [unowned interpreter] call throws(LuaError) in
      interpreter.userEffect(call) { user throws(AuthError) in
        [.object(interpreter.classes.multiFactorSession, try await user.multiFactor.session())]
      }
    }
    methods.wait(
      "enroll", "Adds a second factor, which every later sign-in asks for.",
      [
        LuaParameter("assertion", .object(interpreter.classes.multiFactorAssertion)),
        LuaParameter("displayName", .string, optional: true),
      ]
    ) { [unowned interpreter] call throws(LuaError) in
      let (assertion, name) = (call.object(2, as: MultiFactorAssertion.self), call.string(3))
      return interpreter.userEffect(call) { user throws(AuthError) in
        guard let assertion else { return [] }
        try await user.multiFactor.enroll(with: assertion, displayName: name)
        return []
      }
    }
    methods.wait(
      "unenroll", "Takes a second factor away; needs a recent sign-in.",
      [MultiFactorBridge.factor("factor")]
    ) { [unowned interpreter] call throws(LuaError) in
      let uid = try MultiFactorBridge.factorUID(call, 2, of: "unenroll")
      return interpreter.userEffect(call) { user throws(AuthError) in
        try await user.multiFactor.unenroll(factorUID: uid)
        return []
      }
    }
    type.methods = methods.members
    return methods.list
  }

  static func property(_ interpreter: Interpreter) -> LuaClass.Property {
    .computed(
      "multiFactor", .object(interpreter.classes.multiFactor), optional: true,
      "The second factors, and what changes them."
    ) { [unowned interpreter] call in
      call.push(
        call.object(1, as: User.self).map { .object(interpreter.classes.multiFactor, $0) } ?? .nil)
      return .results(1)
    }
  }
}
