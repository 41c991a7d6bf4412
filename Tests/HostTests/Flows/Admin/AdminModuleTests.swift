@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import Host
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct AdminModuleTests {
  @Test func `the environment's key is used on a real project and named when it is bad`()
    async throws
  {
    // Nothing is sent: the key is looked at when the administrator is made.
    for (environment, words) in [
      ([:], "needs a service account's key"),
      (["GOOGLE_APPLICATION_CREDENTIALS": ""], "needs a service account's key"),
      (["GOOGLE_APPLICATION_CREDENTIALS": "/nonexistent/key.json"], "/nonexistent/key.json"),
    ] {
      var runner = ScriptRunner(environment: environment)
      runner.targets = [
        "real": Target(projectID: "real-project", apiKey: Secret("x"), backend: .production)
      ]
      let failure = try await runner.failure(
        of: "require('luath.admin').admin { target = 'real' }")
      #expect(failure.code == "invalidServiceAccount")
      #expect(failure.message.contains(words), "\(failure.message)")
    }
  }

  @Test func `answers that are none of the interface fail in plain words`() async throws {
    for (status, body, code, words) in [
      (200, "", "internalError", "is empty"), (200, "<html>", "internalError", "web page"),
      (200, #"{"users": [{"#, "internalError", "ends too early"),
      (200, #"{"users": [{}]}"#, "internalError", "without an id"),
      (403, "<html>", "internalError", "web page"),
      (
        401, #"{"error": {"code": 401, "message": "No.", "status": "UNAUTHENTICATED"}}"#,
        "insufficientPermission", "No."
      ),
      (
        400, #"{"error": {"code": 400, "message": "NEW_NAME : words"}}"#, "internalError",
        "NEW_NAME"
      ),
    ] {
      try await CannedServer.run({ _ in ServerResponse(status: status, body: Array(body.utf8)) }) {
        server in
        var runner = ScriptRunner()
        runner.origin = server.origin
        let failure = try await runner.failure(of: "require('luath.admin').admin():getUser 'ada'")
        #expect(failure.code == code, "\(status) \(body): \(failure)")
        #expect(failure.message.contains(words), "\(failure.message)")
        #expect(server.received.allSatisfy { $0.headers["Authorization"] == "Bearer owner" })
      }
    }
  }
}
