import System

/// What a program prints to one stream, in a file, and how far it was read line by line.
struct PrintedStream {
  /// How many bytes are read at a time.
  private static let piece = 1 << 18
  /// The longest line; a longer one counts as several.
  private static let longestLine = 16 << 20
  /// How much of the end a script gets.
  private static let most = 64 << 20

  let file: Int32
  /// How much of the file was read.
  private var position = 0
  /// What was read, with the next line at `start`; there is no end of a line before `searched`.
  private var bytes: [UInt8] = []
  private var start = 0
  private var searched = 0

  init(file: Int32) { self.file = file }

  /// What was printed so far, or its last 64 MiB.
  var end: [UInt8] {
    let size = TemporaryFile.size(of: file)
    return TemporaryFile.read(file, from: max(0, size - Self.most), atMost: Self.most)
  }

  /// Reads the next piece of the file; false if there is none.
  mutating func readPiece() -> Bool {
    let new = TemporaryFile.read(file, from: position, atMost: Self.piece)
    guard !new.isEmpty else { return false }
    position += new.count
    bytes.removeSubrange(..<start)
    searched -= start
    start = 0
    bytes += new
    return true
  }

  /// The next complete line of what was read, without its end.
  mutating func line() -> String? {
    if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
      return take(end, after: end + 1)
    }
    searched = bytes.count
    return bytes.count - start < Self.longestLine ? nil : take(bytes.count, after: bytes.count)
  }

  /// The incomplete line at the end of what was read.
  mutating func lastLine() -> String? {
    start == bytes.count ? nil : take(bytes.count, after: bytes.count)
  }

  private mutating func take(_ end: Int, after next: Int) -> String {
    var line = bytes[start..<end]
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    start = next
    searched = next
    return String(decoding: line, as: UTF8.self)
  }
}
