import Glibc
import Host
import Synchronization
import System

/// The file of `--log`.
final class ExchangeLog: Sendable {
  private let path: String
  private let console: Console
  /// The open file; -1 after an error, and after the end.
  private let file: Mutex<Int32>

  /// Opens the file to append to it; creates it for this user only.
  init(_ path: String, _ console: Console) throws(CommandFailure) {
    self.path = path
    self.console = console
    // Without O_NONBLOCK, a named pipe would wait for a reader here.
    let file = open(
      console.whole(path), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0o600)
    guard file >= 0 else {
      throw CommandFailure(
        .unavailable, "cannot write the log \(path.printable): \(SystemError(errno).words)",
        hint: "check --log; the path starts from \(console.folder.printable)")
    }
    self.file = Mutex(file)
  }

  /// Appends text; the first error is reported and ends the log.
  func write(_ text: String) {
    let failure = file.withLock { file -> Int32? in
      guard file >= 0 else { return nil }
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          let error = errno
          Glibc.close(file)
          file = -1
          return error
        }
        rest = rest.dropFirst(count)
      }
      return nil
    }
    if let failure {
      console.warn(
        "the log \(path.printable) ends here: \(SystemError(failure).words)",
        hint: "the emulator goes on without it")
    }
  }

  func close() {
    file.withLock { file in
      if file >= 0 { Glibc.close(file) }
      file = -1
    }
  }
}
