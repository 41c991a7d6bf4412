import Glibc

final class LineReader {
  /// A line, or the marker of a skipped line.
  enum Line {
    /// The line's bytes with the line feed, which the last line may lack; valid until the next call.
    case text(UnsafeBufferPointer<UInt8>)
    /// The line is longer than the limit, and was skipped.
    case tooLong
  }

  private let window: ByteWindow
  private let limit: Int
  /// The length of the current line in bytes.
  private var length = 0
  /// The number of the current line, from 1.
  private(set) var number: Int64 = 0

  /// Reads lines of at most `limit` bytes.
  init(_ window: ByteWindow, limit: Int) {
    self.window = window
    self.limit = limit
  }

  /// The next line; nil after the last.
  func next() throws(BatchProblem) -> Line? {
    window.drop(length)
    length = 0
    var seen = 0
    while true {
      let bytes = window.bytes
      if let end = Self.end(of: bytes, from: seen) {
        number += 1
        length = end + 1
        return length > limit ? .tooLong : .text(UnsafeBufferPointer(rebasing: bytes[..<length]))
      }
      guard bytes.count <= limit else { return try skip() }
      seen = bytes.count
      guard try !window.fill() else { continue }
      guard seen > 0 else { return nil }
      number += 1
      length = seen
      return .text(window.bytes)
    }
  }

  private static func end(of bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    guard start < bytes.count, let first = bytes.baseAddress,
      let found = memchr(first + start, 0x0A, bytes.count - start)
    else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(first)
  }

  /// Skips the rest of a line without buffering it.
  private func skip() throws(BatchProblem) -> Line {
    number += 1
    while true {
      if let end = Self.end(of: window.bytes, from: 0) {
        length = end + 1
        return .tooLong
      }
      window.drop(window.count)
      guard try window.fill() else { return .tooLong }
    }
  }
}
