import Glibc
import Synchronization

/// Handles SIGPIPE when the reader of luath's output ends, as in `luath run FILE | head -1`.
enum BrokenPipe {
  private static let endsProcess = Atomic<Bool>(true)

  /// Lets the process continue after a broken pipe, for work that must end in an orderly way.
  static func outlive() { endsProcess.store(false, ordering: .relaxed) }

  /// Lets a broken standard output end the process, as in other programs; a write to a broken connection only fails.
  static func watch() {
    // The handler uses only async-signal-safe functions.
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
