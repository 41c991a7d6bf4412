import Glibc
import Synchronization

/// What happens when nobody reads what luath writes, as in `luath run FILE | head -1`.
enum BrokenPipe {
  private static let endsProcess = Atomic<Bool>(true)

  /// Lets the process go on all the same, for work that must be brought to an end in good order.
  static func outlive() { endsProcess.store(false, ordering: .relaxed) }

  /// Lets a broken standard output end the process, as it ends other programs, and a broken
  /// connection be an error of the call that wrote to it.
  static func watch() {
    // Only what is safe in a handler.
    signal(SIGPIPE) { _ in
      let saved = errno
      var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      if BrokenPipe.endsProcess.load(ordering: .relaxed), poll(&output, 1, 0) == 1,
        output.revents & Int16(POLLERR) != 0
      {
        signal(SIGPIPE, SIG_DFL)
        raise(SIGPIPE)
      }
      errno = saved
    }
  }
}
