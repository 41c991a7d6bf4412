@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import Host

/// Calls `body` with the surface of an interpreter that talks to nobody.
func withSurface<Value: Sendable>(
  _ body: @Sendable (Surface) throws -> Value
) async throws -> Value {
  let loop = try EventLoop(name: "surface")
  try loop.start()
  defer {
    loop.stop()
    loop.join()
  }
  let target = Target(projectID: "demo", apiKey: Secret("none"), backend: .production)
  return try await LoopActor(loop).run { actor in
    let interpreter = Interpreter(context: ScriptContext(target: target), actor: actor)
    defer { interpreter.close() }
    return try body(interpreter.surface)
  }
}
