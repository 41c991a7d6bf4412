import HTTP
import Lua

/// A run of a script on a separate thread, with its time limit and Ctrl-C.
public struct ScriptRun: Sendable {
  let context: ScriptContext
  let timeout: Duration?
  let console: Console

  /// Prepares a run; without a timeout it may take any time.
  public init(context: ScriptContext, timeout: Duration? = nil, console: Console) {
    self.context = context
    self.timeout = timeout
    self.console = console
  }

  /// Runs the script to its end, timeout or interruption.
  ///
  /// - Returns: How it ended, and where it was stopped, as `file:line`.
  public func run(_ script: Script) async -> (outcome: ScriptOutcome, place: String?) {
    let loop: EventLoop
    do throws(HTTPError) {
      loop = try EventLoop(name: "script")
      try loop.start()
    } catch {
      return (.failed(ScriptFailure(message: error.message, hint: error.hint)), nil)
    }
    let (context, timeout, console) = (context, timeout, console)
    let ending = await LoopActor(loop).run { actor -> (outcome: ScriptOutcome, place: String?) in
      let interpreter = Interpreter(context: context, actor: actor)
      let interrupts = ScriptInterrupts(interpreter, context.pauses, console)
      interpreter.onPause = { interrupts.watchdog.pause($0) }
      var place: String?
      let outcome = await interrupts.watchdog.hold(timeout) {
        Interrupts.watch(interrupts)
        let outcome = await interpreter.run(script)
        place = interpreter.stoppedAt
        // The script's finalizers run here, so the watchdog must still be active.
        let stop = interpreter.close()
        if case .finished = outcome, let stop { return stop }
        return outcome
      }
      await interrupts.watchdog.release()
      return (outcome, place)
    }
    loop.stop()
    loop.join()
    return ending
  }
}

/// Stops the script at Ctrl-C, and the process if the script cannot be stopped.
private struct ScriptInterrupts: Interruptible {
  /// How long a script may take to stop, including its waits.
  private static let grace = Duration.milliseconds(700)

  let watchdog: Watchdog
  private let pauses: (any PausePrompt)?
  private let console: Console

  init(_ interpreter: Interpreter, _ pauses: (any PausePrompt)?, _ console: Console) {
    self.pauses = pauses
    self.console = console
    watchdog = Watchdog(
      interpreter, patience: Self.grace, overdue: Self.steps(.time, .timedOut, console))
  }

  func interrupt() async {
    pauses?.end()
    watchdog.escalate(Self.steps(.interrupt, .interrupted, console))
  }

  func drop() {
    pauses?.restoreTerminal()
    console.abandon(.interrupted, "")
  }

  private static func steps(
    _ reason: LuaStop, _ code: ExitCode, _ console: Console
  ) -> [Watchdog.Step] {
    [
      (.zero, .stop(reason)),
      (
        grace,
        .report {
          console.abandon(
            code,
            Console.words(
              "the script did not stop: it is inside a function of C, a finalizer or a debug hook",
              hint: "look for string.find with a costly pattern, io.read or __gc"))
        }
      ),
    ]
  }
}
