@testable import Reference
@testable import luath

extension Catalogue {
  /// The catalogue without commands: made once, as each one opens all modules.
  static var shared: Catalogue { get async throws { try await withoutCommands.value } }
  /// The catalogue with luath's commands.
  static var whole: Catalogue { get async throws { try await withCommands.value } }

  private static let withoutCommands = Task { try await make() }
  private static let withCommands = Task { try await make(commands: Commands.all) }
}
