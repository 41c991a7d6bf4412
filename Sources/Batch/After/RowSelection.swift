import Host
import System

/// The rows that a command works on, chosen by `--rows`, `--key`, `--code` and `--where`.
///
/// A row is chosen if it fits every option that is given.
struct RowSelection: Sendable {
  static let options = [
    Option(
      "rows", "LIST", "only the rows with these numbers, such as 3,7-9", default: "all rows",
      isRepeatable: true),
    Option("key", "KEY", "only the row with this key", default: "all rows", isRepeatable: true),
    Option(
      "code", "CODE", "only the rows that failed with this error code", default: "all codes",
      isRepeatable: true),
    Option(
      "where", "COLUMN=VALUE",
      "only the rows with this value; COLUMN!=VALUE is only those without it", default: "all rows",
      isRepeatable: true),
  ]

  private struct Condition {
    let column: String
    let value: String
    let isEqual: Bool
  }

  private var numbers: [ClosedRange<Int64>] = []
  private var keys: Set<ExactString> = []
  private var codes: Set<String> = []
  private var conditions: [Condition] = []

  /// Chooses all rows.
  init() {}

  /// Reads the options.
  init(_ arguments: ParsedArguments) throws(UsageError) {
    func list(_ name: String) throws(UsageError) -> [String] {
      let list = arguments.lists[name] ?? []
      guard !list.contains("") else { throw UsageError("--\(name) needs a value") }
      return list
    }
    for text in try list("rows") { numbers += try Self.ranges(text) }
    keys = Set(try list("key").map { ExactString($0) })
    codes = Set(try list("code"))
    for text in try list("where") { conditions.append(try Self.condition(text)) }
  }

  private static func ranges(_ text: String) throws(UsageError) -> [ClosedRange<Int64>] {
    var ranges: [ClosedRange<Int64>] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false).map {
        $0.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64($0) : nil
      }
      guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1],
        first > 0, first <= last
      else {
        throw UsageError("--rows takes row numbers and ranges such as 3,7-9, not '\(text)'")
      }
      ranges.append(first...last)
    }
    return ranges
  }

  private static func condition(_ text: String) throws(UsageError) -> Condition {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let isEqual = parts[0].last != "!"
    let column = isEqual ? parts[0] : parts[0].dropLast()
    guard parts.count == 2, !column.isEmpty else {
      throw UsageError("--where takes COLUMN=VALUE or COLUMN!=VALUE, not '\(text)'")
    }
    return Condition(column: String(column), value: String(parts[1]), isEqual: isEqual)
  }

  /// Whether no option is given.
  var isAll: Bool {
    numbers.isEmpty && keys.isEmpty && codes.isEmpty && conditions.isEmpty
  }

  /// Throws if `--where` names a column that the input does not have.
  ///
  /// - Parameter columns: The columns of the input; empty when rows are JSON, which may have any.
  func check(_ columns: [String]) throws(BatchProblem) {
    guard !columns.isEmpty else { return }
    let known = Set(columns.map { ExactString($0) })
    for condition in conditions where !known.contains(ExactString(condition.column)) {
      throw BatchProblem(
        .usage, "the rows have no column \(condition.column.printable)",
        hint: "they have \(columns.map(\.printable).joined(separator: ", "))")
    }
  }

  /// Whether `--code` names this code.
  func names(code: String) -> Bool { codes.contains(code) }

  func has(_ record: RowRecord) -> Bool {
    let row = record.row
    return (numbers.isEmpty || numbers.contains { $0.contains(row.origin) })
      && (keys.isEmpty || keys.contains(ExactString(row.key)))
      && (codes.isEmpty || codes.contains(record.cause?.code ?? ""))
      && conditions.allSatisfy { condition in
        let value = RowExport.text(row.input?[condition.column])
        return (ExactString(value) == ExactString(condition.value)) == condition.isEqual
      }
  }
}
