import Glibc
import Host
import SignIn
import Synchronization

/// What one run of `--watch` runs.
struct WatchedRun {
  var operands: [String]
  /// Options to add for this run.
  var flags: Set<String> = []
  /// The value of `--name`; nil for that of the command line.
  var name: String?
}

/// The keys of `--watch`.
enum WatchKey: Equatable {
  case all, failed, pattern, update, quit

  init?(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"): self = .all
    case UInt8(ascii: "f"): self = .failed
    case UInt8(ascii: "p"): self = .pattern
    case UInt8(ascii: "u"): self = .update
    // Ctrl-D and Ctrl-\ too.
    case UInt8(ascii: "q"), 0x04, 0x1C: self = .quit
    default: return nil
    }
  }
}

/// A terminal that passes on single keys, without showing them, until `end`.
///
/// Ctrl-C and Ctrl-Z keep their meaning. While journeys run, the terminal has its own modes.
final class WatchKeys: Sendable {
  private let modes: Mutex<(own: termios, hasEnded: Bool)>

  /// Nil without a terminal.
  init?(_ console: Console) {
    var own = termios()
    guard console.terminal?.isInteractive == true, tcgetattr(STDIN_FILENO, &own) == 0 else {
      return nil
    }
    modes = Mutex((own: own, hasEnded: false))
    // Keys pressed during the run were not meant for this prompt.
    set(TCSAFLUSH)
  }

  deinit { end() }

  /// The next key that means something; nil if none was pressed.
  func next() -> WatchKey? {
    // After Ctrl-Z and fg, the terminal may have the modes of the shell.
    var now = termios()
    if tcgetattr(STDIN_FILENO, &now) == 0, now.c_lflag & tcflag_t(ICANON) != 0 { set(TCSANOW) }
    var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    while poll(&input, 1, 0) == 1, input.revents & Int16(POLLIN) != 0 {
      var byte: UInt8 = 0
      guard read(STDIN_FILENO, &byte, 1) == 1 else { return nil }
      if let key = WatchKey(byte) { return key }
    }
    return nil
  }

  /// Restores the modes of the terminal.
  func end() {
    modes.withLock { modes in
      guard !modes.hasEnded else { return }
      modes.hasEnded = true
      if Self.isInForeground { tcsetattr(STDIN_FILENO, TCSADRAIN, &modes.own) }
    }
  }

  private func set(_ when: Int32) {
    modes.withLock { modes in
      // In the background, changing the modes would stop the process.
      guard !modes.hasEnded, Self.isInForeground else { return }
      var changed = modes.own
      changed.c_lflag &= ~tcflag_t(ICANON | ECHO)
      withUnsafeMutableBytes(of: &changed.c_cc) { characters in
        characters[Int(VMIN)] = 1
        characters[Int(VTIME)] = 0
        // Ctrl-\ would end the process without restoring the modes.
        characters[Int(VQUIT)] = 0
      }
      tcsetattr(STDIN_FILENO, when, &changed)
    }
  }

  private static var isInForeground: Bool {
    let group = tcgetpgrp(STDIN_FILENO)
    // A terminal that controls no session has no background.
    return group == getpgrp() || group < 0
  }
}
