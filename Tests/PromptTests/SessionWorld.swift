@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import Lua
@testable import Host
import Synchronization
@testable import Prompt

/// A session on a loop of its own, which talks to nobody.
enum SessionWorld {
  static let console = PromptConsole(
    isInteractive: false, columns: { 80 }, environment: [:], folder: "/nowhere",
    write: { _ in }, writeError: { _ in },
    read: { _ in .failure(PromptProblem("there are no files")) }, abandon: { _ in })

  /// Runs texts one after the other; gives what each shows, errors in one piece.
  static func run(
    _ texts: [String], memory: Int = 0, clean: @escaping @Sendable (String) -> String = { $0 }
  ) async throws -> [String] {
    try await with(memory: memory, clean: clean) { session in
      var answers: [String] = []
      for text in texts { answers.append(words(await session.run(text))) }
      return answers
    }
  }

  static func words(_ ending: PromptSession.Ending) -> String {
    switch ending {
    case .shown(let texts): texts.joined(separator: "\n")
    case .failed(let words): words
    case .left(let status): "left \(status)"
    }
  }

  static func with<Value: Sendable>(
    memory: Int = 0, interrupts: PromptInterrupts? = nil, output: Output = Output(),
    clean: @escaping @Sendable (String) -> String = { $0 },
    _ body: @Sendable (PromptSession) async throws -> Value
  ) async throws -> Value {
    let loop = try EventLoop(name: "prompt test")
    try loop.start()
    defer {
      loop.stop()
      loop.join()
    }
    var console = console
    console.write = { output.add($0) }
    console.writeError = { output.add($0) }
    let own = console
    return try await LoopActor(loop).run { actor in
      let context = ScriptContext(
        target: Target(projectID: "demo", apiKey: Secret("none"), backend: .production),
        memoryLimit: memory)
      let session = PromptSession(
        Interpreter(context: context, actor: actor),
        interrupts: interrupts ?? PromptInterrupts(own),
        board: PromptOutput(own, isTracing: false), clean: clean, readFile: { _ in nil })
      try await session.begin(isShared: false)
      let value = try await body(session)
      await session.end()
      return value
    }
  }

  /// What a session prints.
  final class Output: Sendable {
    private let state = Mutex("")
    private let (additions, continuation) = AsyncStream.makeStream(of: Void.self)

    func add(_ text: String) {
      state.withLock { $0 += text }
      continuation.yield()
    }

    var text: String { state.withLock(\.self) }

    /// Waits until a text has been printed; one task may.
    func first(_ part: String) async {
      var additions = additions.makeAsyncIterator()
      while !text.contains(part), await additions.next() != nil {}
    }
  }
}
