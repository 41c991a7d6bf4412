import Testing

@testable import Emulator

@Suite struct RefreshSessionsTests {
  private let session = SignInSession(provider: "password", authTime: 100)

  private func isOrphaned(_ token: String, _ sessions: RefreshSessions) -> Bool {
    if case .orphaned = sessions.state(of: token) { true } else { false }
  }

  @Test func `only the last dead tokens are remembered`() {
    var sessions = RefreshSessions(on: nil, maximumDead: 3)
    let tokens = (0..<10).map { number in
      let token = sessions.start(session, uid: "u\(number)")
      sessions.revoke(uid: "u\(number)")
      return token
    }
    #expect(
      tokens.map { isOrphaned($0, sessions) } == [Bool](repeating: false, count: 7) + [
        true, true, true,
      ])
    guard case .unknown = sessions.state(of: tokens[0]) else {
      Issue.record("the oldest token is still known")
      return
    }
  }

  @Test func `sessions that are alive are not counted`() {
    var sessions = RefreshSessions(on: nil, maximumDead: 1)
    let tokens = (0..<5).map { _ in sessions.start(session, uid: "ada") }
    for token in tokens {
      guard case .alive(uid: "ada", _) = sessions.state(of: token) else {
        Issue.record("a session ended")
        return
      }
    }
    sessions.revoke(uid: "ada")
    #expect(tokens.count { isOrphaned($0, sessions) } == 1)
    #expect(isOrphaned(tokens[4], sessions))
  }

  @Test func `an account has so many sessions, and the newest stay`() {
    var sessions = RefreshSessions(on: nil, maximumPerAccount: 3)
    let tokens = (0..<10).map { _ in sessions.start(session, uid: "ada") }
    let other = sessions.start(session, uid: "ben")
    let isAlive = (tokens + [other]).map { token in
      if case .alive = sessions.state(of: token) { true } else { false }
    }
    #expect(isAlive == [Bool](repeating: false, count: 7) + [Bool](repeating: true, count: 4))
  }
}
