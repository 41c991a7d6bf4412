@testable import System
@testable import Host
import Testing

/// `ui.paste`, with the script itself in the place of the person.
@Suite(.serialized, .timeLimit(.minutes(1))) struct PasteTests {
  @discardableResult
  private func run(
    program name: String, given values: JSON = .object([:]), columns: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [String] {
    let keyboard = try await Keyboard()
    defer { keyboard.stop() }
    let runner = ScriptRunner(
      environment: ["KEYBOARD": keyboard.origin], terminal: keyboard.terminal(columns: columns))
    let trace = try await Flow(runner: runner).run(
      program: name, given: values, sourceLocation: sourceLocation)
    #expect(!keyboard.isRead, "somebody still waits for a line", sourceLocation: sourceLocation)
    return trace
  }

  @Test(arguments: [
    "%s", "  %s \t", "<%s>", "\"%s\"", "'%s'", "<URL:%s>", "`%s`", "(%s)", "\r%s\r",
  ])
  func `an address is taken as people paste it`(_ shape: String) async throws {
    try await run(program: "Paste/shapes", given: ["shape": .string(shape)])
  }

  @Test func `an address is put together from its lines`() async throws {
    try await run(program: "Paste/lines")
  }

  @Test func `what is none of its addresses is asked for again, three times in all`() async throws {
    let trace = try await run(program: "Paste/asked_again")
    #expect(!trace.contains { $0.contains("signInWithIdp") })
  }

  @Test func `a forged or foreign answer ends the sign-in at once`() async throws {
    try await run(program: "Paste/forged")
  }

  @Test func `an error of the provider is told, and so is the end of the input`() async throws {
    try await run(program: "Paste/errors")
  }

  @Test func `a person who pastes nothing is left when the time is over`() async throws {
    try await run(program: "Paste/nothing")
  }

  @Test(arguments: [(300, true, true), (300, false, false), (40, true, false)])
  func `a wide terminal shows a picture`(
    columns: Int, allowsPicture: Bool, isShown: Bool
  ) async throws {
    try await run(
      program: "Paste/picture",
      given: ["allowsPicture": .bool(allowsPicture), "isShown": .bool(isShown)], columns: columns)
  }

  @Test func `without a terminal nothing can be pasted`() async throws {
    try await Flow().run("mistake('no terminal', ui.paste)")
  }
}
