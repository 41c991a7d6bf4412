import Glibc
import HTTP
import Synchronization
import System

/// The standard streams of a worker, for the protocol alone.
///
/// What else reads or writes them, such as `print` in a script, gets an empty input and standard error.
final class WorkPipes: Sendable {
  /// The maximum size of a line of the engine: a row with its records.
  static let mostBytes = 16 << 20

  private let input: Int32
  private let output: Int32
  private let loop: EventLoop
  /// Called once when a line cannot be written; later lines are dropped.
  private let broken = Mutex<(@Sendable (SystemError) -> Void)?>(nil)
  private let isBroken = Atomic<Bool>(false)

  /// Takes the standard streams over.
  init() throws(BatchProblem) {
    let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
    input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
    output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
    guard null >= 0, input >= 0, output >= 0, dup2(null, STDIN_FILENO) >= 0,
      dup2(STDERR_FILENO, STDOUT_FILENO) >= 0
    else {
      throw BatchProblem(
        .unavailable, "the standard streams cannot be used: \(SystemError(errno).message)",
        hint: "start luath batch work with a pipe as standard input and output")
    }
    close(null)
    loop = try EventLoop.started("work") { BatchProblem($0) }
  }

  /// Whether the engine still holds the other ends of both pipes.
  var isConnected: Bool { Self.isConnected(input, output) }

  /// Whether somebody may still write to `input`, and read from `output`; lines that are not read yet do not matter.
  static func isConnected(_ input: Int32, _ output: Int32) -> Bool {
    // POLLRDHUP, which is not in POSIX: the other side of a socket writes no more.
    let noMore: Int32 = 0x2000
    var ends = [
      pollfd(fd: input, events: Int16(noMore), revents: 0),
      pollfd(fd: output, events: 0, revents: 0),
    ]
    while poll(&ends, 2, 0) < 0 {
      guard errno == EINTR else { return false }
    }
    return ends.allSatisfy { Int32($0.revents) & (noMore | POLLHUP | POLLERR | POLLNVAL) == 0 }
  }

  /// Starts to read lines for a journal; `broken` is called if a line cannot be written.
  func start(
    _ journal: WorkJournal, broken: @escaping @Sendable (SystemError) -> Void
  ) throws(BatchProblem) {
    self.broken.withLock { $0 = broken }
    do {
      // The thread waits in read(2) until the process ends, if the engine does not close its end.
      try SystemThread.start(name: "work-input") { [input] in Self.read(input, journal) }
    } catch {
      throw BatchProblem(.unavailable, "\(error)", hint: "raise the limit of processes")
    }
  }

  /// Reads the lines of an engine to the end.
  static func read(_ input: Int32, _ journal: WorkJournal) {
    do throws(BatchProblem) {
      let source = InputSource(descriptor: input, name: "standard input")
      let lines = LineReader(
        try ByteWindow(source, inflating: false), limit: mostBytes, skipsLong: false)
      while journal.problem == nil, let line = try lines.next() {
        switch line {
        case .text(let text):
          journal.take(Array(text.last == 0x0A ? text.dropLast() : text[...]))
        case .tooLong:
          throw BatchProblem(
            .usage, "line \(lines.number) of standard input is longer than \(mostBytes >> 20) MiB",
            hint: "luath doc guides/engines describes the protocol")
        }
      }
    } catch {
      journal.fail(error)
    }
    journal.inputEnded()
  }

  /// Queues a line.
  func write(_ line: JSON) {
    let bytes = line.encodedBytes() + [0x0A]
    loop.perform { self.write(bytes) }
  }

  private func write(_ bytes: [UInt8]) {
    guard !isBroken.load(ordering: .relaxed) else { return }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count < 0, errno == EAGAIN {
        // Another process set the pipe to non-blocking.
        var waiting = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
        _ = poll(&waiting, 1, -1)
      } else if errno != EINTR {
        isBroken.store(true, ordering: .relaxed)
        return broken.withLock { $0.take() }?(SystemError(errno)) ?? ()
      }
    }
  }

  /// Queues a line at each interval until the process ends.
  func repeatLine(every interval: Duration, _ line: @escaping @Sendable () -> JSON) {
    loop.perform { self.scheduleLine(interval, line) }
  }

  private func scheduleLine(_ interval: Duration, _ line: @escaping @Sendable () -> JSON) {
    loop.schedule(after: interval) {
      self.write(line())
      self.scheduleLine(interval, line)
    }
  }

  /// Waits until all queued lines are written.
  func flush() async {
    await withCheckedContinuation { continuation in
      loop.perform { continuation.resume() }
    }
  }
}
