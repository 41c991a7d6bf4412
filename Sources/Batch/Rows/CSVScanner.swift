import Glibc

/// Finds the records of a CSV file (RFC 4180) and the positions of their fields.
///
/// Like Python's reader, it accepts more than the RFC: lines may end with LF or CR alone, and a quote in a field
/// that does not begin with one is an ordinary character.
struct CSVScanner {
  /// The position of a field, relative to the start of the record.
  struct Field {
    var start: Int
    var end: Int
    /// Whether the field is quoted; its range excludes the quotes.
    var isQuoted = false
    /// Whether it contains doubled quotes.
    var hasPairs = false
  }

  /// An error in a record after which the next record can still be found.
  enum Flaw {
    /// There is text between a closing quote and the end of its field, on this line.
    case textBehindQuote(line: Int64)
    /// The record is longer than the limit, and was skipped.
    case tooLong
  }

  private static let quote = UInt8(ascii: "\"")
  private static let lineFeed: UInt8 = 0x0A
  private static let carriageReturn: UInt8 = 0x0D

  private let window: ByteWindow
  private let limit: Int
  private let delimiter: UInt8
  /// The end of the current field, or how far the search for it has come.
  private var position = 0
  /// The length of the record in bytes, with its line end.
  private var length = 0
  private var nextLine: Int64

  private(set) var fields: [Field] = []
  /// The error in the current record.
  private(set) var flaw: Flaw?
  /// The first line of the current record, counted from 1.
  private(set) var line: Int64

  /// Reads records of at most `limit` bytes, from the window's first remaining byte.
  init(_ window: ByteWindow, delimiter: UInt8, line: Int64, limit: Int) {
    self.window = window
    self.delimiter = delimiter
    self.line = line
    self.limit = limit
    nextLine = line
  }

  /// The bytes of the current record; valid until `next` is called.
  var record: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: window.bytes[..<length])
  }

  var lastLine: Int64 { nextLine - 1 }

  /// Finds the next record, skipping empty lines; false after the last.
  mutating func next() throws(BatchProblem) -> Bool {
    repeat {
      window.drop(length)
      length = 0
      position = 0
      line = nextLine
      flaw = nil
      fields.removeAll(keepingCapacity: true)
      if window.count == 0, try !window.fill() { return false }
      while try field() {}
      nextLine += 1
    } while isEmptyLine
    return true
  }

  private var isEmptyLine: Bool {
    fields.count == 1 && fields[0].end == 0 && !fields[0].isQuoted && flaw == nil
  }

  /// Finds the field that begins at `position`; false if it is the record's last.
  private mutating func field() throws(BatchProblem) -> Bool {
    if try has(position), window.bytes[position] == Self.quote {
      var field = try quoted()
      field.isQuoted = true
      fields.append(field)
    } else {
      let start = position
      try findEnd(orDelimiter: true)
      fields.append(Field(start: start, end: position))
    }
    return try endField()
  }

  /// Skips the delimiter or line end after a field; false at the end of the record.
  private mutating func endField() throws(BatchProblem) -> Bool {
    guard try has(position) else {
      length = position
      return false
    }
    switch window.bytes[position] {
    case Self.lineFeed:
      length = position + 1
      return false
    case Self.carriageReturn:
      let isPair = try has(position + 1) && window.bytes[position + 1] == Self.lineFeed
      length = position + (isPair ? 2 : 1)
      return false
    case delimiter:
      position += 1
      return true
    default:
      // Any other byte here follows a closing quote.
      if flaw == nil { flaw = .textBehindQuote(line: nextLine) }
      try findEnd(orDelimiter: false)
      return try endField()
    }
  }

  /// Reads a quoted field, including the closing quote.
  private mutating func quoted() throws(BatchProblem) -> Field {
    let opening = nextLine
    position += 1
    var field = Field(start: position, end: position)
    while true {
      guard let end = try findQuote() else { throw unclosed(opening) }
      countLines(position..<end)
      field.end = end
      position = end + 1
      guard try has(position), window.bytes[position] == Self.quote else { return field }
      field.hasPairs = true
      position += 1
    }
  }

  /// The position of the next quote; nil if there is none within the limit.
  private func findQuote() throws(BatchProblem) -> Int? {
    var seen = position
    while true {
      let bytes = window.bytes
      if seen < bytes.count, let first = bytes.baseAddress,
        let found = memchr(first + seen, Int32(Self.quote), bytes.count - seen)
      {
        return UnsafeRawPointer(found) - UnsafeRawPointer(first)
      }
      seen = bytes.count
      guard seen <= limit, try window.fill() else { return nil }
    }
  }

  /// Counts the line ends within a quoted field.
  private mutating func countLines(_ range: Range<Int>) {
    let bytes = window.bytes
    for index in range {
      if bytes[index] == Self.lineFeed {
        nextLine += 1
      } else if bytes[index] == Self.carriageReturn, bytes[index + 1] != Self.lineFeed {
        // The next byte exists, because the range ends before a quote.
        nextLine += 1
      }
    }
  }

  /// Moves to the line end, the delimiter (if `orDelimiter`) or the end of input, whichever is first.
  private mutating func findEnd(orDelimiter: Bool) throws(BatchProblem) {
    while true {
      let bytes = window.bytes
      while position < bytes.count {
        let byte = bytes[position]
        if byte == Self.lineFeed || byte == Self.carriageReturn
          || (orDelimiter && byte == delimiter)
        {
          return
        }
        position += 1
      }
      if position > limit {
        // Drop the data and fields of a record that is too long.
        flaw = .tooLong
        fields.removeAll(keepingCapacity: true)
        window.drop(window.count)
        position = 0
      }
      guard try window.fill() else { return }
    }
  }

  /// Whether there is a byte at a position; reads more input if necessary.
  private func has(_ position: Int) throws(BatchProblem) -> Bool {
    while position >= window.count {
      guard try window.fill() else { return false }
    }
    return true
  }

  private func unclosed(_ opening: Int64) -> BatchProblem {
    let words = "the quote that opens a field in line \(opening) of \(window.name)"
    // Stop here: finding the closing quote would mean buffering the rest of the file.
    if window.count > limit {
      return BatchProblem(
        .usage,
        "\(words) is not closed within \(limit >> 20) MiB, which is the most that a row may have",
        hint:
          "if the field is meant to be that long, take its row out; otherwise close the quote, or "
          + "double it (\"\") where it is meant as a character, in quotes")
    }
    return BatchProblem(
      .usage, "\(words) is never closed",
      hint: "close it, or double it (\"\") where it is meant as a character, in quotes")
  }
}
