import Glibc
import OIDC

/// A file that only its owner can read, and that appears under its name when it is complete.
///
/// Until then it has another name beside that one; when its writer gives up, nothing is left behind.
final class OutputFile {
  /// What messages call it.
  let name: String
  private var descriptor: Int32
  /// The name until it is complete, and the one that it gets then; nil for a stream.
  private let names: (unfinished: String, final: String)?
  private var buffer: [UInt8] = []

  private static let blockSize = 64 << 10

  /// Opens a file beside the one to be; a link is followed.
  ///
  /// What is no file, such as a pipe or `/dev/stdout`, is refused, or with `allowsStream` written at once.
  init(path: String, allowsStream: Bool = false) throws(BatchProblem) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw BatchProblem(.usage, "the path of a file to write is empty", hint: "name a file")
    }
    name = path
    var status = stat()
    let exists = stat(path, &status) == 0
    if exists, status.st_mode & S_IFMT != S_IFREG {
      names = nil
      guard allowsStream, status.st_mode & S_IFMT != S_IFDIR else {
        throw BatchProblem(.usage, "\(path) is no file", hint: "name a file to write")
      }
      descriptor = open(path, O_WRONLY | O_CLOEXEC)
    } else {
      let final = exists ? Self.resolved(path) : path
      let unfinished = "\(final).\(SecureRandom.alphanumeric(8)).part"
      names = (unfinished, final)
      // Exclusively, so that nobody's link is followed.
      descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    }
    guard descriptor >= 0 else { throw Self.problem(path, errno) }
  }

  /// Writes to an open descriptor, which is left open.
  init(descriptor: Int32, name: String) {
    self.name = name
    self.descriptor = dup(descriptor)
    names = nil
  }

  deinit { abandon() }

  /// Where a link leads to.
  private static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// Writes bytes behind those before.
  func write(_ bytes: [UInt8]) throws(BatchProblem) {
    buffer += bytes
    if buffer.count >= Self.blockSize { try flush() }
  }

  /// Hands everything to the system.
  func flush() throws(BatchProblem) {
    var written = 0
    while written < buffer.count {
      let count = buffer.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress.map { $0 + written }, $0.count - written)
      }
      if count >= 0 {
        written += count
      } else if errno == EAGAIN {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&waiting, 1, -1)
      } else if errno != EINTR {
        let reason = errno
        abandon()
        throw Self.problem(name, reason)
      }
    }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Makes everything durable and gives the file its name.
  func finish() throws(BatchProblem) {
    try flush()
    guard descriptor >= 0 else { return }
    guard let names else { return abandon() }
    guard fsync(descriptor) == 0, rename(names.unfinished, names.final) == 0 else {
      let reason = errno
      abandon()
      throw Self.problem(name, reason)
    }
    close(descriptor)
    descriptor = -1
  }

  /// Leaves nothing behind; does nothing to a file that is complete.
  func abandon() {
    guard descriptor >= 0 else { return }
    close(descriptor)
    descriptor = -1
    buffer = []
    if let names { unlink(names.unfinished) }
  }

  private static func problem(_ name: String, _ reason: Int32) -> BatchProblem {
    let hint =
      switch reason {
      case ENOSPC, EDQUOT: "free some space and try again; nothing was left behind"
      case ENOENT, ENOTDIR: "make the folder first, or name another file"
      case EACCES, EPERM, EROFS: "name a file in a folder that you may write to"
      case EPIPE: "whoever read it went away"
      default: "put this right and try again; nothing was left behind"
      }
    return BatchProblem(
      reason == ENOENT || reason == ENOTDIR ? .usage : .unavailable,
      "\(name) cannot be written: \(String(cString: strerror(reason)))", hint: hint)
  }
}
