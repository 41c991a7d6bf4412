import Glibc

/// Handles a start with standard streams closed, as in `luath batch plan … <&-`.
enum ClosedStreams {
  /// Prevents files opened later from getting the descriptor numbers of closed streams.
  ///
  /// Opens each stream in the wrong direction, so that reading or writing fails as on a closed one.
  static func occupy() {
    for (descriptor, mode) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
    ] where fcntl(descriptor, F_GETFD) == -1 {
      // open(2) returns the lowest free descriptor, which is this one.
      _ = open("/dev/null", mode)
    }
  }
}
