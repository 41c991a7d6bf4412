import Glibc
import Synchronization

/// What a Ctrl-C ends.
protocol Interruptible: Sendable {
  /// The first one: ends the work in good order.
  func interrupt() async

  /// The second one: ends the process because the person insists.
  func drop()
}

/// Ctrl-C and SIGTERM: the first stops the script, the second the process.
enum Interrupts {
  private static let pipeEnd = Atomic<Int32>(-1)
  private static let work = Mutex<(any Interruptible)?>(nil)
  private static let waiting = Mutex(Waiting())

  private struct Waiting {
    var hasCome = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  /// Keeps interrupts for `wait` from now on.
  static func prepare() { install() }

  /// Waits for an interrupt, or for none if one came since `prepare`; the next one ends the process.
  static func wait() async {
    await withCheckedContinuation { continuation in
      let hasCome = waiting.withLock { waiting in
        if !waiting.hasCome { waiting.waiter = continuation }
        return waiting.hasCome
      }
      if hasCome { continuation.resume() }
    }
  }

  /// Ends `wait` as an interrupt does.
  static func wake() {
    let waiter = waiting.withLock { waiting in
      waiting.hasCome = true
      return waiting.waiter.take()
    }
    waiter?.resume()
  }

  /// Passes interrupts to journeys at hand from now on, and the end of the terminal too: what they opened must
  /// be brought to an end, also when nobody reads of it.
  static func watchToTheEnd(_ current: any Interruptible) {
    watch(current)
    BrokenPipe.outlive()
    // Somebody who has it ignored, as nohup does, wants the run to go on.
    var action = sigaction()
    guard sigaction(SIGHUP, nil, &action) == 0, action.__sigaction_handler.sa_handler == nil,
      sigaction(SIGTERM, nil, &action) == 0
    else { return }
    sigaction(SIGHUP, &action, nil)
  }

  /// Passes interrupts to the run at hand from now on, also one that came before it.
  static func watch(_ current: any Interruptible) {
    work.withLock { $0 = current }
    install()
    if hasCome { Task.detached { await current.interrupt() } }
  }

  /// Keeps interrupts for `wait` and `hasCome` alone again, as the work that took them is done.
  static func release() { work.withLock { $0 = nil } }

  /// Ends the work at hand as a first interrupt does.
  static func endWork() async { await work.withLock(\.self)?.interrupt() }

  /// Whether one came, whether or not there was work to take it.
  static var hasCome: Bool { waiting.withLock(\.hasCome) }

  private static func install() {
    guard pipeEnd.load(ordering: .acquiring) < 0 else { return }
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    pipeEnd.store(ends[1], ordering: .releasing)
    let reader = ends[0]
    var thread = pthread_t()
    let created = pthread_create(
      &thread, nil,
      { context in
        Interrupts.listen(Int32(Int(bitPattern: context)))
        return nil
      }, UnsafeMutableRawPointer(bitPattern: Int(reader)))
    guard created == 0 else { return }
    pthread_detach(thread)
    var action = sigaction()
    // Only what is safe in a handler: one byte into a pipe.
    action.__sigaction_handler.sa_handler = { _ in
      let saved = errno
      var byte: UInt8 = 1
      _ = write(Interrupts.pipeEnd.load(ordering: .relaxed), &byte, 1)
      errno = saved
    }
    action.sa_flags = Int32(SA_RESTART)
    sigaction(SIGINT, &action, nil)
    sigaction(SIGTERM, &action, nil)
    // Ctrl-\ is a person's last resort: Swift's runtime would answer it with its threads, and hang.
    signal(SIGQUIT, SIG_DFL)
  }

  private static func listen(_ descriptor: Int32) {
    var byte: UInt8 = 0
    var count = 0
    while read(descriptor, &byte, 1) > 0 {
      count += 1
      // First, so that work which comes up meanwhile sees it.
      wake()
      guard let work = work.withLock({ $0 }) else {
        signal(SIGINT, SIG_DFL)
        signal(SIGTERM, SIG_DFL)
        continue
      }
      if count > 1 {
        work.drop()
      } else {
        Task.detached { await work.interrupt() }
      }
    }
  }
}
