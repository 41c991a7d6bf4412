import System
import Glibc
import IdentityToolkit

/// Reads rows of a CSV file (RFC 4180) whose first line names the columns.
///
/// All values are strings; an empty field is an empty string. Empty lines are skipped.
final class CSVRows: RowReader {
  let columns: [String]
  private var scanner: CSVScanner
  private var number: Int64 = 0

  /// Reads the header.
  ///
  /// If `delimiter` is nil, it is the one of comma, semicolon, bar and tab that the header contains outside quotes. If
  /// the header contains several or none of them, it is a comma. Rows of journeys follow the same rule.
  init(_ window: ByteWindow, delimiter: UInt8?, limit: Int = RowLimits.mostBytes)
    throws(BatchProblem)
  {
    let delimiter =
      if let delimiter { delimiter } else { try Self.delimiter(window, limit: limit) }
    scanner = CSVScanner(window, delimiter: delimiter, line: 1, limit: limit)
    guard try scanner.next() else { throw RowLimits.empty(window.name) }
    do throws(RowFailure) {
      if let fault = Self.fault(scanner) { throw fault }
      columns = try Self.columns(try Self.values(scanner, columns: []).compactMap(\.string))
    } catch {
      throw BatchProblem(
        .usage, "line \(scanner.line) of \(window.name) cannot name the columns: \(error.message)",
        hint: "begin the file with a line such as uid,email that names each column once")
    }
  }

  func next() throws(BatchProblem) -> InputRow? {
    guard try scanner.next() else { return nil }
    number += 1
    let fields = Result { () throws(RowFailure) -> JSONObject in
      if let fault = Self.fault(scanner) { throw fault }
      guard scanner.fields.count == columns.count else {
        throw Self.fault(
          scanner,
          "\(columns.count) fields expected, and there are \(scanner.fields.count)"
            + (scanner.fields.count > columns.count
              ? "; a value with a delimiter in it must be in quotes" : ""))
      }
      // The header has no duplicate names.
      return JSONObject(uniqueKeys: columns, values: try Self.values(scanner, columns: columns))
    }
    return InputRow(number: number, line: scanner.line, fields: fields)
  }

  // MARK: Values

  /// The values of a record's fields; `columns` is used in messages only.
  private static func values(
    _ scanner: CSVScanner, columns: [String]
  ) throws(RowFailure) -> [JSON] {
    let record = scanner.record
    if let first = record.baseAddress, memchr(first, 0, record.count) != nil {
      throw fault(scanner, "it has a zero byte, which no text has")
    }
    var values: [JSON] = []
    values.reserveCapacity(scanner.fields.count)
    for field in scanner.fields {
      let bytes = UnsafeBufferPointer(rebasing: record[field.start..<field.end])
      let text =
        field.hasPairs
        ? String(utf8: unpaired(bytes))
        : String(utf8: bytes)
      guard let text else {
        let column = values.count < columns.count ? columns[values.count] : nil
        throw fault(
          scanner,
          (column.map { "its \(Redaction().clean($0))" } ?? "field \(values.count + 1)")
            + " \(RowLimits.notUTF8)")
      }
      values.append(.string(text))
    }
    return values
  }

  /// The value of a quoted field, with doubled quotes made single.
  private static func unpaired(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var content: [UInt8] = []
    content.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      content.append(bytes[index])
      // Within quotes, a quote character is always doubled.
      index += bytes[index] == UInt8(ascii: "\"") ? 2 : 1
    }
    return content
  }

  private static func fault(_ scanner: CSVScanner) -> RowFailure? {
    switch scanner.flaw {
    case nil: nil
    case .tooLong: RowLimits.tooLong
    case .textBehindQuote(let line):
      fault(
        scanner,
        "there is text behind a closing quote"
          + (line > scanner.line ? " in line \(line)" : "")
          + "; a quote within quotes is written twice")
    }
  }

  private static func fault(_ scanner: CSVScanner, _ message: String) -> RowFailure {
    let lines =
      scanner.lastLine > scanner.line
      ? " (lines \(scanner.line) to \(scanner.lastLine) are one row, held together by quotes)" : ""
    return RowFailure(RowLimits.malformed, message + lines)
  }

  // MARK: Header

  private static func columns(_ names: [String]) throws(RowFailure) -> [String] {
    var seen: Set<[UInt8]> = []
    for (index, name) in names.enumerated() {
      let shown = Redaction().clean(name)
      if name.utf8.allSatisfy({ $0 == UInt8(ascii: " ") }) {
        throw RowFailure(RowLimits.malformed, "column \(index + 1) has no name")
      }
      // Reject a file without a header, because its first row would be lost without an error.
      if name.utf8.contains(UInt8(ascii: "@"))
        || name.utf8.allSatisfy({ $0.isDigit })
      {
        throw RowFailure(RowLimits.malformed, "'\(shown)' is a value, and no name of a column")
      }
      guard seen.insert(Array(name.utf8)).inserted else {
        throw RowFailure(RowLimits.malformed, "the name '\(shown)' occurs twice")
      }
    }
    return names
  }

  /// Detects the delimiter from the header.
  private static func delimiter(_ window: ByteWindow, limit: Int) throws(BatchProblem) -> UInt8 {
    let candidates = RowInput.delimiters
    var found: Set<UInt8> = []
    var isQuoted = false
    var hasBegun = false
    var index = 0
    while index <= limit {
      if index >= window.count, try !window.fill() { break }
      let byte = window.bytes[index]
      index += 1
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      let isLineEnd = byte == 0x0A || byte == 0x0D
      if isLineEnd, !isQuoted {
        if hasBegun { break }
        continue
      }
      hasBegun = true
      if !isQuoted, candidates.contains(byte) { found.insert(byte) }
    }
    return found.count == 1 ? found.first ?? candidates[0] : candidates[0]
  }
}
