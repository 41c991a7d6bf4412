@testable import System
@testable import HTTP
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct BlockingFunctionTests {
  private static let refusal: JSON = [
    "error": [
      "message": "Only {colleagues} may come in", "status": "PERMISSION_DENIED",
      "details": ["form": "https://corp.example/join", "tries": 3, "idToken": "eyJ.secret.x"],
    ]
  ]

  @Test func `what a function of the project answered reaches the script`() async throws {
    try await CannedServer.run(
      { _ in ServerResponse(status: 403, json: Self.refusal) },
      { server in
        try await Flow().run(
          program: "BlockingFunction/answer", given: ["origin": .string(server.origin)])
        #expect(server.received.count == 3)
      })
  }

  @Test func `a function that fails in other ways is told by its words`() async throws {
    try await CannedServer.run(
      { _ in ServerResponse(status: 500, body: Array("it { broke".utf8)) },
      { server in
        try await Flow().run(
          program: "BlockingFunction/failure", given: ["origin": .string(server.origin)])
      })
  }
}
