import Glibc

/// Opens files that have no name, so that nothing of them is left, however the process ends.
public enum TemporaryFile {
  /// Opens an empty file for reading and appending, which the caller must close.
  ///
  /// - Parameter folder: The folder on whose file system it is; nil or empty for `/tmp`.
  public static func open(in folder: String?) throws(SystemError) -> Int32 {
    let folder = folder.flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    let flags = O_RDWR | O_APPEND | O_CLOEXEC
    let file = Glibc.open(folder, flags | AtomicFile.unnamed, 0o600)
    if file >= 0 { return file }
    // The file system does not support files without a name.
    var template = Array("\(folder)/luath-XXXXXX".utf8CString)
    let named = mkstemp(&template)
    guard named >= 0 else { throw SystemError(errno) }
    unlink(template)
    _ = fcntl(named, F_SETFL, O_APPEND)
    _ = fcntl(named, F_SETFD, FD_CLOEXEC)
    return named
  }

  /// The size of an open file in bytes; 0 if it has none.
  public static func size(of file: Int32) -> Int {
    var facts = stat()
    return fstat(file, &facts) == 0 ? Int(facts.st_size) : 0
  }

  /// Reads an open file from a position to the end that it has now, or a number of bytes, without moving its position.
  public static func read(
    _ file: Int32, from start: Int = 0, atMost limit: Int = .max
  ) -> [UInt8] {
    let size = min(max(0, size(of: file) - start), limit)
    return [UInt8](unsafeUninitializedCapacity: size) { bytes, count in
      while count < size, let base = bytes.baseAddress {
        let new = pread(file, base + count, size - count, off_t(start + count))
        guard new > 0 else { return }
        count += new
      }
    }
  }
}
