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
