import Foundation
import Synchronization
import Testing

@testable import Prompt

/// A pseudo-terminal with an editor at one end and a screen model at the other.
///
/// A process edits at one terminal at a time, so tests with seats run one after the other.
final class Seat {
  struct State {
    var screen: ScreenModel
    var isGone = false
  }

  /// What the reading thread shares with the test.
  private final class Line: Sendable {
    let state: Mutex<State>
    let changed = DispatchSemaphore(value: 0)
    let over = DispatchSemaphore(value: 0)
    let alarm = Alarm()

    init(_ screen: ScreenModel) { state = Mutex(State(screen: screen)) }

    /// Takes in what is written to the terminal until it is closed, or is to be hung up.
    func run(_ master: Int32) {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      var places = [
        pollfd(fd: master, events: Int16(POLLIN), revents: 0),
        pollfd(fd: alarm.reading, events: Int16(POLLIN), revents: 0),
      ]
      while true {
        guard poll(&places, 2, -1) > 0 else { continue }
        if places[1].revents != 0 { break }
        let count = read(master, &buffer, buffer.count)
        guard count > 0 else { break }
        state.withLock { $0.screen.send(Array(buffer[..<count])) }
        changed.signal()
      }
      close(master)
      over.signal()
    }
  }

  /// A text that is waited for on a thread of its own.
  final class Typing: Sendable {
    fileprivate let typed = Mutex<TypedText?>(nil)
    fileprivate let isThere = DispatchSemaphore(value: 0)

    /// What was typed; nil when it does not come.
    func result() -> TypedText? {
      _ = isThere.wait(timeout: .now() + 30)
      return typed.withLock { $0 }
    }
  }

  let slave: Int32
  let editor: LineEditor
  let history: History
  private let master: Int32
  private let line: Line

  init(
    columns: Int = 40, rows: Int = 12, language: sending Words = Words(),
    history: History = History()
  ) throws {
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    var (master, slave): (Int32, Int32) = (-1, -1)
    try #require(openpty(&master, &slave, nil, nil, &size) == 0)
    (self.master, self.slave) = (master, slave)
    let line = Line(ScreenModel(columns: columns, rows: rows))
    self.line = line
    self.history = history
    let device = try #require(TerminalDevice(input: slave, output: slave, type: "xterm"))
    editor = LineEditor(device, history: history, language: language)
    let end = master
    Thread.detachNewThread { line.run(end) }
  }

  deinit {
    TerminalDevice.restore()
    line.alarm.ring(0)
    line.over.wait()
    close(slave)
  }

  var state: State { line.state.withLock { $0 } }

  /// The terminal's modes, as bytes to compare.
  var modes: [UInt8] {
    var modes = termios()
    tcgetattr(slave, &modes)
    return withUnsafeBytes(of: &modes) { Array($0) }
  }

  /// Asks for a text on another thread.
  func start() -> Typing {
    let typing = Typing()
    let editor = editor
    Thread.detachNewThread {
      let typed = editor.readText(prompt: "> ", continuation: "| ")
      typing.typed.withLock { $0 = typed }
      typing.isThere.signal()
    }
    return typing
  }

  /// Asks for a text, and waits until the prompt is shown.
  func begin() throws -> Typing {
    let typing = start()
    try wait { $0.screen.lines.last == ">" }
    return typing
  }

  /// Sends keys as a keyboard does.
  func type(_ text: String) { WholeText.write(text, to: master) }

  /// Changes the size, of which the system tells who has the terminal.
  func resize(columns: Int, rows: Int) {
    line.state.withLock { $0.screen.resize(columns: columns, rows: rows) }
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    // The system signals the terminal's foreground group, which this process is not in.
    kill(getpid(), SIGWINCH)
  }

  /// Closes the terminal's other end.
  func hangUp() {
    line.alarm.ring(0)
    line.over.wait()
    line.over.signal()
  }

  /// Waits until the screen is as it should be.
  func wait(
    _ place: SourceLocation = #_sourceLocation, until isSo: (State) -> Bool
  ) throws {
    let limit = DispatchTime.now() + 60
    while !isSo(state) {
      guard line.changed.wait(timeout: limit) == .success else {
        Issue.record("the screen is \(state.screen.lines)", sourceLocation: place)
        throw CancellationError()
      }
    }
  }
}
