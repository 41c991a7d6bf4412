import Glibc
import Synchronization
import Terminal

/// The thread that asks for texts, one after the other, as an editor wants them to be asked for.
///
/// Unchecked, because the semaphore is made before the thread and goes after it; POSIX lets any thread use it.
final class ReaderThread: @unchecked Sendable {
  private struct State {
    var work: (@Sendable () -> Void)?
    var isOver = false
  }

  private let state = Mutex(State())
  /// Counts what there is to do; a semaphore, because the thread sleeps for most of its life.
  private let bell: UnsafeMutablePointer<sem_t>
  private let reader: any PromptReader
  private let leash: PromptLeash

  /// - Throws: When the system refuses a thread, for its stack among others.
  init(
    _ reader: any PromptReader, _ leash: PromptLeash, stackBytes: Int = 8 << 20
  ) throws(PromptProblem) {
    self.reader = reader
    self.leash = leash
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

  /// Waits for a text.
  func read(prompt: String, continuation: String) async -> TypedText {
    await perform { [reader, leash] in
      let typed = reader.readText(prompt: prompt, continuation: continuation)
      // From here, as the session's own thread may be busy with a task that never ends.
      if typed == .interrupted { leash.interruptTasks() }
      return typed
    }
  }

  /// Does something that blocks its thread.
  func perform<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { answer in
      state.withLock { $0.work = { answer.resume(returning: body()) } }
      sem_post(bell)
    }
  }

  /// Ends the thread when it has done what it does.
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
