import Glibc

/// Creates files without overwriting any.
enum NewFile {
  /// Writes a text to a new file that only its owner may read.
  ///
  /// - Returns: the system's error message; nil on success.
  static func write(_ text: String, to path: String) -> String? {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { return words(errno) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let problem = words(errno)
        close(file)
        unlink(path)
        return problem
      }
      rest = rest.dropFirst(count)
    }
    return close(file) == 0 ? nil : words(errno)
  }

  static func words(_ number: Int32) -> String { String(cString: strerror(number)).lowercased() }
}
