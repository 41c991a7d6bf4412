public import Terminal

/// Where a prompt keeps things, and what it reads first.
public struct PromptSettings: Sendable {
  /// The file of what was typed before; nil when nothing is kept.
  public var historyFile: String?
  /// The script that runs before the first line; nil for none.
  public var startFile: String?
  /// What was typed before; nil until a prompt has opened it.
  public private(set) var history: History?

  /// The files of a prompt.
  public init(historyFile: String? = nil, startFile: String? = nil) {
    self.historyFile = historyFile
    self.startFile = startFile
  }

  /// The environment variable that names another history file; empty, nothing is kept.
  public static let historyVariable = "LUATH_HISTORY"

  /// The files where they are looked for and kept by the XDG Base Directory Specification, but for a
  /// history file that the environment names.
  public init(environment: [String: String]) {
    let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let state =
      environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? home.map { "\($0)/.local/state" }
    let own = environment[Self.historyVariable]
    let history = own.map { $0.isEmpty ? nil : $0 } ?? state.map { "\($0)/luath/history" }
    self.init(historyFile: history, startFile: StartFile.find(environment))
  }

  /// Reads what was typed before.
  ///
  /// - Parameter clean: takes known secrets out of a text.
  mutating func openHistory(clean: @escaping @Sendable (String) -> String) {
    let cleaner = HistoryCleaner(clean: clean)
    history = History(file: historyFile) { cleaner($0) }
  }
}
