@testable import Host
import Testing

@Suite(.timeLimit(.minutes(2))) struct TaskTests {
  @Test func `the error of a task that nobody awaits ends the script`() async throws {
    let failure = try await ScriptRunner().failure(
      of: "require('luath.task').spawn(function() error('lost') end)")
    #expect(failure.message == "lost")
    #expect(failure.place == "test.lua:1")
  }
}
