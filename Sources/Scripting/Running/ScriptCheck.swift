/// What a check of `luath.expect` that failed has to tell beside its message.
public struct ScriptCheck: Sendable {
  /// The source of the call.
  public let expression: String?
  /// What should have been there, as text.
  public let expected: String?
  /// What was there, as text.
  public let actual: String?
  /// Lines that begin with two blanks, `- ` (expected only) or `+ ` (actual only).
  public let diff: [String]
  /// The names of the steps around it, outermost first.
  public let steps: [String]
}
