import Glibc
import Host
import Lua
import Synchronization

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
  private let watchdog: PromptWatchdog

  /// - Throws: A `PromptProblem` when the thread cannot be created, for example for lack of memory for its stack.
  init(
    _ reader: any PromptReader, _ watchdog: PromptWatchdog, stackBytes: Int = 8 << 20
  ) throws(PromptProblem) {
    self.reader = reader
    self.watchdog = watchdog
    bell = .allocate(capacity: 1)
    sem_init(bell, 0, 0)
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stackBytes)
    var thread = pthread_t()
    let own = Unmanaged.passRetained(self)
    let status = pthread_create(
      &thread, &attributes,
      { context in
        guard let context else { return nil }
        Unmanaged<ReaderThread>.fromOpaque(context).takeRetainedValue().serve()
        return nil
      }, own.toOpaque())
    guard status == 0 else {
      own.release()
      throw PromptProblem(
        "cannot create a thread that reads the input: \(NewFile.words(status))",
        hint: "raise the limits of processes and of memory")
    }
    pthread_detach(thread)
  }

  deinit {
    sem_destroy(bell)
    bell.deallocate()
  }

  func read(prompt: String, continuation: String) async -> TypedText {
    await perform { [reader, watchdog] in
      let typed = reader.readText(prompt: prompt, continuation: continuation)
      // On this thread, as the session's thread may be busy with an endless task.
      if typed == .interrupted { watchdog.interruptTasks() }
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
