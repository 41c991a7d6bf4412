import Client
import Lua

enum MultiFactorResolverClass {
  static func declare(_ interpreter: Interpreter) -> [Declaration] {
    let type = interpreter.classes.multiFactorResolver
    type.properties = [
      .computed("hints", .list(.table), "One table for each factor that can finish it.") { call in
        let hints = call.object(1, as: MultiFactorResolver.self)?.hints ?? []
        call.push(.list(hints.map(MultiFactorBridge.value)))
        return .results(1)
      },
      .computed(
        "session", .object(interpreter.classes.multiFactorSession),
        "What to ask for a telephone's code with."
      ) { [unowned interpreter] call in
        let session = call.object(1, as: MultiFactorResolver.self)?.session
        call.push(session.map { .object(interpreter.classes.multiFactorSession, $0) } ?? .nil)
        return .results(1)
      },
      .computed(
        "auth", .object(interpreter.classes.auth), optional: true,
        "The Auth that was asked to sign in."
      ) { [unowned interpreter] call in
        let auth = call.object(1, as: MultiFactorResolver.self)?.auth
        call.push(auth.map { .object(interpreter.classes.auth, $0) } ?? .nil)
        return .results(1)
      },
    ]
    type.describe = { object in
      (object as? MultiFactorResolver).map { "MultiFactorResolver(\($0.hints.count) hints)" }
        ?? "MultiFactorResolver"
    }
    var methods = Declarations(interpreter, owner: "resolver", type: type)
    methods.wait(
      "resolveSignIn", "Finishes what asked for a second factor; a wrong code may be tried again.",
      [LuaParameter("assertion", .object(interpreter.classes.multiFactorAssertion))],
      returns: "what the first factor alone would have given"
    ) { [unowned interpreter] call throws(LuaError) in
      let resolver = call.object(1, as: MultiFactorResolver.self)
      let assertion = call.object(2, as: MultiFactorAssertion.self)
      return { () async throws(LuaError) in
        guard let resolver, let assertion else { return [] }
        return try await interpreter.auth { () async throws(AuthError) in
          [interpreter.value(try await resolver.resolveSignIn(with: assertion))]
        }
      }
    }
    type.methods = methods.members
    return methods.list
  }
}
