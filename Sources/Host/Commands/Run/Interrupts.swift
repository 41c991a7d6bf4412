import Glibc
import Synchronization
import System

/// Work that Ctrl-C can end.
public protocol Interruptible: Sendable {
  /// Handles the first interrupt: ends the work in an orderly way.
  func interrupt() async

  /// Handles the second interrupt: ends the process at once.
  func drop()
}

/// Handles Ctrl-C and SIGTERM: the first one stops the work, the second one the process.
///
/// Signals within half a second of the first count as one: GNU `timeout` signals its child, then the child's group.
public enum Interrupts {
  private static let oneKeystroke = Duration.milliseconds(500)
  private static let pipeEnd = Atomic<Int32>(-1)
  private static let work = Mutex<(any Interruptible)?>(nil)
  /// Takes Ctrl-C in place of the work.
  private static let pausePrompt = Mutex<(any Interruptible)?>(nil)
  /// Takes all signals in place of the work.
  private static let receiver = Mutex<(@Sendable (Int32) -> Void)?>(nil)
  private static let waiting = Mutex(Waiting())

  private struct Waiting {
    var hasCome = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  /// Starts to record interrupts for `wait`.
  public static func prepare() { install() }

  /// Waits for an interrupt; returns at once if one came since `prepare`.
  ///
  /// The next interrupt ends the process.
  public static func wait() async {
    await withCheckedContinuation { continuation in
      let hasCome = waiting.withLock { waiting in
        if !waiting.hasCome { waiting.waiter = continuation }
        return waiting.hasCome
      }
      if hasCome { continuation.resume() }
    }
  }

  /// Ends `wait` like an interrupt.
  static func wake() {
    let waiter = waiting.withLock { waiting in
      waiting.hasCome = true
      return waiting.waiter.take()
    }
    waiter?.resume()
  }

  /// Passes interrupts and the hangup of the terminal (SIGHUP) to work that must end in an orderly way.
  ///
  /// A broken pipe no longer ends the process either.
  public static func watchToTheEnd(_ current: any Interruptible) {
    watch(current)
    BrokenPipe.outlive()
    // Keep SIGHUP ignored if it is, as with nohup: the user wants the run to continue.
    var action = sigaction()
    guard sigaction(SIGHUP, nil, &action) == 0, action.__sigaction_handler.sa_handler == nil,
      sigaction(SIGTERM, nil, &action) == 0
    else { return }
    sigaction(SIGHUP, &action, nil)
  }

  /// Passes interrupts to the current work from now on, including one that came earlier.
  public static func watch(_ current: any Interruptible) {
    work.withLock { $0 = current }
    install()
    if hasCome { Task.detached { await current.interrupt() } }
  }

  /// Stops passing interrupts, because the work is done.
  public static func release() { work.withLock { $0 = nil } }

  /// Passes Ctrl-C to the prompt of a pause, and not to the current work; nil ends that.
  ///
  /// Such interrupts do not count as those of the work. SIGTERM and SIGHUP still go to the work.
  public static func redirect(to prompt: (any Interruptible)?) {
    pausePrompt.withLock { $0 = prompt }
  }

  /// Whether a pause is open.
  public static var isRedirected: Bool { pausePrompt.withLock { $0 != nil } }

  /// Ends the current work like a first interrupt.
  public static func endWork() async { await work.withLock(\.self)?.interrupt() }

  /// Passes SIGINT, SIGTERM and the signals of this list to `receive`, on a separate thread, and none to the current
  /// work; signals that are ignored, as by nohup, stay ignored.
  ///
  /// `receive` receives SIGINT at once if an interrupt came earlier.
  public static func forward(
    _ signals: [Int32], to receive: @escaping @Sendable (Int32) -> Void
  ) {
    receiver.withLock { $0 = receive }
    install()
    for number in signals {
      var action = sigaction()
      guard sigaction(number, nil, &action) == 0, action.__sigaction_handler.sa_handler == nil,
        sigaction(SIGTERM, nil, &action) == 0
      else { continue }
      sigaction(number, &action, nil)
    }
    if hasCome { receive(SIGINT) }
  }

  /// Whether an interrupt came, with or without work to receive it.
  public static var hasCome: Bool { waiting.withLock(\.hasCome) }

  private static func install() {
    guard pipeEnd.load(ordering: .acquiring) < 0 else { return }
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    pipeEnd.store(ends[1], ordering: .releasing)
    let reader = ends[0]
    guard (try? SystemThread.start { listen(reader) }) != nil else { return }
    var action = sigaction()
    // The handler uses only async-signal-safe functions: it writes one byte to a pipe.
    action.__sigaction_handler.sa_handler = { signal in
      let saved = errno
      var byte = UInt8(truncatingIfNeeded: signal)
      _ = write(Interrupts.pipeEnd.load(ordering: .relaxed), &byte, 1)
      errno = saved
    }
    action.sa_flags = Int32(SA_RESTART)
    sigaction(SIGINT, &action, nil)
    sigaction(SIGTERM, &action, nil)
    // Ctrl-\ is the user's last resort, but Swift's runtime would handle it on its threads and hang.
    signal(SIGQUIT, SIG_DFL)
  }

  private static func listen(_ descriptor: Int32) {
    var byte: UInt8 = 0
    var first: ContinuousClock.Instant?
    while read(descriptor, &byte, 1) > 0 {
      if let receive = receiver.withLock(\.self) {
        receive(Int32(byte))
        continue
      }
      if Int32(byte) == SIGINT, let prompt = pausePrompt.withLock(\.self) {
        Task.detached { await prompt.interrupt() }
        continue
      }
      let isFirst = first == nil
      let start = first ?? .now
      first = start
      // Record the interrupt first, so that work which starts meanwhile sees it.
      wake()
      guard let work = work.withLock({ $0 }) else {
        signal(SIGINT, SIG_DFL)
        signal(SIGTERM, SIG_DFL)
        continue
      }
      if isFirst {
        Task.detached { await work.interrupt() }
      } else if start.duration(to: .now) > oneKeystroke {
        work.drop()
      }
    }
  }
}
