import Foundation
import Testing

/// Every way a sign-in can end badly has a code of its own, and afterwards the process holds what it
/// held before: no port, no descriptor, no process.
@Suite(.serialized, .timeLimit(.minutes(3))) struct SignInLeftoversTests {
  /// What is pasted in each round.
  private static let pastes = [
    "error=access_denied&state=s", "error=server_error&state=s", "code=stolen&state=forged",
  ]

  @Test func `each bad end has its code and leaves nothing`() async throws {
    let silent = try SilentPort()
    let rounds = 3
    let input = Pipe()
    let (luath, folder) = try start(
      luaProgram("SignInLeftovers"), arguments: ["http://127.0.0.1:\(silent.port)", "\(rounds)"],
      input: input)
    for _ in 0..<rounds {
      for query in Self.pastes {
        try input.fileHandleForWriting.write(
          contentsOf: Data("http://127.0.0.1:9/callback?\(query)\n".utf8))
      }
    }
    let ending = await luath.ending(within: 90)
    withExtendedLifetime((folder, silent, input)) {}
    #expect(ending.code == 0, "\(ending.errors)")
    // The emulator's port, and the shell that counts.
    #expect(ending.output == "held\t1\t0\n", "\(ending.output)")
  }
}
