@testable import HTTP
@testable import Host
@testable import IdentityToolkit
@testable import Lua
@testable import System
import Testing

@Suite(.timeLimit(.minutes(1))) struct WatchdogTests {
  /// Runs a script that is overdue from its beginning.
  private func run(
    _ text: String, _ steps: [Watchdog.Step], patience: Duration? = nil
  ) async throws -> ScriptOutcome {
    let loop = try EventLoop(name: "watchdog test")
    try loop.start()
    defer {
      loop.stop()
      loop.join()
    }
    let target = Target(projectID: "demo", apiKey: Secret("none"), backend: .production)
    return await LoopActor(loop).run { actor in
      let interpreter = Interpreter(context: ScriptContext(target: target), actor: actor)
      let watchdog = Watchdog(interpreter, patience: patience, overdue: steps)
      let outcome = await watchdog.hold(.zero) {
        await interpreter.run(Script(text: Array(text.utf8), name: "test.lua", folder: nil))
      }
      interpreter.close()
      await watchdog.release()
      return outcome
    }
  }

  // The stop is a signal inside Lua, which the thread sanitizer holds back.
  @Test(
    .disabled(if: isUnderThreadSanitizer),
    arguments: [
      "while true do end",
      "while true do pcall(function() while true do end end) end",
    ])
  func `a call that computes past its limit is stopped`(_ text: String) async throws {
    let steps: [Watchdog.Step] = [(.milliseconds(50), .stop(.time))]
    guard case .stopped(.time) = try await run(text, steps) else {
      Issue.record("the call was not stopped")
      return
    }
  }

  @Test func `time in which the call waits does not count`() async throws {
    let text = "require('luath.task').sleep(0.5)"
    let steps: [Watchdog.Step] = [(.milliseconds(400), .stop(.time))]
    guard case .finished = try await run(text, steps) else {
      Issue.record("the call was stopped while it waited")
      return
    }
  }

  @Test func `without patience a call that waits is stopped`() async throws {
    let text = "require('luath.task').sleep(600)"
    let steps: [Watchdog.Step] = [(.seconds(60), .stop(.time))]
    guard case .stopped(.time) = try await run(text, steps, patience: .milliseconds(50)) else {
      Issue.record("the call was not stopped")
      return
    }
  }
}
