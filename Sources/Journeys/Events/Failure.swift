/// Why an attempt failed, with details to find the cause.
struct Failure: Error, Sendable {
  /// The kind of failure.
  enum Kind: String, Sendable, CaseIterable {
    /// A failed expectation of the journey.
    case assertion
    /// An uncaught error.
    case error
    /// A failed hook or fixture around the journey.
    case hook
    case timeout
    /// A task that the journey left running, or whose failure nothing awaited.
    case task
    /// The script ended its Lua state: out of memory, `os.exit`.
    case stopped
  }

  /// The kind of failure.
  var kind: Kind
  /// The message.
  var message: String
  /// The code, when luath raised the error.
  var code: String?
  /// What to do about it.
  var hint: String?
  /// The path of the script.
  var file: String?
  /// The line number in the script, from 1.
  var line: Int?
  /// The text of that line.
  var source: String?
  /// The expression in that line that was tested.
  var expression: String?
  /// The expected value, as text.
  var expected: String?
  /// The actual value, as text.
  var actual: String?
  /// Lines that begin with two blanks, `- ` (expected only) or `+ ` (actual only).
  var diff: [String] = []
  /// The names of the enclosing steps, outermost first.
  var steps: [String] = []
  /// The Lua traceback, innermost call first.
  var traceback: [String] = []
  /// The numbers of the last exchanges before the failure.
  var exchanges: [Int] = []
}
