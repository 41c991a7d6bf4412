internal import System
internal import Glibc

/// Reads and writes files and folders that only their owner may read.
enum PrivateFile {
  struct Problem: Error {
    let code: Int32

    var words: String { String(cString: strerror(code)) }
  }

  /// Creates a folder and missing parents; keeps an existing one.
  static func makeFolder(_ path: String) throws(Problem) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
      throw Problem(code: errno)
    }
    try makeFolder(String(path[..<slash]))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw Problem(code: errno) }
  }

  /// Creates a new folder; returns false when it exists already.
  static func makeNewFolder(_ path: String) throws(Problem) -> Bool {
    if mkdir(path, 0o700) == 0 { return true }
    guard errno == EEXIST else { throw Problem(code: errno) }
    return false
  }

  /// Writes a file atomically.
  static func write(_ bytes: [UInt8], to path: String) throws(Problem) {
    do throws(AtomicFile.Failure) { try AtomicFile.write(bytes, to: path) } catch {
      throw Problem(code: error.code)
    }
  }

  /// Checks that a file could be written at this path.
  static func checkPlace(of path: String) throws(Problem) {
    guard !path.isEmpty else { throw Problem(code: ENOENT) }
    var facts = stat()
    if stat(path, &facts) == 0, facts.st_mode & S_IFMT != S_IFREG {
      throw Problem(code: facts.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
    }
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    guard access(folder, W_OK | X_OK) == 0 else { throw Problem(code: errno) }
  }

  /// Reads a file of at most `limit` bytes.
  static func read(_ path: String, atMost limit: Int) throws(Problem) -> [UInt8] {
    // O_NONBLOCK, so that a pipe does not wait for a writer.
    let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { throw Problem(code: errno) }
    defer { close(file) }
    var facts = stat()
    guard fstat(file, &facts) == 0 else { throw Problem(code: errno) }
    guard facts.st_mode & S_IFMT == S_IFREG else {
      throw Problem(code: facts.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
    }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(file, &block, block.count)
      if count == 0 { return bytes }
      guard count > 0 || errno == EINTR else { throw Problem(code: errno) }
      bytes += block.prefix(max(count, 0))
      guard bytes.count <= limit else { throw Problem(code: EFBIG) }
    }
  }
}
