@testable import System
@testable import Host
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct DelegateTests {
  // S8 S26
  @Test func `a page that never comes back is left`() async throws {
    let issuer = try await TokenIssuer()
    defer { issuer.stop() }
    try await Flow().run(
      program: "Delegate/lost-pages", given: ["pages": .string(issuer.origin)])
  }

  // S7 S8; the thread sanitizer holds the signal back that stops a loop inside Lua.
  @Test(.disabled(if: isUnderThreadSanitizer))
  func `a function that never waits is stopped with the script`() async throws {
    let runner = ScriptRunner(timeout: .milliseconds(500))
    let (outcome, _) = try await runner.outcome(
      """
      local one = require("luath.auth").OAuthProvider "microsoft.com"
      pcall(function() one:getCredential(function() while true do pcall(error) end end) end)
      """)
    guard case .stopped(.time) = outcome else {
      Issue.record("the script ended with \(outcome)")
      return
    }
  }
}
