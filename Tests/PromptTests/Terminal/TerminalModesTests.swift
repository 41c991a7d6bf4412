import Foundation
import Testing

@testable import Prompt

/// Modes that a process has taken, and how it ends with them.
@Suite(.serialized, .timeLimit(.minutes(1))) struct TerminalModesTests {
  /// A pseudo-terminal for another process.
  private final class Place {
    let path: String
    private let master: Int32
    private let slave: Int32

    init() throws {
      var (master, slave): (Int32, Int32) = (-1, -1)
      try #require(openpty(&master, &slave, nil, nil, nil) == 0)
      (self.master, self.slave) = (master, slave)
      path = String(cString: ttyname(slave))
    }

    deinit {
      close(master)
      close(slave)
    }

    var modes: [UInt8] { TerminalModesTests.modes(slave) }

    /// What was written to the terminal, when so many bytes have come or no more do.
    func written(_ count: Int) -> String {
      var all: [UInt8] = []
      var bytes = [UInt8](repeating: 0, count: 4096)
      var place = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      while all.count < count, poll(&place, 1, 10_000) == 1 {
        let count = read(master, &bytes, bytes.count)
        guard count > 0 else { break }
        all += bytes[..<count]
      }
      return String(decoding: all, as: UTF8.self)
    }
  }

  private static func modes(_ terminal: Int32) -> [UInt8] {
    var modes = termios()
    tcgetattr(terminal, &modes)
    return withUnsafeBytes(of: &modes) { Array($0) }
  }

  // Written once, in a process of its own.
  private nonisolated(unsafe) static var kept: TerminalDevice?

  /// Takes the modes of a terminal in this process, which then ends.
  private static func take(_ path: String) {
    let terminal = open(path, O_RDWR | O_NOCTTY)
    let before = modes(terminal)
    guard let device = TerminalDevice(input: terminal, output: terminal, type: "xterm"),
      device.enter(), modes(terminal) != before
    else { _exit(99) }
    kept = device
    device.noteBelow(12)
    // Threads of dispatch queues have signals blocked.
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_UNBLOCK, &all, nil)
  }

  private func check(_ place: Place, _ before: [UInt8]) {
    #expect(place.modes == before)
    // The cursor is left below what was edited.
    let expected = "\u{1B}[?2004h\u{1B}[?2004l\u{1B}[m\u{1B}[?25h\u{1B}[12B\r\r\n"
    #expect(place.written(expected.utf8.count) == expected)
  }

  @Test(arguments: [SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGSEGV])
  func `a signal that ends the process gives the modes back first`(
    number: Int32
  ) async throws {
    let place = try Place()
    let before = place.modes
    await #expect(processExitsWith: .signal(number)) {
      [path = place.path as String, number = number as Int32] in
      // Runners of tests may ignore some.
      signal(number, SIG_DFL)
      TerminalModesTests.take(path)
      raise(number)
    }
    check(place, before)
  }

  @Test func `abort gives the modes back first`() async throws {
    let place = try Place()
    let before = place.modes
    await #expect(processExitsWith: .signal(SIGABRT)) { [path = place.path as String] in
      TerminalModesTests.take(path)
      abort()
    }
    check(place, before)
  }

  @Test func `exit gives the modes back first`() async throws {
    let place = try Place()
    let before = place.modes
    await #expect(processExitsWith: .exitCode(7)) { [path = place.path as String] in
      TerminalModesTests.take(path)
      exit(7)
    }
    check(place, before)
  }

  @Test func `what was installed for a signal is done after the modes are given back`() async throws
  {
    let place = try Place()
    let before = place.modes
    await #expect(processExitsWith: .exitCode(3)) { [path = place.path as String] in
      signal(SIGTERM) { _ in _exit(3) }
      TerminalModesTests.take(path)
      raise(SIGTERM)
    }
    check(place, before)
  }

  @Test func `a signal that the process outlives leaves it editing, and its handler comes back`()
    async throws
  {
    let place = try Place()
    let before = place.modes
    await #expect(processExitsWith: .exitCode(0)) { [path = place.path as String] in
      signal(SIGTERM) { _ in }
      signal(SIGHUP, SIG_IGN)
      TerminalModesTests.take(path)
      let terminal = open(path, O_RDWR | O_NOCTTY)
      let taken = TerminalModesTests.modes(terminal)
      raise(SIGTERM)
      raise(SIGHUP)
      guard TerminalModesTests.modes(terminal) == taken else { _exit(98) }
      TerminalModesTests.kept?.leave()
      guard TerminalModesTests.modes(terminal) != taken else { _exit(97) }
      // Nothing of ours is left in the way.
      var action = sigaction()
      sigaction(SIGTERM, nil, &action)
      guard action.sa_flags & SA_SIGINFO == 0 else { _exit(96) }
      exit(0)
    }
    #expect(place.modes == before)
  }
}
