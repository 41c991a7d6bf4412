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

  /// Reads an open file from a position to its end, without moving its position.
  public static func read(_ file: Int32, from start: Int = 0) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = pread(file, &buffer, buffer.count, off_t(start + bytes.count))
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }
}
