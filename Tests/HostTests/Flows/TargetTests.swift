@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import Host
import Synchronization
import Testing

/// Several targets in one script.
@Suite(.timeLimit(.minutes(1))) struct TargetTests {
  /// A real project whose hosts are where nobody listens.
  private static let real = Target(
    projectID: "demo-real", apiKey: Secret("the-key"), backend: .production,
    hostOverrides: Target.HostOverrides(
      places: ["identitytoolkit.googleapis.com": "127.0.0.1:1"]))

  @Test func `the run's emulator does not answer for a real project`() async throws {
    var flow = Flow()
    flow.runner.targets = ["real": Self.real]
    flow.runner.consent.allowed = ["demo-real"]
    let trace = try await flow.run(program: "Target/no_listener")
    #expect(trace.contains { $0.hasPrefix("POST identitytoolkit.googleapis.com/") })
  }

  @Test func `a real project is asked about once, however many calls wait for the answer`()
    async throws
  {
    let asked = Mutex<[String]>([])
    for isAllowed in [true, false] {
      asked.withLock { $0 = [] }
      var flow = Flow()
      flow.runner.targets = ["real": Self.real]
      flow.runner.consent.ask = { id, call in
        asked.withLock { $0.append("\(id) \(call)") }
        return isAllowed
      }
      let code: JSON = .string(isAllowed ? "networkError" : "changeNotAllowed")
      try await flow.run(program: "Target/consent", given: ["code": code])
      #expect(asked.withLock(\.self) == ["demo-real accounts:signUp"])
    }
  }

  @Test func `a redirect does not lead around the guard`() async throws {
    var flow = Flow()
    flow.runner.targets = ["real": Self.real]
    let real = "https://identitytoolkit.googleapis.com/v1/accounts:signUp"
    try await CannedServer.run { _ in
      ServerResponse(status: 307, headers: ["Location": real], body: [])
    } _: { server in
      try await flow.run(
        """
        local options <const> = { json = {}, redirects = 3, redirectBody = true }
        local err = refused("changeNotAllowed", http.post, "\(server.origin)", options)
        assert(err.message:find("accounts:signUp", 1, true), err.message)
        """)
    }
  }

  @Test func `a target that cannot be used says what it is missing`() async throws {
    var flow = Flow()
    flow.runner.unusableTargets = ["staging": "the file app.plist, which cannot be read: why"]
    try await flow.run(
      """
      mistake("'staging' needs the file app.plist, which cannot be read: why",
        Auth.auth, { target = "staging" })
      """)
  }
}
