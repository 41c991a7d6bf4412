import System

/// Writes accounts in the format of `firebase auth:export`, to a file only its owner can read.
///
/// The file appears under its name only when it is complete.
struct ExportFile {
  private let file: AtomicFile
  private var isFirst = true

  /// Opens a temporary file in the folder of the final one.
  init(path: String) throws(FileFault) {
    try FileFault.check(path: path)
    do throws(AtomicFile.Failure) { file = try AtomicFile(path) } catch {
      throw FileFault(errno: error.code, "written")
    }
    try write("{\"users\": [\n")
  }

  mutating func add(_ account: JSON) throws(FileFault) {
    try write((isFirst ? "" : ",\n") + account.encoded())
    isFirst = false
  }

  /// Completes the file and gives it its name.
  func finish() throws(FileFault) {
    try write("\n]}\n")
    do throws(AtomicFile.Failure) { try file.finish() } catch {
      throw FileFault(errno: error.code, "written")
    }
  }

  /// Removes the incomplete file.
  func abandon() { file.abandon() }

  private func write(_ text: String) throws(FileFault) {
    do throws(AtomicFile.Failure) { try file.write(Array(text.utf8)) } catch {
      throw FileFault(errno: error.code, "written")
    }
  }
}
