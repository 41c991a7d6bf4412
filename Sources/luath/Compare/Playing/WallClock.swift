import Host
import Glibc

/// The clock of this machine.
enum WallClock {
  /// Seconds since 1970.
  static var seconds: Int64 { Int64(time(nil)) }
}
