import Glibc
import OIDC

/// A file that only its owner can read, and that appears under its name when it is complete.
///
/// Until then it has no name at all, so that nothing is left behind even by a process that is killed; where the file
/// system knows no files without a name, it has another name beside that one.
final class OutputFile {
  /// What messages call it.
  let name: String
  private var descriptor: Int32
  /// The name until it is complete, and the one that it gets then; nil for a stream.
  private let names: (unfinished: String, final: String)?
  /// Whether it has the first of these names.
  private var isNamed = false
  private var buffer: [UInt8] = []

  private static let blockSize = 64 << 10
  /// `O_TMPFILE` as <asm-generic/fcntl.h> has it, which Swift does not see.
  static let unnamed = 0o20000000 | O_DIRECTORY

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
      descriptor = open(Self.folder(of: final), O_WRONLY | Self.unnamed | O_CLOEXEC, 0o600)
      if descriptor < 0 || access(Self.path(of: descriptor), F_OK) != 0 {
        if descriptor >= 0 { close(descriptor) }
        isNamed = true
        // Exclusively, so that nobody's link is followed.
        descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      }
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

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// What stands for an open file that has no name; see open(2) for `O_TMPFILE`.
  private static func path(of descriptor: Int32) -> String { "/proc/self/fd/\(descriptor)" }

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
    guard fsync(descriptor) == 0, publish(names.unfinished, names.final) else {
      let reason = errno
      abandon()
      throw Self.problem(name, reason)
    }
    close(descriptor)
    descriptor = -1
  }

  /// Gives the file its name, also in place of one that is there; false with `errno` when it cannot be.
  private func publish(_ unfinished: String, _ final: String) -> Bool {
    if !isNamed {
      if name(final) { return true }
      guard errno == EEXIST, name(unfinished) else { return false }
      isNamed = true
    }
    return rename(unfinished, final) == 0
  }

  private func name(_ path: String) -> Bool {
    linkat(AT_FDCWD, Self.path(of: descriptor), AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0
  }

  /// Leaves nothing behind; does nothing to a file that is complete.
  func abandon() {
    guard descriptor >= 0 else { return }
    close(descriptor)
    descriptor = -1
    buffer = []
    if let names, isNamed { unlink(names.unfinished) }
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
