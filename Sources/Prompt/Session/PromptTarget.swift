import Host

/// The target of a session at the prompt.
struct PromptTarget: Sendable {
  /// The context of the session's scripts.
  let context: ScriptContext
  /// The description of the target: `the emulator inside luath, project demo-luath`.
  let words: String
  /// The path of the project file; nil when there is none.
  let projectFile: String?
  /// Closes the target, such as an emulator that was started for it.
  let close: @Sendable () async -> Void
}
