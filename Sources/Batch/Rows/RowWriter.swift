public import Encoding

/// Writes rows one by one to a file that only its owner can read.
///
/// The file appears under its name when `finish` is done; a writer that is let go before leaves nothing behind.
/// What is no file, such as `/dev/stdout` or a pipe, is written at once.
public protocol RowWriter: AnyObject {
  /// Adds a row.
  func add(_ row: JSONObject) throws(BatchProblem)

  /// Makes everything durable and gives the file its name.
  func finish() throws(BatchProblem)
}

/// Writes rows as CSV, as RFC 4180 has it and Python's and Excel's readers take it.
///
/// Lines end with CR and LF. Quoted is what holds a delimiter, a quote or a line end, and an empty value that
/// stands alone. Values are written as they are: one that a spreadsheet would take for a formula (`=…`, `+…`,
/// `-…`, `@…`) is not changed, as the file is read by programs, and phone numbers begin with a plus. Only a
/// zero byte, which no reader of CSV takes, becomes the replacement character U+FFFD.
public final class CSVWriter: RowWriter {
  private let file: OutputFile
  private let columns: [String]
  private let delimiter: UInt8
  private var line: [UInt8] = []

  /// Begins a file with a header; `columns` are the names in order, each once.
  public convenience init(
    path: String, columns: [String], delimiter: UInt8 = UInt8(ascii: ",")
  ) throws(BatchProblem) {
    try self.init(
      try OutputFile(path: path, allowsStream: true), columns: columns, delimiter: delimiter)
  }

  /// Writes to an open descriptor, which is left open; `name` is what messages call it.
  public convenience init(
    descriptor: Int32, name: String, columns: [String], delimiter: UInt8 = UInt8(ascii: ",")
  ) throws(BatchProblem) {
    try self.init(
      OutputFile(descriptor: descriptor, name: name), columns: columns, delimiter: delimiter)
  }

  private init(_ file: OutputFile, columns: [String], delimiter: UInt8) throws(BatchProblem) {
    self.file = file
    self.columns = columns
    self.delimiter = delimiter
    try write(columns)
  }

  /// Adds a row: the members that have the names of columns.
  ///
  /// What is missing or null is empty; what is no string is written as JSON.
  public func add(_ row: JSONObject) throws(BatchProblem) {
    try write(
      columns.map { name in
        switch row[name] {
        case nil, .null?: ""
        case .string(let text)?: text
        case let value?: value.encoded()
        }
      })
  }

  /// Makes everything durable and gives the file its name.
  public func finish() throws(BatchProblem) { try file.finish() }

  private func write(_ values: [String]) throws(BatchProblem) {
    line.removeAll(keepingCapacity: true)
    for (index, value) in values.enumerated() {
      if index > 0 { line.append(delimiter) }
      append(value, isAlone: values.count == 1)
    }
    line += [0x0D, 0x0A]
    try file.write(line)
  }

  private func append(_ value: String, isAlone: Bool) {
    let quote = UInt8(ascii: "\"")
    let start = line.count
    var isSpecial = isAlone && value.isEmpty
    for byte in value.utf8 {
      switch byte {
      case quote:
        isSpecial = true
        line.append(quote)
      case 0x0A, 0x0D, delimiter: isSpecial = true
      case 0:
        line += "\u{FFFD}".utf8
        continue
      default: break
      }
      line.append(byte)
    }
    guard isSpecial else { return }
    line.insert(quote, at: start)
    line.append(quote)
  }
}

/// Writes rows as JSON objects, one in each line.
public final class NDJSONWriter: RowWriter {
  private let file: OutputFile

  /// Begins a file.
  public init(path: String) throws(BatchProblem) {
    file = try OutputFile(path: path, allowsStream: true)
  }

  /// Writes to an open descriptor, which is left open; `name` is what messages call it.
  public init(descriptor: Int32, name: String) {
    file = OutputFile(descriptor: descriptor, name: name)
  }

  /// Adds a row.
  public func add(_ row: JSONObject) throws(BatchProblem) {
    var line = JSON.object(row).encodedBytes()
    line.append(0x0A)
    try file.write(line)
  }

  /// Makes everything durable and gives the file its name.
  public func finish() throws(BatchProblem) { try file.finish() }
}
