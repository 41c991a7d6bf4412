import Glibc
import Host
import Lua
import Synchronization
import System

/// The thread that reads entries, as an editor must always be called on the same thread.
///
/// Unchecked, because the semaphore is created before the thread and destroyed after it; POSIX allows any
/// thread to use it.
final class ReaderThread: @unchecked Sendable {
  private struct State {
    var work: (@Sendable () -> Void)?
    var isOver = false
  }

  private let state = Mutex(State())
  /// Counts pending work; a semaphore, because the thread sleeps most of the time.
  private let bell: UnsafeMutablePointer<sem_t>
  private let reader: any PromptReader
  private let interrupts: PromptInterrupts

  /// - Throws: A `PromptProblem` when the thread cannot be created, for example for lack of memory for its stack.
  init(
    _ reader: any PromptReader, _ interrupts: PromptInterrupts, stackBytes: Int = 8 << 20
  ) throws(PromptProblem) {
    self.reader = reader
    self.interrupts = interrupts
    bell = .allocate(capacity: 1)
    sem_init(bell, 0, 0)
    do throws(SystemError) {
      try SystemThread.start(stackBytes: stackBytes) { [self] in serve() }
    } catch {
      throw PromptProblem(
        "cannot create a thread that reads the input: \(error.words)",
        hint: "raise the limits of processes and of memory")
    }
  }

  deinit {
    sem_destroy(bell)
    bell.deallocate()
  }

  func read(prompt: String, continuation: String) async -> TypedText {
    await perform { [reader, interrupts] in
      let typed = reader.readText(prompt: prompt, continuation: continuation)
      // On this thread, as the session's thread may be busy with an endless task.
      if typed == .interrupted { interrupts.interruptTasks() }
      return typed
    }
  }

  /// Runs a blocking closure on the thread.
  func perform<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { answer in
      state.withLock { $0.work = { answer.resume(returning: body()) } }
      sem_post(bell)
    }
  }

  /// Ends the thread after its current work.
  func end() {
    state.withLock { $0.isOver = true }
    sem_post(bell)
  }

  private func serve() {
    while true {
      while sem_wait(bell) != 0 {}
      let (work, isOver) = state.withLock { ($0.work.take(), $0.isOver) }
      work?()
      if isOver { return }
    }
  }
}

/// Handles Ctrl-C at a prompt: the first one ends the current call, the second one the process.
final class PromptInterrupts: Interruptible {
  private struct State {
    var watchdog: Watchdog?
    var reader: (any PromptReader)?
    /// How often the current call was interrupted.
    var strikes = 0
    var isEnded = false
  }

  /// How long an interrupted call may run until it ends by itself.
  private static let grace = Duration.milliseconds(700)
  /// How long its waits may take to end.
  static let patience = Duration.seconds(5)

  private let state = Mutex(State())
  private let console: PromptConsole

  /// Creates a handler without a session.
  init(_ console: PromptConsole) { self.console = console }

  func use(_ watchdog: Watchdog?) { state.withLock { $0.watchdog = watchdog } }

  func use(_ reader: any PromptReader) { state.withLock { $0.reader = reader } }

  /// Whether the prompt must leave, because the run ends.
  var isEnded: Bool { state.withLock(\.isEnded) }

  /// Makes the prompt leave: ends the current call, or the wait for an entry.
  func end() {
    state.withLock { $0.isEnded = true }
    interrupt()
  }

  /// Runs a call that can be interrupted.
  func call<Value>(_ body: () async -> Value) async -> Value {
    let watchdog = state.withLock { state in
      state.strikes = 0
      return state.watchdog
    }
    guard let watchdog else { return await body() }
    return await watchdog.hold(nil, body)
  }

  /// Handles Ctrl-C or an equivalent signal.
  func interrupt() {
    let (watchdog, strikes) = state.withLock { state in
      state.strikes += 1
      return (state.watchdog, state.strikes)
    }
    if strikes > 1, watchdog?.isHolding ?? false { return console.abandon("") }
    // A call that catches the interruption is stopped for good, and with it all other tasks.
    let isCalling = watchdog?.escalate([
      (.zero, .interrupt), (Self.grace, .stop(.interrupt)),
      (
        Self.grace,
        .report { [console] in
          console.writeError(
            "the call does not stop: it is inside a function of C or a finalizer; Ctrl-C again "
              + "leaves\n")
        }
      ),
    ])
    guard !(isCalling ?? false) else { return }
    interruptTasks()
    // At a terminal, the prompt prints how to leave.
    if console.isInteractive, let reader = state.withLock(\.reader) { return reader.interrupt() }
    console.abandon("")
  }

  func drop() { interrupt() }

  /// Interrupts a task that computes without end while no call is running.
  func interruptTasks() { state.withLock(\.watchdog)?.interruptTasks() }

  /// Wakes the reader, so that the prompt notices a stop.
  func wakeReader() { state.withLock(\.reader)?.interrupt() }
}
