/// What a prompt asks of the command that runs it.
public protocol PromptHost: Sendable {
  /// Opens the place of a session: starts an emulator where that is the target.
  func place(_ wish: PromptWish) async throws(PromptProblem) -> PromptPlace

  /// Takes out of a text what nobody may see.
  func clean(_ text: String) -> String
}

/// What the next session is to be, where it is not what the command line said.
public struct PromptWish: Sendable, Equatable {
  /// The target, as `--target` names it.
  public var target: String?
  /// The project file.
  public var project: String?

  /// As the command line said.
  public init(target: String? = nil, project: String? = nil) {
    self.target = target
    self.project = project
  }
}
