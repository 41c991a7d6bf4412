public import Encoding
import Glibc

/// The file in which a record lies between runs.
public struct RecordFile: Sendable {
  /// The folder that is made for it, relative to the working folder, when no other place is named.
  private static let folder = ".luath"
  private static let largest = 64 << 20

  /// Where it is.
  public let path: String
  private let isOwn: Bool

  /// A file that a person named, by its whole path.
  public init(path: String) {
    self.path = path
    isOwn = false
  }

  /// The file in luath's folder of a working folder.
  public init(workingFolder: String) {
    path = "\(workingFolder)/\(Self.folder)/tests.json"
    isOwn = true
  }

  /// Reads the record; nil when there is none yet.
  public func read() throws(Problem) -> RunRecord? {
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

  /// Whether something else than a file stands there.
  private var isSpecial: Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT != S_IFREG
  }

  private func unreadable(_ reason: String) -> Problem {
    Problem(
      "the record of earlier runs in \(path) cannot be used: \(reason)",
      hint: "the run goes on without it, and writes it anew at its end")
  }

  /// Writes the record whole or not at all.
  public func write(_ record: RunRecord) throws(Problem) {
    // A device such as /dev/null must not make room for a file, nor a pipe hold up the run.
    if isSpecial { throw unwritable("it is no plain file") }
    if isOwn { try makeFolder() }
    do throws(AtomicFile.Failure) {
      try AtomicFile.write(record.encoded(), to: path, mode: 0o666)
    } catch {
      throw unwritable(words(of: error.code))
    }
  }

  /// Makes the folder, which keeps itself out of version control.
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
