@testable import Host
import Testing

/// Runs the files of `Fixtures/expect`, each of which tests a part of `luath.expect`.
@Suite(.timeLimit(.minutes(1))) struct ExpectTests {
  @Test(arguments: ["checks", "failures", "placeholders", "calls", "luath", "spec"])
  func `what is checked is told`(_ name: String) async throws {
    try await ScriptRunner().run("require 'expect.\(name)'", folder: folderOfFixtures)
  }

  @Test func `a script that a check ends shows the line and the message`() async throws {
    let failure = try await ScriptRunner().failure(
      of: """
        local expect = require "luath.expect"
        expect.equal(1 + 1, 3, "the sum")
        """)
    #expect(failure.message == "the sum: expected 3, got 2")
    #expect(failure.place == "test.lua:2")
  }
}
