/// Services that the command that runs a prompt provides.
protocol PromptHost: Sendable {
  /// Opens the target of a session; starts an emulator if that is the target.
  func place(_ wish: PromptWish) async throws(PromptProblem) -> PromptTarget

  func clean(_ text: String) -> String
}

/// The target and project of the next session, where they differ from the command line.
struct PromptWish: Sendable, Equatable {
  /// The target, as `--target` names it.
  var target: String?
  /// The path of the project file.
  var project: String?
}
