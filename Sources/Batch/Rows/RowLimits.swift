/// What all readers of rows hold to, and how they say it.
enum RowLimits {
  /// How many bytes a row may have: enough for any account, and little enough that a quote or bracket that is
  /// never closed does not take up all memory.
  static let mostBytes = 16 << 20

  /// How deep a row may be nested, so that what a plan puts around it can be read again.
  static let mostDepth = 64

  /// The code of the faults that rows have.
  static let malformed = "malformedRow"

  /// What stands behind the name of something that is not text.
  static let notUTF8 =
    "is not UTF-8; convert the file, with 'iconv -f WINDOWS-1252 -t UTF-8' if it comes from Windows"

  /// The fault of a row that was left out.
  static let tooLong = RowFault(malformed, "it is longer than \(mostBytes >> 20) MiB")

  /// Why an input without anything in it is refused.
  static func empty(_ name: String) -> BatchProblem {
    BatchProblem(
      .usage, "\(name) is empty",
      hint: "give it rows; CSV begins with a line that names the columns")
  }
}
