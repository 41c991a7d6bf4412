import IdentityToolkit
import Lua
import System

enum HostModule {
  static func make(_ interpreter: Interpreter) -> Module {
    var host = Declarations(interpreter, owner: "host")
    host.add(
      "secret", "Reads a secret from the environment; raises when it is not set.",
      [LuaParameter("name", .string, "the variable's name")], returns: "string"
    ) { [unowned interpreter] call throws(LuaError) in
      let name = call.string(1) ?? ""
      guard let value = interpreter.context.environment[name], !value.isEmpty else {
        throw .object([
          ("code", .string("missingSecret")),
          ("message", .string("the environment variable \(name) is not set")),
          ("hint", .string("set it before the run: \(name)=… luath run …")),
        ])
      }
      interpreter.mark(secret: value, isSetting: true)
      call.push(value)
      return .results(1)
    }
    host.add(
      "env", "Reads an environment variable.", [LuaParameter("name", .string)],
      returns: "string, or nil when it is not set"
    ) { [unowned interpreter] call in
      call.push(.string(ifAny: interpreter.context.environment[call.string(1) ?? ""]))
      return .results(1)
    }
    let target = interpreter.context.target
    return Module(
      "luath.host", "Facts about the program and its surroundings.", host.list,
      fields: [
        ("version", .string(Version.current)),
        ("projectID", .string(target.projectID)),
        ("isEmulated", .boolean(target.isEmulated)),
      ])
  }
}
