import Glibc
import System

/// Writes a file that only its owner can read and that appears under its name when complete, or writes a stream
/// directly.
final class OutputFile {
  /// The path in messages.
  let name: String
  /// The file; nil for a stream.
  private let file: AtomicFile?
  /// The descriptor of a stream; -1 for a file and after closing.
  private var stream: Int32 = -1
  /// Bytes not yet written to the stream.
  private var buffer: [UInt8] = []

  private static let blockSize = 64 << 10

  /// Opens a temporary file in the folder of the final file; follows a symbolic link.
  ///
  /// A path that is not a regular file, such as a pipe or `/dev/stdout`, is an error, unless `allowsStream` is set;
  /// then it is written directly.
  init(path: String, allowsStream: Bool = false) throws(BatchProblem) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw BatchProblem(.usage, "the path of a file to write is empty", hint: "name a file")
    }
    name = path
    var status = stat()
    let exists = stat(path, &status) == 0
    guard exists, status.st_mode & S_IFMT != S_IFREG else {
      do throws(SystemError) {
        file = try AtomicFile(FileAccess.realPath(of: path) ?? path)
      } catch {
        throw Self.problem(path, error.code)
      }
      return
    }
    guard allowsStream, status.st_mode & S_IFMT != S_IFDIR else {
      throw BatchProblem(.usage, "\(path) is no file", hint: "name a file to write")
    }
    file = nil
    stream = open(path, O_WRONLY | O_CLOEXEC)
    guard stream >= 0 else { throw Self.problem(path, errno) }
  }

  /// Writes to an open descriptor, which stays open.
  init(descriptor: Int32, name: String) {
    self.name = name
    file = nil
    stream = dup(descriptor)
  }

  /// Opens a file or stream, or standard output if `path` is nil.
  static func orStandardOutput(_ path: String?) throws(BatchProblem) -> OutputFile {
    guard let path else { return OutputFile(descriptor: STDOUT_FILENO, name: "standard output") }
    return try OutputFile(path: path, allowsStream: true)
  }

  deinit { abandon() }

  func write(_ bytes: [UInt8]) throws(BatchProblem) {
    if let file { return try checked { () throws(SystemError) in try file.write(bytes) } }
    buffer += bytes
    if buffer.count >= Self.blockSize { try flush() }
  }

  func flush() throws(BatchProblem) {
    if let file { return try checked { () throws(SystemError) in try file.flush() } }
    var written = 0
    while written < buffer.count {
      let count = buffer.withUnsafeBytes {
        Glibc.write(stream, $0.baseAddress.map { $0 + written }, $0.count - written)
      }
      if count >= 0 {
        written += count
      } else if errno == EAGAIN {
        var waiting = pollfd(fd: stream, events: Int16(POLLOUT), revents: 0)
        _ = poll(&waiting, 1, -1)
      } else if errno != EINTR {
        let reason = errno
        abandon()
        throw Self.problem(name, reason)
      }
    }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Syncs the file to disk and moves it to its final path.
  func finish() throws(BatchProblem) {
    if let file { return try checked { () throws(SystemError) in try file.finish() } }
    try flush()
    abandon()
  }

  /// Discards an incomplete file; does nothing if it is complete.
  func abandon() {
    file?.abandon()
    if stream >= 0 { close(stream) }
    stream = -1
    buffer = []
  }

  private func checked(
    _ work: () throws(SystemError) -> Void
  ) throws(BatchProblem) {
    do throws(SystemError) { try work() } catch { throw Self.problem(name, error.code) }
  }

  private static func problem(_ name: String, _ reason: Int32) -> BatchProblem {
    let hint =
      switch reason {
      case ENOSPC, EDQUOT: "free some space and try again; nothing was left behind"
      case ENOENT, ENOTDIR: "make the folder first, or name another file"
      case EACCES, EPERM, EROFS: "name a file in a folder that you may write to"
      case EPIPE: "its reader has closed it"
      default: "put this right and try again; nothing was left behind"
      }
    return BatchProblem(
      reason == ENOENT || reason == ENOTDIR ? .usage : .unavailable,
      "\(name) cannot be written: \(SystemError(reason).message)", hint: hint)
  }
}

/// Removes other users' permissions from files that hold accounts.
enum PrivateMode {
  private static let others: mode_t = 0o077

  /// Removes other users' access to an open file; false if others can still access it.
  ///
  /// Leaves pipes, terminals and other special files unchanged.
  static func set(_ descriptor: Int32) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return true }
    guard status.st_mode & others != 0 else { return true }
    _ = fchmod(descriptor, status.st_mode & 0o700)
    // Some file systems report success but do not store modes.
    return fstat(descriptor, &status) == 0 && status.st_mode & others == 0
  }

  /// The same for a file by its path, without opening it, because closing it again would release the process's locks
  /// on it (fcntl_locking(2)).
  static func set(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return true }
    guard status.st_mode & others != 0 else { return true }
    _ = chmod(path, status.st_mode & 0o700)
    return stat(path, &status) == 0 && status.st_mode & others == 0
  }
}
