import Glibc

/// What happens when nobody reads what luath writes, as in `luath run FILE | head -1`.
enum BrokenPipe {
  /// Lets a broken standard output end the process, as it ends other programs, and a broken
  /// connection be an error of the call that wrote to it.
  static func watch() {
    // Only what is safe in a handler.
    signal(SIGPIPE) { _ in
      let saved = errno
      var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      if poll(&output, 1, 0) == 1, output.revents & Int16(POLLERR) != 0 {
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
      }
      errno = saved
    }
  }
}
