/// Where a prompt keeps things, and what it reads first.
public struct PromptSettings: Sendable {
  /// The file of what was typed before; nil when nothing is kept.
  public var historyFile: String?
  /// The script that runs before the first line; nil for none.
  public var startFile: String?

  /// The files of a prompt.
  public init(historyFile: String? = nil, startFile: String? = nil) {
    self.historyFile = historyFile
    self.startFile = startFile
  }
}
