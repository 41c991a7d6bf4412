import HTTP
import Lua
import Synchronization

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
  public func run(_ script: Script) async -> ScriptOutcome {
    LuaStopHandle.installHandler()
    let loop: EventLoop
    do throws(HTTPError) {
      loop = try EventLoop(name: "script")
      try loop.start()
    } catch {
      return .failed(
        ScriptFailure(message: error.message, hint: error.hint))
    }
    let watchdog = ScriptWatchdog(console)
    Interrupts.watch(watchdog)
    let guardian = timeout.map { limit in
      Task.detached {
        guard (try? await Task.sleep(for: limit)) != nil else { return }
        await watchdog.stop(.time)
      }
    }
    let context = context
    let outcome = await LoopActor(loop).run { actor in
      let interpreter = Interpreter(context: context, actor: actor)
      watchdog.hold(interpreter.stopHandle)
      let outcome = await interpreter.run(script)
      // The script's finalizers run here, so the watchdog must still be active.
      let stop = interpreter.close()
      watchdog.release()
      if case .finished = outcome, let stop { return stop }
      return outcome
    }
    guardian?.cancel()
    loop.stop()
    loop.join()
    return outcome
  }
}

/// A watchdog that stops the script, or the process if the script cannot be stopped.
final class ScriptWatchdog: Interruptible {
  private struct State {
    var handle: ScriptStopHandle?
    /// Measures how long the script's thread has waited for a processor.
    var wait: ProcessorWait?
    var pending: LuaStop?
    var ended = false
  }

  /// How long a script may take to stop after it was told to.
  private static let grace = Duration.milliseconds(700)

  private let state = Mutex(State())
  private let console: Console

  init(_ console: Console) { self.console = console }

  /// Sets the script to watch; call this on the script's thread.
  func hold(_ handle: ScriptStopHandle) {
    let pending = state.withLock { state in
      state.handle = handle
      state.wait = ProcessorWait()
      return state.pending
    }
    if let pending { handle.request(pending) }
  }

  func release() {
    state.withLock { state in
      state.handle = nil
      state.ended = true
    }
  }

  /// Stops the script; after the grace time, a script that is stuck in C makes the process exit.
  func stop(_ reason: LuaStop) async {
    request(reason)
    let start = ContinuousClock.now
    let before = waited
    var left = Self.grace
    while left > .zero, !state.withLock({ $0.ended }) {
      guard (try? await Task.sleep(for: max(left, .milliseconds(10)))) != nil else { return }
      left = Self.grace - (start.duration(to: .now) - (waited - before))
    }
    giveUp(reason)
  }

  /// How long the script's thread has waited for a processor.
  private var waited: Duration { state.withLock { $0.wait }?.duration ?? .zero }

  func request(_ reason: LuaStop) {
    // Under the lock, so that the state behind the handle is not closed meanwhile.
    state.withLock { state in
      if let handle = state.handle { handle.request(reason) } else { state.pending = reason }
    }
  }

  func interrupt() async { await stop(.interrupt) }

  func drop() { console.abandon(.interrupted, "") }

  func giveUp(_ reason: LuaStop) {
    guard !state.withLock({ $0.ended }) else { return }
    console.abandon(
      reason == .time ? .timedOut : .interrupted,
      Console.words(
        "the script did not stop: it is inside a function of C, a finalizer or a debug hook",
        hint: "look for string.find with a costly pattern, io.read or __gc"))
  }
}
