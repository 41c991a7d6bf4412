import Glibc

/// What happens when luath is started with one of its three streams closed, as in `luath batch plan … <&-`.
enum ClosedStreams {
  /// Keeps the numbers of closed streams from going to files that are opened later.
  ///
  /// Each is opened the wrong way round, so that reading or writing it fails as it does for a closed one.
  static func occupy() {
    for (descriptor, mode) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
    ] where fcntl(descriptor, F_GETFD) == -1 {
      // The lowest number that is free (open(2)), which is this one.
      _ = open("/dev/null", mode)
    }
  }
}
