@testable import System
@testable import IdentityToolkit
@testable import Host
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct ErrorTests {
  // S26
  @Test func `every code of the table has its name`() async throws {
    let names = ErrorCode.allCases.map { JSON.string($0.rawValue) }
    #expect(names.count > 80)
    try await Flow().run(program: "Error/names", given: ["names": .array(names)])
  }

  // S26
  @Test func `an error says where, what, and what to do`() async throws {
    let failure = try await ScriptRunner().failure(
      of: """
        local Auth = require "luath.auth"
        -- one
        Auth.auth():signIn { email = "nobody@contoso.example", password = "correct horse" }
        """)
    #expect(failure.place == "test.lua:3")
    #expect(failure.code == "invalidCredential")
    #expect(failure.hint?.isEmpty == false)
    #expect(!failure.message.contains("correct horse"))
  }

  // S26
  @Test func `a target that cannot be reached is a network error`() async throws {
    let runner = ScriptRunner(origin: "http://127.0.0.1:1")
    try await Flow(runner: runner).run(program: "Error/unreachable")
  }
}
