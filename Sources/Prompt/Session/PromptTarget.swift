public import Host

/// The target of a session at the prompt.
public struct PromptTarget: Sendable {
  /// The context of the session's scripts.
  public let context: ScriptContext
  /// The description of the target: `the emulator inside luath, project demo-luath`.
  public let words: String
  /// The path of the project file; nil when there is none.
  public let projectFile: String?
  /// Closes the target, such as an emulator that was started for it.
  public let close: @Sendable () async -> Void

  /// Creates a place.
  public init(
    context: ScriptContext, words: String, projectFile: String?,
    close: @escaping @Sendable () async -> Void
  ) {
    self.context = context
    self.words = words
    self.projectFile = projectFile
    self.close = close
  }
}
