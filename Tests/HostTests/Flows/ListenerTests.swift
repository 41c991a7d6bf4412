@testable import Host
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct ListenerTests {
  @Test func `an error of a listener is told at the end and harms no sign-in`() async throws {
    let failure = try await ScriptRunner().failure(
      of: """
        local Auth = require "luath.auth"
        local auth = Auth.auth()
        local calls = 0
        auth:onAuthStateChanged(function(user)
          calls = calls + 1
          if user then error "the listener's own mistake" end
        end)
        assert(auth:signInAnonymously().user == auth.currentUser)
        auth:signOut()
        require "luath.task".sleep(0)
        require "luath.task".sleep(0)
        assert(calls == 3, calls)
        """)
    #expect(failure.place == "test.lua:6")
    #expect(failure.message == "the listener's own mistake")
  }
}
