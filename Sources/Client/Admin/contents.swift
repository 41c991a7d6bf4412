import Glibc

/// Why a file could not be read or written, as the end of a sentence.
struct FileFault: Error {
  let problem: String

  init(_ problem: String) { self.problem = problem }

  /// Combines the failed action with the system's message.
  init(errno code: Int32, _ verb: String) {
    problem = "cannot be \(verb): \(String(cString: strerror(code)))"
  }
}

extension FileFault {
  /// Rejects a path that C would cut at a zero byte.
  static func check(path: String) throws(FileFault) {
    if path.utf8.contains(0) { throw FileFault("has a zero byte in its name") }
  }
}

/// Reads a file of at most `limit` bytes.
func contents(ofFile path: String, atMost limit: Int) throws(FileFault) -> [UInt8] {
  try FileFault.check(path: path)
  guard let file = fopen(path, "rbe") else { throw FileFault(errno: errno, "opened") }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65_536)
  while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
    bytes += buffer[..<count]
    guard bytes.count <= limit else {
      throw FileFault("is larger than \(limit) bytes")
    }
  }
  guard ferror(file) == 0 else { throw FileFault(errno: errno, "read") }
  return bytes
}
