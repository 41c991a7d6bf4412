/// The details of a failed check of `luath.expect`.
public struct ScriptCheck: Sendable {
  /// The source of the checked expression.
  public let expression: String?
  /// The expected value, as text.
  public let expected: String?
  /// The actual value, as text.
  public let actual: String?
  /// Lines that begin with two blanks, `- ` (expected only) or `+ ` (actual only).
  public let diff: [String]
  /// The names of the enclosing steps, outermost first.
  public let steps: [String]
}
