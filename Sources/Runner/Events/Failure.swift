/// Why an attempt failed, with what a person needs to find the cause.
public struct Failure: Error, Sendable {
  /// What kind of thing failed.
  public enum Kind: String, Sendable, CaseIterable {
    /// An expectation of the journey.
    case assertion
    /// An error that nobody caught.
    case error
    /// A hook or a fixture around the journey.
    case hook
    /// The time limit.
    case timeout
    /// A task that the journey left running, or one that failed unseen.
    case task
    /// The script stopped its state: memory, `os.exit`.
    case stopped
  }

  /// What kind of thing failed.
  public var kind: Kind
  /// What happened.
  public var message: String
  /// The code of an error of luath's.
  public var code: String?
  /// What to do about it.
  public var hint: String?
  /// The script.
  public var file: String?
  /// The line of the script, from 1.
  public var line: Int?
  /// The line of the script.
  public var source: String?
  /// The part of it that was tested.
  public var expression: String?
  /// Both values, as text.
  public var expected: String?
  /// What was there, as text.
  public var actual: String?
  /// Lines that begin with two blanks, `- ` (expected only) or `+ ` (actual only).
  public var diff: [String]
  /// The names of the steps around it, outermost first.
  public var steps: [String]
  /// The calls that led there, innermost first.
  public var traceback: [String]
  /// The numbers of the last exchanges before it.
  public var exchanges: [Int]

  /// Describes a failure.
  public init(
    kind: Kind, message: String, code: String? = nil, hint: String? = nil, file: String? = nil,
    line: Int? = nil, source: String? = nil, expression: String? = nil, expected: String? = nil,
    actual: String? = nil, diff: [String] = [], steps: [String] = [], traceback: [String] = [],
    exchanges: [Int] = []
  ) {
    self.kind = kind
    self.message = message
    self.code = code
    self.hint = hint
    self.file = file
    self.line = line
    self.source = source
    self.expression = expression
    self.expected = expected
    self.actual = actual
    self.diff = diff
    self.steps = steps
    self.traceback = traceback
    self.exchanges = exchanges
  }
}
