import Encoding
import HTTP
import IdentityToolkit
import Lua
import Synchronization

/// The functions that scripts can call, and which of their arguments are secrets.
///
/// Made of the declarations of the host's modules, and of the `---@secret NAME` comments of the Lua
/// library, so that a new function needs no second entry anywhere.
struct SecretParameters: Sendable {
  /// One function.
  struct Function: Sendable {
    /// `auth` of `auth:signIn`, `EmailAuthProvider` of `EmailAuthProvider.credential`.
    let owner: String
    let isMethod: Bool
    /// The arguments, without the object of a method.
    let places: [SecretPlace]

    var takesSecrets: Bool { places.contains(where: \.holdsSecrets) }
  }

  /// All functions by their names, without owners.
  let functions: [String: [Function]]
  /// The names that a mistyped name is compared with.
  ///
  /// Short words are left out: each is near to too many others.
  let longNames: [String]

  /// The table; nil when no thread could be made to open the modules on.
  static let shared: SecretParameters? = made()

  /// Whether a name is unlikely to be that of anything else: a long one, or one of several words.
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
    // Modules are opened in an interpreter, which belongs to the thread of a loop.
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

  /// A function by how it is called: `auth:signIn(credential [, delegate])`.
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

/// Where the loop's thread leaves the table.
private final class Opened: Sendable {
  let table = Mutex<SecretParameters?>(nil)
}
