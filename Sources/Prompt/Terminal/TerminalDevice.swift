import CShims
import Glibc
import Synchronization

/// The user's terminal: its modes, its size, input and output.
///
/// The original modes are restored when the process ends by return, error, `exit`, `abort` or a signal.
/// Call `restore` before `_exit`, which does not restore them. A process has one terminal.
final class TerminalDevice: Sendable {
  enum Input: Equatable {
    case bytes([UInt8])
    /// No input within the time limit.
    case silence
    case resized
    /// The process continued after a stop: the screen may show anything.
    case continued
    /// Another thread called `wake`.
    case woken
    /// The terminal is gone or its input has ended.
    case ended
  }

  private let input: Int32
  private let output: Int32
  private let alarm = Alarm()
  /// Whether the terminal is in raw mode for this device.
  private let isInside = Atomic(false)

  /// Opens the terminal; nil when a descriptor is not a terminal, or `TERM` names one that cannot move the cursor.
  ///
  /// - Parameters:
  ///   - input: the descriptor that keys are read from.
  ///   - output: the descriptor that output is written to.
  ///   - type: the value of the environment variable `TERM`.
  init?(input: Int32 = 0, output: Int32 = 1, type: String?) {
    guard isatty(input) == 1, isatty(output) == 1, let type,
      !["", "dumb", "unknown"].contains(type)
    else { return nil }
    self.input = input
    self.output = output
  }

  deinit { leave() }

  /// Restores the original modes and removes the file of `passing`; call it before `_exit`.
  static func restore() {
    luath_terminal_leave()
    luath_terminal_remove_passing()
  }

  /// Whether the terminal at standard input was closed.
  static var isGone: Bool {
    var place = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    return poll(&place, 1, 0) == 1 && place.revents & Int16(POLLHUP | POLLERR) != 0
  }

  /// Runs `body` while a file exists that must be removed if a signal ends the process.
  static func passing<Value>(_ path: String, _ body: () -> Value) -> Value {
    luath_terminal_pass(path)
    defer { luath_terminal_pass(nil) }
    return body()
  }

  /// The size; 80 columns and 24 rows when the terminal does not report it.
  var size: (columns: Int, rows: Int) {
    var (columns, rows): (Int32, Int32) = (0, 0)
    luath_terminal_size(output, &columns, &rows)
    return (columns > 0 ? Int(columns) : 80, rows > 0 ? Int(rows) : 24)
  }

  /// Switches to raw mode; false when the terminal is gone or already in raw mode.
  func enter() -> Bool {
    let hasEntered = luath_terminal_enter(input, output, alarm.writing) == 0
    if hasEntered { isInside.store(true, ordering: .relaxed) }
    return hasEntered
  }

  /// Restores the original modes, unless another device has entered since.
  func leave() {
    if isInside.exchange(false, ordering: .relaxed) { luath_terminal_leave() }
  }

  /// Sets the number of rows below the cursor, for an end of the process by signal.
  ///
  /// - Parameter rows: nil when nothing is being edited.
  func noteBelow(_ rows: Int?) { luath_terminal_place(Int32(rows ?? -1)) }

  /// Stops the process like Ctrl-Z in other programs; returns when it continues.
  func stop() { luath_terminal_stop() }

  /// Ends a wait for input; from any thread.
  func wake() { alarm.ring(UInt8(LUATH_TERMINAL_WOKEN)) }

  /// Waits for input, at most `limit` milliseconds; nil waits without limit.
  func read(within limit: Int?) -> Input {
    var places = [
      pollfd(fd: input, events: Int16(POLLIN), revents: 0),
      pollfd(fd: alarm.reading, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      let count = poll(&places, 2, Int32(limit ?? -1))
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count >= 0 else { return .ended }
      if count == 0 { return .silence }
      if places[1].revents != 0, let said = takeAlarm() { return said }
      guard places[0].revents != 0 else { continue }
      var buffer = [UInt8](repeating: 0, count: 16_384)
      let length = Glibc.read(input, &buffer, buffer.count)
      if length < 0, errno == EINTR || errno == EAGAIN { continue }
      guard length > 0 else { return .ended }
      return .bytes(Array(buffer[..<length]))
    }
  }

  private func takeAlarm() -> Input? {
    switch alarm.next().map(Int.init) {
    case nil: return nil
    case LUATH_TERMINAL_RESIZED: return .resized
    case LUATH_TERMINAL_CONTINUED: return .continued
    default: return .woken
    }
  }

  /// Writes all of a text, or stops when the terminal is gone.
  func write(_ text: String) { WholeText.write(text, to: output) }
}

/// A pipe with which signal handlers and other threads end a wait for input.
final class Alarm: Sendable {
  /// Becomes readable after a call of `ring`.
  let reading: Int32
  let writing: Int32

  /// Creates the pipe; without free descriptors the alarm never rings.
  init() {
    var ends: [Int32] = [-1, -1]
    _ = pipe(&ends)
    for end in ends where end >= 0 {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    (reading, writing) = (ends[0], ends[1])
  }

  deinit {
    close(reading)
    close(writing)
  }

  /// Writes a byte to the pipe; the byte is lost when the pipe is full.
  func ring(_ byte: UInt8) {
    var byte = byte
    _ = write(writing, &byte, 1)
  }

  /// The byte of the next ring; nil when there is none.
  func next() -> UInt8? {
    var byte: UInt8 = 0
    return read(reading, &byte, 1) == 1 ? byte : nil
  }
}
