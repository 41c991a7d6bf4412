@testable import System
@testable import Lua
@testable import Host
import Testing

/// Calls every function of the surface with wrong values at every place.
@Suite(.timeLimit(.minutes(5))) struct SurfaceTests {
  /// Values of every Lua type, one of which no parameter takes.
  private static let values = [
    "nil", "true", "7", "7.5", "'text'", "{}", "{ 1 }", "{ x = 1 }", "print", "io.stdout",
    "coroutine.create(print)", "Auth.OAuthProvider('yahoo.com')",
  ]

  /// Whether the checks in C refuse the value, so that the message must be Lua's own.
  private func refuses(_ kind: LuaParameter.Kind, _ value: String, optional: Bool) -> Bool {
    switch (kind, value) {
    case (.any, _): false
    case (_, "nil"): !optional
    case (.either(let kinds), _): kinds.allSatisfy { refuses($0, value, optional: false) }
    case (.string, "'text'"), (.secret, "'text'"), (.bytes, "'text'"), (.number, "7"),
      (.number, "7.5"), (.integer, "7"),
      (.boolean, "true"), (.function, "print"):
      false
    case (.table, "{}"), (.table, "{ 1 }"), (.table, "{ x = 1 }"): false
    case (.list, "{}"), (.map, "{}"), (.options, "{}"): false
    case (.list(.integer), "{ 1 }"), (.list(.number), "{ 1 }"), (.list(.any), "{ 1 }"): false
    case (.map(.integer), "{ x = 1 }"), (.map(.any), "{ x = 1 }"): false
    case (.object(let type), "Auth.OAuthProvider('yahoo.com')"): type.name != "OAuthProvider"
    default: true
    }
  }

  @Test(arguments: Surface.moduleNames)
  func `every function refuses wrong values in words`(_ name: String) async throws {
    let functions = try await withSurface { surface in
      let module = try #require(surface.module(name))
      var functions: [JSON] = []
      for declaration in module.declarations {
        functions.append(wrong(declaration, of: "require('\(name)').\(declaration.name)"))
      }
      for (type, methods) in module.classes {
        // Ending the script or the account is not what is tried here.
        for declaration in methods where !["delete", "cancel"].contains(declaration.name) {
          functions.append(
            wrong(declaration, of: "object.\(declaration.name)", class: type.name))
        }
      }
      return functions
    }
    try #require(!functions.isEmpty)
    try await Flow(runner: ScriptRunner(timeout: .seconds(120))).run(
      program: "Surface/wrong_values", given: ["functions": .array(functions)])
  }

  /// A function and the values that it must refuse, for the program that calls it.
  private func wrong(
    _ declaration: Declaration, of expression: String, class type: String? = nil
  ) -> JSON {
    var wrong: [JSON] = []
    for (index, parameter) in declaration.parameters.enumerated() {
      for value in Self.values where refuses(parameter.kind, value, optional: parameter.optional) {
        wrong.append(["value": .string(value), "place": .integer(Int64(index + 1))])
      }
    }
    var function: JSONObject = [
      "usage": .string(declaration.usage), "expression": .string(expression),
      "wrong": .array(wrong),
    ]
    if let type { function["class"] = .string(type) }
    return .object(function)
  }

  @Test func `every declaration says what it does`() async throws {
    try await withSurface { surface in
      for name in Surface.moduleNames {
        let module = try #require(surface.module(name))
        #expect(!module.summary.isEmpty)
        for declaration in module.declarations + module.classes.flatMap(\.methods) {
          #expect(declaration.summary.hasSuffix("."), "\(declaration.usage)")
          #expect(
            declaration.usage.contains(declaration.name) || declaration.summary.contains("older"))
        }
      }
    }
  }
}
