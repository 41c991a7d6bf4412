import Lua
import System

/// Names of luath's functions and properties, by what callers of another SDK expect of them.
struct ForeignNames {
  /// Functions that wait, which take no callbacks.
  var waiting: Set<String> = []
  /// Functions that take a function which is called later.
  var listening: Set<String> = []
  var properties: Set<String> = []
  /// The functions of `luath.auth`, which are called as `Auth.name(…)`.
  private var functions: Set<String> = []
  /// The methods and properties of the classes of `luath.auth`, by class.
  private var classes: [String: Set<String>] = [:]

  /// The methods and properties of a class of `luath.auth`.
  func members(_ type: String) -> Set<String> { classes[type] ?? [] }

  /// Whether some class of `luath.auth` has a method or property of this name.
  func isMember(_ name: String) -> Bool { classes.values.contains { $0.contains(name) } }

  /// Whether `luath.auth` has a function with this name.
  func isFunction(_ name: String) -> Bool { functions.contains(name) }

  /// The names in some modules.
  init(_ surface: Surface) {
    for name in ["luath.auth", "luath.admin", "luath.http", "luath.oidc"] {
      guard let module = surface.module(name) else { continue }
      for declaration in module.declarations + module.classes.flatMap(\.methods) {
        let last = String(declaration.name.split(separator: ".").last ?? "")
        if declaration.waits {
          waiting.insert(last)
        } else if declaration.parameters.contains(where: {
          if case .function = $0.kind { true } else { false }
        }) {
          listening.insert(last)
        }
      }
      properties.formUnion(module.classes.flatMap { $0.type.properties.map(\.name) })
      guard name == "luath.auth" else { continue }
      functions = Set(module.declarations.map(\.name) + Spellings.shared.functions.map(\.name))
      for (type, methods) in module.classes {
        classes[type.name] = Set(methods.map(\.name) + type.properties.map(\.name))
      }
    }
    for function in Spellings.shared.functions {
      if waiting.contains(function.method) { waiting.insert(function.name) }
      if listening.contains(function.method) { listening.insert(function.name) }
    }
  }
}
