@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import Lua
@testable import Host
import Testing

@Suite struct InterpreterLifeTests {
  /// A closure of a module that holds on to its interpreter would keep every run of a process in memory.
  @Test(arguments: Surface.moduleNames)
  func `a module does not outlive its interpreter`(_ module: String) async throws {
    let loop = try EventLoop(name: "life")
    try loop.start()
    defer {
      loop.stop()
      loop.join()
    }
    let target = Target(projectID: "demo", apiKey: Secret("none"), backend: .production)
    let isLeft = await LoopActor(loop).run { actor in
      weak var left: Interpreter?
      do {
        let interpreter = Interpreter(context: ScriptContext(target: target), actor: actor)
        left = interpreter
        let text = "require '\(module)'"
        let outcome = await interpreter.run(
          Script(text: Array(text.utf8), name: "life.lua", folder: nil))
        guard case .finished = outcome else {
          Issue.record("\(outcome)")
          return false
        }
        interpreter.close()
      }
      return left != nil
    }
    #expect(!isLeft)
  }

  /// Ctrl-C may come between the last line and the end of what finalizers do.
  @Test func `closing returns a stop that came after the last line`() async throws {
    let loop = try EventLoop(name: "life")
    try loop.start()
    defer {
      loop.stop()
      loop.join()
    }
    let target = Target(projectID: "demo", apiKey: Secret("none"), backend: .production)
    let (outcome, stop) = await LoopActor(loop).run { actor in
      let interpreter = Interpreter(context: ScriptContext(target: target), actor: actor)
      let outcome = await interpreter.run(Script(text: [], name: "life.lua", folder: nil))
      interpreter.stopHandle.request(.interrupt)
      return (outcome, interpreter.close())
    }
    guard case .finished = outcome, case .stopped(.interrupt) = stop else {
      Issue.record("\(outcome), \(String(describing: stop))")
      return
    }
  }
}
