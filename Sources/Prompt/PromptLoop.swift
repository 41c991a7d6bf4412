import Glibc
import HTTP
import Scripting
import Terminal

/// Takes texts from the input and gives them to the session at hand.
///
/// Used on the thread of the session's loop; texts are read on a thread of their own meanwhile, so that
/// tasks go on.
final class PromptLoop {
  let settings: PromptSettings
  let console: PromptConsole
  let host: any PromptHost
  let input: any PromptInput
  let leash: PromptLeash
  let actor: LoopActor
  var place: PromptPlace
  var ending = Prompt.Ending()
  var session: PromptSession

  init(
    _ place: PromptPlace, settings: PromptSettings, console: PromptConsole, host: any PromptHost,
    input: any PromptInput, leash: PromptLeash, actor: LoopActor
  ) {
    self.place = place
    self.settings = settings
    self.console = console
    self.host = host
    self.input = input
    self.leash = leash
    self.actor = actor
    session = Self.session(place, console, leash, actor)
  }

  private static func session(
    _ place: PromptPlace, _ console: PromptConsole, _ leash: PromptLeash, _ actor: LoopActor
  ) -> PromptSession {
    PromptSession(Interpreter(context: place.context, actor: actor), leash: leash) { path in
      guard case .success(let text) = console.read(path) else { return nil }
      return text
    }
  }

  func run() async -> Prompt.Ending {
    do throws(PromptProblem) { try await session.begin() } catch { tell(error) }
    if console.isInteractive { console.write(greeting) }
    var wasInterrupted = false
    reading: while ending.status == nil {
      switch await read() {
      case .ended: break reading
      case .interrupted:
        if wasInterrupted { break reading }
        wasInterrupted = true
        console.writeError("Ctrl-C again, Ctrl-D or .quit leaves\n")
        continue
      case .text(let text):
        wasInterrupted = false
        await run(text)
      }
    }
    await session.end()
    await place.close()
    return ending
  }

  private var greeting: String { "luath at \(place.words); .help tells what there is\n" }

  /// Waits for a text, while the loop goes on with what tasks there are.
  private func read() async -> TypedText {
    let input = input
    let prompt = console.isInteractive ? "> " : ""
    let continuation = console.isInteractive ? ">> " : ""
    return await withUnsafeContinuation { continuation_ in
      let answer: @Sendable () -> Void = {
        continuation_.resume(
          returning: input.readText(prompt: prompt, continuation: continuation))
      }
      Self.onThread(answer)
    }
  }

  private static func onThread(_ body: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let own = Unmanaged.passRetained(Box(body))
    let status = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, own.toOpaque())
    if status == 0 {
      pthread_detach(thread)
    } else {
      own.release()
      body()
    }
  }

  private func run(_ text: String) async {
    guard text.contains(where: { !$0.isWhitespace }) else { return }
    ending.hasRun = true
    show(await session.run(text))
    for failure in session.interpreter.takeFailures() {
      ending.hasFailed = true
      console.writeError("a task failed: " + host.clean(session.words(failure, "")))
    }
  }

  func show(_ outcome: PromptSession.Ending) {
    switch outcome {
    case .shown(let texts):
      for text in texts { console.write(host.clean(text) + "\n") }
    case .failed(let words):
      ending.hasFailed = true
      console.writeError(host.clean(words))
    case .left(let status): ending.status = status
    }
  }

  func tell(_ problem: PromptProblem) {
    ending.hasFailed = true
    console.writeError("error: \(problem.message)\n")
    if let hint = problem.hint { console.writeError("  hint: \(hint)\n") }
  }
}
