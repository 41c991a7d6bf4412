@testable import System
@testable import Host
import Testing

/// What is forged or replayed is refused whoever shows the page: here by a client of a provider's
/// own, in a browser and by pasting.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ForgedAnswerTests {
  private func run(
    program name: String, given values: JSON, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let keyboard = try await Keyboard()
    defer { keyboard.stop() }
    let runner = ScriptRunner(
      environment: ["KEYBOARD": keyboard.origin], terminal: keyboard.terminal())
    try await Flow(runner: runner).run(
      program: name, given: values, sourceLocation: sourceLocation)
  }

  @Test(arguments: ["browser", "paste"])
  func `a client signs in`(_ way: String) async throws {
    try await run(program: "ForgedAnswer/honest", given: ["way": .string(way)])
  }

  @Test(arguments: ["browser", "paste"])
  func `state, issuer, code and nonce of another sign-in are refused`(_ way: String) async throws {
    try await run(program: "ForgedAnswer/forged", given: ["way": .string(way)])
  }
}
