@testable import Host
import Testing

/// How checks of `luath.expect` end a script; what they check is in the specs.
@Suite(.timeLimit(.minutes(1))) struct ExpectTests {
  @Test(arguments: ["expect", "expect.soft"])
  func `a script that a check ends shows the line and the message`(_ expect: String) async throws {
    let failure = try await ScriptRunner().failure(
      of: """
        local expect = require "luath.expect"
        \(expect).equal(1 + 1, 3, "the sum")
        """)
    #expect(failure.message == "the sum: expected 3, got 2")
    #expect(failure.place == "test.lua:2")
  }
}
