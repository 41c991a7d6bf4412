import Glibc
import System

/// The file format of rows.
public enum RowFormat: String, Sendable, CaseIterable {
  /// Comma-separated values, with a header (RFC 4180).
  case csv
  /// One JSON object per line.
  case ndjson
  /// One JSON array of objects.
  case json
}

/// The source of rows and its format.
public struct RowInput: Sendable {
  /// A path, or `-` for standard input.
  var path: String
  /// The format; nil to detect it from the file's name and first byte.
  var format: RowFormat?
  /// The delimiter of CSV; nil to detect it from the header.
  var delimiter: UInt8?
  /// The file descriptor that `-` reads.
  var standardInput: Int32 = 0

  /// Creates an input from its parts.
  public init(path: String, format: RowFormat? = nil, delimiter: UInt8? = nil) {
    self.path = path
    self.format = format
    self.delimiter = delimiter
  }

  /// Opens the input, detects its format, and reads the header of CSV.
  ///
  /// Gzip input is decompressed, and a byte order mark is dropped. Throws if the input does not exist, is empty or is
  /// not in UTF-8.
  public func open() throws(BatchProblem) -> any RowReader {
    if let delimiter, !Self.delimiters.contains(delimiter) {
      throw BatchProblem(
        .usage, "the delimiter of CSV must be one of , ; | and tab", hint: "pass one of them")
    }
    let source =
      path == "-"
      ? InputSource(descriptor: standardInput, name: "the standard input")
      : try InputSource(path: path)
    let window = try ByteWindow(source, inflating: true)
    try Self.checkEncoding(window)
    let format = if let format { format } else { try guess(window) }
    switch format {
    case .csv: return try CSVRows(window, delimiter: delimiter)
    case .ndjson: return NDJSONRows(window)
    case .json: return try JSONArrayRows(window)
    }
  }

  /// The possible delimiters of CSV; the first is the default.
  static let delimiters = [",", ";", "|", "\t"].map { UInt8(ascii: $0) }

  /// Drops a byte order mark, and rejects UTF-16 and UTF-32.
  private static func checkEncoding(_ window: ByteWindow) throws(BatchProblem) {
    while window.count < 4, try window.fill() {}
    let bytes = window.bytes
    guard !bytes.isEmpty else { throw RowLimits.empty(window.name) }
    let name: String?
    if bytes.starts(with: [0xFF, 0xFE, 0, 0]) || bytes.starts(with: [0, 0, 0xFE, 0xFF]) {
      name = "UTF-32"
    } else if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
      || (bytes.count > 1 && (bytes[0] == 0) != (bytes[1] == 0))
    {
      // Without a byte order mark, a zero byte next to an ASCII character is half of a UTF-16 unit.
      name = "UTF-16"
    } else {
      name = nil
    }
    if let name {
      throw BatchProblem(
        .usage, "\(window.name) is in \(name)",
        hint: "convert it first: iconv -f \(name) -t UTF-8 IN > OUT")
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { window.drop(3) }
    if window.count == 0, try !window.fill() { throw RowLimits.empty(window.name) }
  }

  /// Detects the format from the file's name, or else from the first byte after white space.
  private func guess(_ window: ByteWindow) throws(BatchProblem) -> RowFormat {
    var name = path.lowercased()
    if name.hasSuffix(".gz") { name.removeLast(3) }
    switch name.split(separator: ".", omittingEmptySubsequences: false).last {
    case "csv"?, "tsv"?: return .csv
    case "ndjson"?, "jsonl"?: return .ndjson
    default: break
    }
    var index = 0
    while true {
      if index >= window.count, try !window.fill() { throw RowLimits.empty(window.name) }
      switch window.bytes[index] {
      case 0x20, 0x09, 0x0A, 0x0D: index += 1
      case UInt8(ascii: "["): return .json
      case UInt8(ascii: "{"): return .ndjson
      default: return .csv
      }
    }
  }
}

/// One row of an input, or the error in it.
public struct InputRow: Sendable {
  /// The row number, from 1, not counting a header.
  var number: Int64
  /// The line where the row begins, from 1.
  var line: Int64
  /// The row's columns by name.
  var fields: Result<JSONObject, RowFailure>
}

/// Reads rows one by one, in constant memory.
public protocol RowReader: AnyObject {
  /// The names of the columns, in order; empty when rows are JSON.
  var columns: [String] { get }

  /// The next row; nil after the last.
  func next() throws(BatchProblem) -> InputRow?
}

/// The limits and errors shared by all row readers.
enum RowLimits {
  /// The maximum size of a row in bytes: enough for any account, and small enough that an unclosed quote or bracket
  /// does not exhaust memory.
  static let mostBytes = 16 << 20

  /// The maximum nesting of a row, so that a plan that wraps the row can still be parsed.
  static let mostDepth = 64

  /// The error code of invalid rows.
  static let malformed = "malformedRow"

  /// The rest of a message that begins with the name of a field.
  static let notUTF8 =
    "is not UTF-8; convert the file, with 'iconv -f WINDOWS-1252 -t UTF-8' if it comes from Windows"

  /// The error of a skipped row.
  static let tooLong = RowFailure(malformed, "it is longer than \(mostBytes >> 20) MiB")

  static func empty(_ name: String) -> BatchProblem {
    BatchProblem(
      .usage, "\(name) is empty",
      hint: "give it rows; CSV begins with a line that names the columns")
  }
}
