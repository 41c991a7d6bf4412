import Encoding
import IdentityToolkit
import Testing

/// Several targets in one script.
@Suite(.timeLimit(.minutes(1))) struct TargetTests {
  /// A real project whose hosts are where nobody listens.
  private static let real = Target(
    projectID: "demo-real", apiKey: Secret("the-key"), backend: .production,
    detour: Target.Detour(
      places: ["identitytoolkit.googleapis.com": "127.0.0.1:1"]))

  @Test func `the run's emulator does not answer for a real project`() async throws {
    var flow = Flow()
    flow.runner.targets = ["real": Self.real]
    let trace = try await flow.run(
      """
      local real = Auth.auth { target = "real" }
      local err = refused("networkError", real.signInAnonymously, real)
      assert(err.message:find("identitytoolkit.googleapis.com:443", 1, true), err.message)
      assert(auth:signInAnonymously().user.isAnonymous)
      assert(not real.currentUser)
      """)
    #expect(trace.contains { $0.hasPrefix("POST identitytoolkit.googleapis.com/") })
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
