import System

/// Reads rows that are the objects of one JSON array.
///
/// An invalid object is an error of its row only. An error in the array itself ends the reading, because the start
/// of the next row is unknown.
final class JSONArrayRows: RowReader {
  let columns: [String] = []
  private let window: ByteWindow
  private let limit: Int
  private var number: Int64 = 0
  private var line: Int64 = 1
  private var isEnded = false
  /// The number of bytes in the window that belong to the current row.
  private var length = 0

  /// Reads up to the first element of the array.
  init(_ window: ByteWindow, limit: Int = RowLimits.mostBytes) throws(BatchProblem) {
    self.window = window
    self.limit = limit
    guard let first = try skipSpace() else { throw RowLimits.empty(window.name) }
    guard first == UInt8(ascii: "[") else {
      throw BatchProblem(
        .usage, "\(window.name) does not begin with '[' as a JSON array does",
        hint: first == UInt8(ascii: "{")
          ? "take the list out first, with jq -c '.users[]' for one under users, or pass "
            + "--format ndjson if each line is an object"
          : "pass --format with what the file is")
    }
    window.drop(1)
  }

  func next() throws(BatchProblem) -> InputRow? {
    guard !isEnded else { return nil }
    window.drop(length)
    length = 0
    guard let first = try skipSpace() else { throw unended() }
    if first == UInt8(ascii: "]"), number == 0 { return try end() }
    if number > 0 {
      switch first {
      case UInt8(ascii: ","):
        window.drop(1)
        guard let next = try skipSpace() else { throw unended() }
        if next == UInt8(ascii: "]") { throw broken("there is a comma before the closing bracket") }
      case UInt8(ascii: "]"): return try end()
      default: throw broken("a comma or the closing bracket is missing behind row \(number)")
      }
    }
    return try row()
  }

  private func row() throws(BatchProblem) -> InputRow {
    let begin = line
    length = try findEnd()
    guard length > 0 else { throw broken("a row is missing between two commas") }
    number += 1
    let fields = JSONObject.row(UnsafeBufferPointer(rebasing: window.bytes[..<length])) {
      $0.line > 1
        ? "\($0.message) (line \(begin + Int64($0.line) - 1), column \($0.column))" : $0.message
    }
    return InputRow(number: number, line: begin, fields: fields)
  }

  /// The length of the element at the start of the window, in bytes.
  ///
  /// An object, array or string ends with its closing bracket or quote; a number or word ends before a delimiter.
  private func findEnd() throws(BatchProblem) -> Int {
    var index = 0
    var depth = 0
    var isString = false
    while true {
      let bytes = window.bytes
      while index < bytes.count {
        let byte = bytes[index]
        if isString {
          switch byte {
          case UInt8(ascii: "\\"): index += 1
          case UInt8(ascii: "\""): isString = false
          case 0x0A, 0x0D: throw broken("a string is not closed")
          default: break
          }
        } else {
          switch byte {
          case UInt8(ascii: "\""): isString = true
          case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
          case UInt8(ascii: "}"), UInt8(ascii: "]"):
            if depth == 0 { return index }
            depth -= 1
          case UInt8(ascii: ","), 0x20, 0x09, 0x0D:
            if depth == 0 { return index }
          case 0x0A:
            if depth == 0 { return index }
            line += 1
          default: break
          }
        }
        index += 1
        if depth == 0, !isString, Self.isEnd(byte) { return index }
      }
      guard bytes.count <= limit else {
        throw broken("row \(number + 1) is longer than \(limit >> 20) MiB; is it ever closed?")
      }
      guard try window.fill() else { throw unended() }
    }
  }

  /// Whether this byte ends an element when no bracket is open.
  private static func isEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "\"")
  }

  private func end() throws(BatchProblem) -> InputRow? {
    window.drop(1)
    guard try skipSpace() == nil else { throw broken("there is more behind the array") }
    isEnded = true
    return nil
  }

  /// Drops white space (RFC 8259 section 2) and returns the byte after it; nil at the end.
  private func skipSpace() throws(BatchProblem) -> UInt8? {
    while true {
      let bytes = window.bytes
      var index = 0
      while index < bytes.count {
        let byte = bytes[index]
        guard byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D else {
          window.drop(index)
          return byte
        }
        if byte == 0x0A { line += 1 }
        index += 1
      }
      window.drop(index)
      guard try window.fill() else { return nil }
    }
  }

  private func broken(_ what: String) -> BatchProblem {
    BatchProblem(
      .usage, "\(window.name) is no JSON array: \(what), in line \(line)",
      hint: "put it right, or write one object per line, where only the bad line would be refused")
  }

  private func unended() -> BatchProblem {
    BatchProblem(
      .usage, "\(window.name) ends in the middle of its JSON array, behind row \(number)",
      hint: "it was cut off: make or copy it again")
  }
}

/// Reads rows that are JSON objects, one per line; empty lines are skipped.
final class NDJSONRows: RowReader {
  let columns: [String] = []
  private let lines: LineReader
  private var number: Int64 = 0

  /// Reads from the window's first remaining byte.
  init(_ window: ByteWindow, limit: Int = RowLimits.mostBytes) {
    lines = LineReader(window, limit: limit)
  }

  func next() throws(BatchProblem) -> InputRow? {
    while let line = try lines.next() {
      let fields: Result<JSONObject, RowFailure>
      switch line {
      case .tooLong: fields = .failure(RowLimits.tooLong)
      case .text(let text):
        // Without the line end, because an error position at the line end would be on the next line.
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        guard let last = text.lastIndex(where: { !isSpace($0) }) else { continue }
        fields = JSONObject.row(UnsafeBufferPointer(rebasing: text[...last])) {
          "\($0.message) (column \($0.column)); each line must be a whole JSON object"
        }
      }
      number += 1
      return InputRow(number: number, line: lines.number, fields: fields)
    }
    return nil
  }
}

extension JSONObject {
  /// Parses a row; `wrong` makes the message of a JSON error.
  static func row(
    _ text: UnsafeBufferPointer<UInt8>, wrong: (JSONError) -> String
  ) -> Result<JSONObject, RowFailure> {
    do throws(JSONError) {
      // Reject duplicate names: RFC 8259 section 4 does not define which of the values counts.
      let json = try JSON.parse(
        Array(text), maximumDepth: RowLimits.mostDepth, refusesDuplicates: true,
        refusesLongIntegers: true)
      guard let object = json.object else {
        return .failure(RowFailure(RowLimits.malformed, "it is no JSON object"))
      }
      return .success(object)
    } catch {
      return .failure(RowFailure(RowLimits.malformed, wrong(error)))
    }
  }
}
