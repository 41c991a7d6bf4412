import System
import HTTP
import IdentityToolkit
import Lua
import Synchronization

/// The functions that scripts can call, with the arguments that are secrets.
///
/// Built from the declarations of the host's modules and the `---@secret NAME` comments of the Lua library, so
/// that a new function needs no other entry.
struct SecretParameters: Sendable {
  struct Function: Sendable {
    /// `auth` of `auth:signIn`, `EmailAuthProvider` of `EmailAuthProvider.credential`.
    let owner: String
    let isMethod: Bool
    /// The parameters, without the object of a method.
    let places: [SecretPlace]

    var takesSecrets: Bool { places.contains(where: \.holdsSecrets) }
  }

  /// All functions by name, without their owners.
  let functions: [String: [Function]]
  /// The names to compare a mistyped name with; without short words, which are similar to too many others.
  let longNames: [String]

  /// The table; nil when no thread could be started for opening the modules.
  static let shared: SecretParameters? = made()

  /// Whether a name is specific to luath: long, or of several words.
  static func isTelling(_ name: String) -> Bool {
    name.utf8.count >= 8 || name.contains(where: \.isUppercase)
  }

  private init(_ list: [(name: String, function: Function)]) {
    functions = Dictionary(grouping: list, by: \.name).mapValues { $0.map(\.function) }
    longNames = functions.keys.filter(Self.isTelling).sorted()
  }

  private static func made() -> SecretParameters? {
    guard let loop = try? EventLoop(name: "declarations"), (try? loop.start()) != nil else {
      return nil
    }
    // Modules are opened in an interpreter, which needs the thread of an event loop.
    let result = Opened()
    loop.perform { result.table.withLock { $0 = opened(on: loop) } }
    loop.stop()
    loop.join()
    return result.table.withLock(\.self)
  }

  private static func opened(on loop: EventLoop) -> SecretParameters {
    let target = Target(projectID: "demo", apiKey: Secret("none"), backend: .production)
    let interpreter = Interpreter(context: ScriptContext(target: target), actor: LoopActor(loop))
    defer { interpreter.close() }
    var list: [(String, Function)] = []
    for name in Surface.moduleNames {
      guard let module = interpreter.surface.module(name) else { continue }
      for declaration in module.declarations + module.classes.flatMap(\.methods) {
        list.append(
          described(declaration.usage, as: declaration.name, declaration.parameters[...]))
      }
    }
    for function in interpreter.constructors {
      list.append(described(function.usage, as: nil, function.parameters[...]))
    }
    return SecretParameters(list + Stdlib.secretParameters)
  }

  /// The function for a usage: `auth:signIn(credential [, delegate])`.
  private static func described(
    _ usage: String, as name: String?, _ parameters: ArraySlice<LuaParameter>
  ) -> (String, Function) {
    let called = usage.prefix { $0 != "(" }
    let words = called.split { $0 == "." || $0 == ":" }.map(String.init)
    let own = name.flatMap { $0.split(separator: ".").last.map(String.init) }
    return (
      own ?? words.last ?? "",
      Function(
        owner: words.dropLast().last ?? "", isMethod: called.contains(":"),
        places: parameters.map { SecretPlace($0.kind) })
    )
  }
}

/// Passes the table from the loop's thread.
private final class Opened: Sendable {
  let table = Mutex<SecretParameters?>(nil)
}
