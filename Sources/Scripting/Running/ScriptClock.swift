import Auth
import Glibc

/// The clock of the script's clients: the system's, moved along with the emulator's.
final class ScriptClock: AuthClock {
  /// Seconds the emulator's clock was moved forward by this script.
  var advance: Int64 = 0

  /// Seconds since 1970.
  var now: Int64 { Int64(time(nil)) + advance }
}
