import Glibc
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
