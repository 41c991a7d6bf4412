internal import CShims
internal import Glibc

/// The terminal a person sits at: its modes, its size, and the bytes to and from it.
///
/// The modes that are taken for editing are given back however the process ends: by return, error,
/// `exit`, `abort` or a signal. What ends a process without all of these, `_exit`, needs a call of
/// `restore` before it. A process has one terminal.
public final class TerminalDevice: Sendable {
  /// What came of waiting for input.
  enum Input: Equatable {
    case bytes([UInt8])
    /// Nothing came in time.
    case silence
    case resized
    /// The process was stopped, and goes on: the screen may hold anything.
    case continued
    /// Another thread asks for attention.
    case woken
    /// The terminal is gone, or its input has ended.
    case ended
  }

  private let input: Int32
  private let output: Int32
  private let alarm = Alarm()

  /// A terminal; nil when one of the two is none, or `TERM` names one that moves no cursor.
  ///
  /// - Parameters:
  ///   - input: the descriptor that keys are read from.
  ///   - output: the descriptor that is written to.
  ///   - type: the value of the environment variable `TERM`.
  public init?(input: Int32 = 0, output: Int32 = 1, type: String?) {
    guard isatty(input) == 1, isatty(output) == 1, let type,
      !["", "dumb", "unknown"].contains(type)
    else { return nil }
    self.input = input
    self.output = output
  }

  deinit { luath_terminal_leave() }

  /// Gives the modes back that were found, for ends of the process that nothing else hears of.
  public static func restore() {
    luath_terminal_leave()
    luath_terminal_remove_passing()
  }

  /// Does something with a file that is removed if the process is ended meanwhile, by a signal too.
  public static func passing<Value>(_ path: String, _ body: () -> Value) -> Value {
    luath_terminal_pass(path)
    defer { luath_terminal_pass(nil) }
    return body()
  }

  /// The size, 80 columns and 24 rows where the terminal tells none.
  var size: (columns: Int, rows: Int) {
    var (columns, rows): (Int32, Int32) = (0, 0)
    luath_terminal_size(output, &columns, &rows)
    return (columns > 0 ? Int(columns) : 80, rows > 0 ? Int(rows) : 24)
  }

  /// Takes the modes for editing; false when the terminal is gone, or in use already.
  func enter() -> Bool { luath_terminal_enter(input, output, alarm.writing) == 0 }

  /// Gives the modes back.
  func leave() { luath_terminal_leave() }

  /// Says what stands on the terminal below the cursor, for ends of the process from outside.
  ///
  /// - Parameter rows: how many rows; nil when nothing is being edited.
  func noteBelow(_ rows: Int?) { luath_terminal_place(Int32(rows ?? -1)) }

  /// Stops the process as Ctrl-Z does elsewhere, and returns when it goes on.
  func stop() { luath_terminal_stop() }

  /// Ends a wait for input, from whatever thread.
  func wake() { alarm.ring(UInt8(LUATH_TERMINAL_WOKEN)) }

  /// Waits for input, so many milliseconds at most; nil for ever.
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

  /// Writes all of a text, or as much as a terminal that went away took.
  func write(_ text: String) { WholeText.write(text, to: output) }
}
