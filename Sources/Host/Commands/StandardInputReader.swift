import Glibc
import Lua
import Synchronization
import System

/// Reads a line of standard input on a separate thread, while the script continues.
///
/// It reads byte by byte, so that the data after the line stays available to the script's `io.read`.
final class StandardInputReader: Sendable {
  private struct State {
    var isOver = false
    var waiter: UnsafeContinuation<String?, Never>?
  }

  private let state = Mutex(State())
  /// A pipe; becomes readable to end the wait.
  private let alarm: (reading: Int32, writing: Int32)
  private let isTyped: Bool
  /// The bytes that C's stream had already buffered.
  private let start: [UInt8]

  /// The next line without its line feed; nil at the end of input or when the task is canceled.
  ///
  /// - Parameter isTyped: Whether standard input is a terminal; then lines pasted together are read as one entry.
  static func line(isTyped: Bool) async -> String? {
    var start: [UInt8] = []
    while let byte = LuaInput.takeAhead() {
      if byte == UInt8(ascii: "\n") { return text(start) }
      start.append(byte)
    }
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let reader = StandardInputReader(alarm: (ends[0], ends[1]), start: start, isTyped: isTyped)
    let line = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        reader.state.withLock { $0.waiter = continuation }
        reader.run()
      }
    } onCancel: {
      reader.cancel()
    }
    return line
  }

  private init(alarm: (Int32, Int32), start: [UInt8], isTyped: Bool) {
    self.alarm = alarm
    self.isTyped = isTyped
    self.start = start
  }

  private func run() {
    do throws(SystemError) {
      try SystemThread.start { [self] in finish(read()) }
    } catch {
      finish(nil)
    }
  }

  private func cancel() {
    state.withLock { state in
      guard !state.isOver else { return }
      var byte: UInt8 = 1
      _ = write(alarm.writing, &byte, 1)
    }
  }

  private func finish(_ line: String?) {
    let waiter = state.withLock { state in
      state.isOver = true
      return state.waiter.take()
    }
    close(alarm.reading)
    close(alarm.writing)
    waiter?.resume(returning: line)
  }

  private func read() -> String? {
    var line = start
    var places = [
      pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
      pollfd(fd: alarm.reading, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      guard poll(&places, 2, -1) > 0 else {
        if errno == EINTR { continue }
        return nil
      }
      if places[1].revents != 0 { return nil }
      var byte: UInt8 = 0
      let count = Glibc.read(STDIN_FILENO, &byte, 1)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { return line.isEmpty ? nil : Self.text(line) }
      if byte == UInt8(ascii: "\n"), !(isTyped && Self.goesOn()) { return Self.text(line) }
      line.append(byte)
    }
  }

  /// Whether more input arrives within 50 ms, faster than anyone types.
  private static func goesOn() -> Bool {
    var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    return poll(&input, 1, 50) == 1
  }

  private static func text(_ line: [UInt8]) -> String { String(decoding: line, as: UTF8.self) }
}
