import Lua
import Host
import Synchronization

/// Handles Ctrl-C at a prompt: the first one ends the current call, the second one the process.
final class PromptWatchdog: Sendable {
  private struct State {
    var handle: ScriptStopHandle?
    var reader: (any PromptReader)?
    /// The number of the current call; nil when no call is running.
    var call: Int?
    var count = 0
    /// How often the current call was interrupted.
    var strikes = 0
  }

  /// The time for an interrupted call to end by itself.
  private static let grace = Duration.milliseconds(700)

  private let state = Mutex(State())
  private let console: PromptConsole

  /// Creates a handler without a session.
  init(_ console: PromptConsole) { self.console = console }

  func hold(_ handle: ScriptStopHandle?) { state.withLock { $0.handle = handle } }

  func use(_ reader: any PromptReader) { state.withLock { $0.reader = reader } }

  /// Runs a call that can be interrupted.
  func call<Value>(_ body: () async -> Value) async -> Value {
    state.withLock { state in
      state.count += 1
      state.call = state.count
      state.strikes = 0
    }
    let value = await body()
    state.withLock { $0.call = nil }
    return value
  }

  /// Handles Ctrl-C or an equivalent signal.
  func interrupt() {
    let (call, strikes) = state.withLock { state in
      state.strikes += 1
      if state.call != nil, state.strikes == 1 { state.handle?.interruptCall() }
      return (state.call, state.strikes)
    }
    guard let call else {
      interruptTasks()
      // At a terminal, the prompt prints how to leave.
      if console.isInteractive, let reader = state.withLock(\.reader) { return reader.interrupt() }
      return console.abandon("")
    }
    guard strikes == 1 else { return console.abandon("") }
    Task.detached { [self] in
      // A call that catches the interruption is stopped for good, and with it all other tasks.
      guard await isStill(call) else { return }
      state.withLock { state in
        if state.call == call { state.handle?.request(.interrupt) }
      }
      guard await isStill(call) else { return }
      console.writeError(
        "the call does not stop: it is inside a function of C or a finalizer; Ctrl-C again leaves\n"
      )
    }
  }

  /// Interrupts a task that computes without end while no call is running.
  func interruptTasks() { state.withLock { $0.handle?.interruptCall() } }

  /// Wakes the reader, so that the prompt notices a stop.
  func wakeReader() { state.withLock(\.reader)?.interrupt() }

  private func isStill(_ call: Int) async -> Bool {
    try? await Task.sleep(for: Self.grace)
    return state.withLock { $0.call == call }
  }
}
