@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import OIDC
import Testing

@testable import Emulator

/// Passwords whose verification takes long.
@Suite(.timeLimit(.minutes(1))) struct SlowHashTests {
  /// "correct horse" with bcrypt at cost 12, which takes some tenths of a second.
  private static let hash = "$2b$12$abcdefghijklmnopqrstuuFDJRuYeKkCzo3Wy7h8SxhBSHBAHiPK2"

  /// The names of what has ended, in order.
  private actor Ends {
    private(set) var names: [String] = []
    func add(_ name: String) { names.append(name) }
  }

  private static func add(_ email: String, to emulator: Fixture) async throws {
    let reply = try await emulator.admin(
      "accounts:batchCreate",
      [
        "hashAlgorithm": "BCRYPT",
        "users": [
          [
            "localId": .string(email), "email": .string(email),
            "passwordHash": .string(Base64URL.encode(Array(hash.utf8))),
          ]
        ],
      ])
    try #require(reply["error"] == nil, "\(reply.message)")
  }

  private static func signIn(
    _ email: String, _ password: String, at emulator: Caller
  ) async throws -> Fixture.Reply {
    try await emulator.call(
      .signInWithPassword, ["email": .string(email), "password": .string(password)])
  }

  @Test func `a slow password does not delay other requests`() async throws {
    try await Fixture.run { emulator in
      try await Self.add("slow@luath.example", to: emulator)
      // The password of this account is quick.
      let token = try #require(try await emulator.signUp("quick@luath.example")["idToken"])
      let order = Ends()
      let caller = Caller(emulator)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 1...3 {
          group.addTask {
            let reply = try await Self.signIn("slow@luath.example", "correct horse", at: caller)
            #expect(reply.status == 200)
            await order.add("slow")
          }
        }
        group.addTask {
          for _ in 1...10 {
            let reply = try await caller.call(.lookup, ["idToken": token])
            #expect(reply.status == 200)
          }
          await order.add("quick")
        }
        try await group.waitForAll()
      }
      // On the loop, at least two of the hashes would come first.
      #expect(await order.names.last == "slow")
    }
  }

  @Test func `an account that changes meanwhile is checked again`() async throws {
    try await Fixture.run { emulator in
      try await Self.add("slow@luath.example", to: emulator)
      let caller = Caller(emulator)
      async let reply = Self.signIn("slow@luath.example", "correct horse", at: caller)
      async let deletion = caller.request(
        "POST", "identitytoolkit.googleapis.com/v1/projects/demo-luath/accounts:delete",
        ["localId": "slow@luath.example"], headers: ["Authorization": "Bearer owner"])
      let (first, second) = (try await reply, try await deletion)
      #expect(second.status == 200)
      // Either the sign-in came first, or the account is gone; never tokens of a deleted account.
      #expect(first.status == 200 || first.error == "INVALID_LOGIN_CREDENTIALS")
      if first.status == 200 {
        #expect(try await emulator.lookup(first["idToken"]).status == 400)
      }
    }
  }

  @Test func `wrong passwords are counted, also when they are slow`() async throws {
    try await Fixture.run { emulator in
      try await Self.add("slow@luath.example", to: emulator)
      let wrong = try await Self.signIn("slow@luath.example", "wrong horse", at: Caller(emulator))
      #expect(wrong.error == "INVALID_LOGIN_CREDENTIALS")
      #expect(
        try await Self.signIn("slow@luath.example", "correct horse", at: Caller(emulator)).status
          == 200)
    }
  }
}
