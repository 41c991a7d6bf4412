import Foundation
import Synchronization
import Testing

/// The built `luath` at a pseudo-terminal that controls its session, as in a terminal window.
final class TerminalProcess: Sendable {
  private struct State {
    var text = ""
    /// The part of the text that waits have passed.
    var seen = 0
    var isOver = false
  }

  private let process = Process()
  private let master: Int32
  private let state = Mutex(State())
  private let changed = DispatchSemaphore(value: 0)

  init(_ arguments: [String], in folder: URL) throws {
    var (master, slave): (Int32, Int32) = (-1, -1)
    var size = winsize(ws_row: 40, ws_col: 200, ws_xpixel: 0, ws_ypixel: 0)
    try #require(openpty(&master, &slave, nil, nil, &size) == 0)
    self.master = master
    let terminal = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
    process.executableURL = URL(fileURLWithPath: "/usr/bin/setsid")
    process.arguments =
      ["--ctty", "--wait", Luath.products.appending(path: "luath").path] + arguments
    process.currentDirectoryURL = folder
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("LUATH_") }
    environment["NO_COLOR"] = "1"
    environment["TERM"] = "xterm"
    process.environment = environment
    process.standardInput = terminal
    process.standardOutput = terminal
    process.standardError = terminal
    try process.run()
    try terminal.close()
    Thread.detachNewThread { [self] in
      var buffer = [UInt8](repeating: 0, count: 4096)
      while case let count = read(self.master, &buffer, buffer.count), count > 0 {
        let text = String(decoding: buffer[..<count], as: UTF8.self)
        state.withLock { $0.text += text }
        changed.signal()
      }
      state.withLock { $0.isOver = true }
      changed.signal()
    }
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    close(master)
  }

  /// Everything that was shown, for messages of tests.
  var text: String { state.withLock(\.text) }

  /// Whether keys are shown and lines are edited, as a shell expects it.
  var hasUsualModes: Bool {
    var modes = termios()
    tcgetattr(master, &modes)
    return modes.c_lflag & tcflag_t(ICANON | ECHO) == tcflag_t(ICANON | ECHO)
  }

  func type(_ keys: String) {
    _ = keys.utf8CString.withUnsafeBytes { write(master, $0.baseAddress, $0.count - 1) }
  }

  /// Waits until a text is shown after what earlier waits have passed; returns what stands before it.
  ///
  /// Nil when the process ends first, or after a minute.
  @discardableResult
  func wait(for words: String) async -> String? {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { [self] in continuation.resume(returning: find(words)) }
    }
  }

  private func find(_ words: String) -> String? {
    let deadline = DispatchTime.now() + 60
    while true {
      let (found, isOver) = state.withLock { state -> (String?, Bool) in
        let rest = state.text.dropFirst(state.seen)
        guard let range = rest.range(of: words) else { return (nil, state.isOver) }
        let before = String(rest[..<range.lowerBound])
        state.seen = state.text.distance(from: state.text.startIndex, to: range.upperBound)
        return (before, false)
      }
      if found != nil || isOver { return found }
      guard changed.wait(timeout: deadline) == .success else { return nil }
    }
  }

  /// Waits for the end and returns the exit code.
  func end() async -> Int32 {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { [self] in
        process.waitUntilExit()
        continuation.resume(returning: process.terminationStatus)
      }
    }
  }
}
