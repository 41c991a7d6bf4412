import System
import Glibc

/// The file that keeps the record of earlier runs.
struct RecordFile: Sendable {
  /// The default folder, relative to the working folder.
  private static let folder = ".luath"
  private static let largest = 64 << 20

  /// The absolute path of the file.
  let path: String
  private let isOwn: Bool

  /// Uses a file that the user named, by its absolute path.
  init(path: String) {
    self.path = path
    isOwn = false
  }

  /// Uses the default file in a working folder.
  init(workingFolder: String) {
    path = "\(workingFolder)/\(Self.folder)/tests.json"
    isOwn = true
  }

  /// Reads the record; nil when there is none.
  func read() throws(Problem) -> RunRecord? {
    if isSpecial { throw unreadable("it is no plain file") }
    guard let file = fopen(path, "rb") else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw unreadable(words(of: errno))
    }
    defer { fclose(file) }
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
      content += buffer[..<count]
      if content.count > Self.largest { throw unreadable("it is larger than 64 MiB") }
    }
    guard ferror(file) == 0 else { throw unreadable(words(of: errno)) }
    do throws(RunRecord.Problem) {
      return try RunRecord(content)
    } catch {
      throw unreadable(error.message)
    }
  }

  /// Whether the path is something other than a regular file.
  private var isSpecial: Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT != S_IFREG
  }

  private func unreadable(_ reason: String) -> Problem {
    Problem(
      "the record of earlier runs in \(path) cannot be used: \(reason)",
      hint: "the run goes on without it, and writes it anew at its end")
  }

  /// Writes the record atomically.
  func write(_ record: RunRecord) throws(Problem) {
    // Do not replace a device such as /dev/null, and do not block on a pipe.
    if isSpecial { throw unwritable("it is no plain file") }
    if isOwn { try makeFolder() }
    do throws(AtomicFile.Failure) {
      try AtomicFile.write(record.encoded(), to: path, mode: 0o666)
    } catch {
      throw unwritable(words(of: error.code))
    }
  }

  /// Creates the folder, with a `.gitignore` that excludes it from version control.
  private func makeFolder() throws(Problem) {
    let folder = String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
    guard mkdir(folder, 0o777) != 0 else {
      if let note = fopen("\(folder)/.gitignore", "wxe") {
        fputs("*\n", note)
        fclose(note)
      }
      return
    }
    guard errno == EEXIST else { throw unwritable(words(of: errno)) }
  }

  private func unwritable(_ reason: String) -> Problem {
    Problem(
      "the record of this run cannot be kept in \(path): \(reason)",
      hint: "--last-failed and --shard will not know of it; --record names another file")
  }

  private func words(of number: Int32) -> String { String(cString: strerror(number)).lowercased() }
}
