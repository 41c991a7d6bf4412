@testable import System
@testable import HTTP
@testable import Host
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct HTTPModuleTests {
  @Test func `what goes wrong on the way has a code and a hint`() async throws {
    let issuer = try await TokenIssuer()
    defer { issuer.stop() }
    try await Flow().run(
      program: "HTTPModule/failures", given: ["pages": .string(issuer.origin)])
  }

  @Test func `what is secret does not follow a redirect to another origin`() async throws {
    try await CannedServer.run({ _ in ServerResponse(text: "here") }) { elsewhere in
      let target = elsewhere.origin
      try await CannedServer.run({ request in
        let status = Int(request.url.path.dropFirst()) ?? 200
        return ServerResponse(status: status, headers: ["Location": "\(target)/end"])
      }) { server in
        var flow = Flow(runner: ScriptRunner(timeout: .seconds(30)))
        flow.runner.environment["WORD"] = "open-sesame"
        flow.runner.environment["DB_PASSWORD"] = "tulips&roses"
        try await flow.run(
          program: "HTTPModule/redirects", given: ["first": .string(server.origin)])
        let names: Set<String> = [
          "authorization", "cookie", "x-api-key", "x-goog-api-key", "x-session-token", "x-note",
          "x-basic", "x-database", "x-own",
        ]
        let seen = elsewhere.received
        #expect(seen.map(\.method) == ["GET", "GET", "POST", "POST", "GET"])
        #expect(seen.first?.headers["Accept"] == "text/plain")
        for request in seen {
          #expect(!request.headers.fields.contains { names.contains($0.name.lowercased()) })
          #expect(!request.headers.fields.contains { $0.value.contains("open-sesame") })
        }
        let sent = server.received.first
        #expect(sent?.headers["X-Note"] == "by open-sesame")
      }
    }
  }

  @Test func `the hosts of providers are the emulator's, and only those`() async throws {
    let trace = try await Flow().run(program: "HTTPModule/hosts")
    #expect(trace.count == 4 && trace.allSatisfy { $0.hasSuffix("(handled by the emulator)") })
    #expect(trace.last?.hasPrefix("GET graph.microsoft.com/v1.0/other 404") == true)
  }
}
