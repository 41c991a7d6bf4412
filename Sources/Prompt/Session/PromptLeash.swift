import Lua
import Scripting
import Synchronization
import Terminal

/// What Ctrl-C does at a prompt: the first one ends the call at hand, the second the process.
public final class PromptLeash: Sendable {
  private struct State {
    var handle: ScriptStopHandle?
    var reader: (any PromptReader)?
    /// Counts the calls; nil when none is at hand.
    var call: Int?
    var count = 0
    /// How often the call at hand was interrupted.
    var strikes = 0
  }

  /// What a call may take to end by itself once it was asked to.
  private static let grace = Duration.milliseconds(700)

  private let state = Mutex(State())
  private let console: PromptConsole

  /// A leash without a session.
  public init(_ console: PromptConsole) { self.console = console }

  func hold(_ handle: ScriptStopHandle?) { state.withLock { $0.handle = handle } }

  func use(_ reader: any PromptReader) { state.withLock { $0.reader = reader } }

  /// Awaits a call that can be interrupted.
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

  /// Ctrl-C, or a signal that means the same.
  public func interrupt() {
    let (call, strikes) = state.withLock { state in
      state.strikes += 1
      if state.call != nil, state.strikes == 1 { state.handle?.interruptCall() }
      return (state.call, state.strikes)
    }
    guard let call else {
      interruptTasks()
      // Where somebody types, the prompt says how to leave.
      if console.isInteractive, let reader = state.withLock(\.reader) { return reader.interrupt() }
      return console.abandon("")
    }
    guard strikes == 1 else { return console.abandon("") }
    Task.detached { [self] in
      // What catches the interruption is stopped for good, and with it the other tasks.
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

  /// Makes a task fail that computes without end while nothing is asked of the session.
  func interruptTasks() { state.withLock { $0.handle?.interruptCall() } }

  /// Has the session look what has happened.
  func wakeReader() { state.withLock(\.reader)?.interrupt() }

  private func isStill(_ call: Int) async -> Bool {
    try? await Task.sleep(for: Self.grace)
    return state.withLock { $0.call == call }
  }
}
