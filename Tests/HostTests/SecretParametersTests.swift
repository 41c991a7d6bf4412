@testable import IdentityToolkit
@testable import Lua
@testable import Host
import Testing

@Suite(.timeLimit(.minutes(1))) struct SecretParametersTests {
  /// Parameters with the name of a secret whose values anybody may read.
  private static let harmless = ["createError.code", "press.key"]

  @Test func `a parameter with the name of a secret is declared as one`() async throws {
    let undeclared = try await withSurface { surface in
      Surface.moduleNames.compactMap(surface.module).flatMap { module in
        (module.declarations + module.classes.flatMap(\.methods)).flatMap { declaration in
          Self.undeclared(declaration.parameters).map { "\(declaration.name).\($0)" }
        }
      }
    }
    #expect(undeclared.filter { !Self.harmless.contains($0) } == [])
  }

  private static func undeclared(_ parameters: [LuaParameter]) -> [String] {
    parameters.flatMap { parameter in
      switch parameter.kind {
      case .string, .bytes:
        let name = parameter.name
        return SecretNames.isNameOfSecret(name) || ["code", "link"].contains(name) ? [name] : []
      case .options(let fields): return undeclared(fields)
      default: return []
      }
    }
  }
}
