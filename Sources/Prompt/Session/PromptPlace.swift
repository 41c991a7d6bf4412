public import Scripting

/// Where a session at the prompt is: its target, and what ends it.
public struct PromptPlace: Sendable {
  /// What the session finds around it.
  public let context: ScriptContext
  /// The target in words: `the emulator inside luath, project demo-luath`.
  public let words: String
  /// The project file; nil when there is none.
  public let projectFile: String?
  /// Ends what was begun for the place.
  public let close: @Sendable () async -> Void

  /// A place of a session.
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
