internal import System
internal import Glibc

/// Reads and writes files and folders that only their owner may read.
enum PrivateFile {
  /// Creates a folder and missing parents; keeps an existing one.
  static func makeFolder(_ path: String) throws(SystemError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
      throw SystemError(errno)
    }
    try makeFolder(String(path[..<slash]))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw SystemError(errno) }
  }

  /// Creates a new folder; returns false when it exists already.
  static func makeNewFolder(_ path: String) throws(SystemError) -> Bool {
    if mkdir(path, 0o700) == 0 { return true }
    guard errno == EEXIST else { throw SystemError(errno) }
    return false
  }

  /// Writes a file atomically.
  static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
    try AtomicFile.write(bytes, to: path)
  }

  /// Checks that a file could be written at this path.
  static func checkPlace(of path: String) throws(SystemError) {
    guard !path.isEmpty else { throw SystemError(ENOENT) }
    var facts = stat()
    if stat(path, &facts) == 0, facts.st_mode & S_IFMT != S_IFREG {
      throw SystemError(facts.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
    }
    guard access(path.folder, W_OK | X_OK) == 0 else { throw SystemError(errno) }
  }

  /// Reads a file of at most `limit` bytes.
  static func read(_ path: String, atMost limit: Int) throws(SystemError) -> [UInt8] {
    // O_NONBLOCK, so that a pipe does not wait for a writer.
    let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { throw SystemError(errno) }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0 else { throw SystemError(errno) }
    guard facts.st_mode & S_IFMT == S_IFREG else {
      throw SystemError(facts.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
    }
    return try WholeFile.read(file, atMost: limit)
  }
}
