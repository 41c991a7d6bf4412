import Client
import Glibc

/// The clock of the script's clients: the system's, adjusted to the emulator's.
final class ScriptClock: AuthClock {
  /// Seconds by which the emulator's clock is ahead of the machine's; negative when it is behind.
  var advance: Int64

  init(advance: Int64) {
    self.advance = advance
  }

  var now: Int64 { Int64(time(nil)) + advance }
}
