@testable import System
@testable import IdentityToolkit
import Testing

/// `ui.browser` with and without a terminal; `browser_spec.lua` tests the rest of it.
@Suite(.serialized, .timeLimit(.minutes(1))) struct BrowserTests {
  @Test func `without a display and a terminal no browser is opened`() async throws {
    try await Flow().run(program: "Browser/no-display")
  }

  @Test func `without a browser the person pastes`() async throws {
    let keyboard = try await Keyboard()
    defer { keyboard.stop() }
    let runner = ScriptRunner(
      environment: ["KEYBOARD": keyboard.origin, "SSH_CONNECTION": "here"],
      terminal: keyboard.terminal())
    try await Flow(runner: runner).run(program: "Browser/paste")
    #expect(!keyboard.isRead)
  }

  @Test(arguments: [true, false])
  func `a real project's page is for the person at the terminal`(
    isInteractive: Bool
  ) async throws {
    let keyboard = try await Keyboard()
    defer { keyboard.stop() }
    // Nobody answers for Google here.
    let real = Target(
      projectID: "demo-real", apiKey: Secret("the-key"), backend: .production,
      hostOverrides: Target.HostOverrides(places: ["identitytoolkit.googleapis.com": "127.0.0.1:1"])
    )
    let runner = ScriptRunner(
      terminal: keyboard.terminal(isInteractive: isInteractive), targets: ["real": real])
    try await Flow(runner: runner).run(
      program: "Browser/real-project", given: ["isInteractive": .bool(isInteractive)])
  }
}
