import Encoding
import IdentityToolkit
import Lua

extension Interpreter {
  /// The target by the project file's name for it.
  func target(named name: String) throws(LuaError) -> Target {
    if let variable = context.missingVariables[name] {
      throw .message(
        "the target '\(name.printable)' needs the environment variable \(variable.printable), "
          + "which is not set")
    }
    guard let target = context.targets[name] else {
      let names = context.targets.keys.sorted()
      let advice = nearestName(to: name, among: names).map { "; did you mean '\($0)'?" } ?? ""
      let known = names.isEmpty ? "it names none" : "it names " + names.joined(separator: ", ")
      throw .message("the project file has no target '\(name.printable)'\(advice) (\(known))")
    }
    return target
  }
}
