import Glibc

/// How rows are written down.
public enum RowFormat: String, Sendable, CaseIterable {
  /// Comma-separated values, with a header (RFC 4180).
  case csv
  /// A JSON object in each line.
  case ndjson
  /// One JSON array of objects.
  case json
}

/// Where rows come from.
public struct RowInput: Sendable {
  /// A path, or `-` for the standard input.
  public var path: String
  /// How the rows are written; nil to see it from the file's name and first byte.
  public var format: RowFormat?
  /// The character between the fields of CSV; nil to see it from the header.
  public var delimiter: UInt8?
  /// What `-` reads.
  public var standardInput: Int32 = 0

  /// Describes an input.
  public init(path: String, format: RowFormat? = nil, delimiter: UInt8? = nil) {
    self.path = path
    self.format = format
    self.delimiter = delimiter
  }

  /// Opens the input and reads as much of it as tells how it is written, CSV's header included.
  ///
  /// What was compressed with gzip is read through it. A byte order mark is no part of the text. Refused are
  /// inputs that are not there, are empty, or are not in UTF-8.
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

  /// The characters that may stand between the fields of CSV; the first where the header shows none.
  static let delimiters = [",", ";", "|", "\t"].map { UInt8(ascii: $0) }

  /// Drops a byte order mark, and refuses what begins in another encoding.
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
      // Without a mark, a zero beside an ASCII character is half of one.
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

  /// Sees from the file's name how it is written, or else from the first byte that is no white space.
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
