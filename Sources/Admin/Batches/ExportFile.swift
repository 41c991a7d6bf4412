import Encoding
import Glibc
import OIDC

/// Writes the accounts of a project as `firebase auth:export` does, to a file only its owner can
/// read.
///
/// The file appears under its name when it is complete, and not before.
struct ExportFile {
  private let path: String
  private let unfinished: String
  private var file: UnsafeMutablePointer<FILE>?
  private var isFirst = true

  /// Opens a file beside the one to be.
  init(path: String) throws(FileFault) {
    try FileFault.check(path: path)
    self.path = path
    unfinished = "\(path).\(SecureRandom.alphanumeric(8)).part"
    // Exclusively, so that nobody's link is followed.
    let descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw FileFault(errno: errno, "written") }
    file = fdopen(descriptor, "w")
    try write("{\"users\": [\n")
  }

  /// Adds an account.
  mutating func add(_ account: JSON) throws(FileFault) {
    try write((isFirst ? "" : ",\n") + account.encoded())
    isFirst = false
  }

  /// Ends the file and gives it its name.
  mutating func finish() throws(FileFault) {
    try write("\n]}\n")
    guard let file else { return }
    guard fflush(file) == 0, fsync(fileno(file)) == 0 else {
      throw FileFault(errno: errno, "written")
    }
    close()
    guard rename(unfinished, path) == 0 else { throw FileFault(errno: errno, "written") }
  }

  /// Leaves nothing behind.
  mutating func abandon() {
    close()
    unlink(unfinished)
  }

  private mutating func close() {
    if let file { fclose(file) }
    file = nil
  }

  private func write(_ text: String) throws(FileFault) {
    let bytes = Array(text.utf8)
    guard let file, fwrite(bytes, 1, bytes.count, file) == bytes.count else {
      throw FileFault(errno: errno, "written")
    }
  }
}
