
/// The files of a prompt.
struct PromptSettings: Sendable {
  /// The path of the history file; nil to store no history.
  var historyFile: String?
  /// The script that runs before the first entry; nil for none.
  var startFile: String?
  /// The history; nil until a prompt has opened it.
  private(set) var history: History?

  /// Creates settings with these files.
  init(historyFile: String? = nil, startFile: String? = nil) {
    self.historyFile = historyFile
    self.startFile = startFile
  }

  /// The environment variable with the path of the history file; if it is empty, no history is stored.
  static let historyVariable = "LUATH_HISTORY"

  /// Finds the files by the environment: the XDG Base Directory Specification and `LUATH_HISTORY`.
  init(environment: [String: String]) {
    let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    let state =
      environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? home.map { "\($0)/.local/state" }
    let own = environment[Self.historyVariable]
    let history = own.map { $0.isEmpty ? nil : $0 } ?? state.map { "\($0)/luath/history" }
    self.init(historyFile: history, startFile: StartFile.find(environment))
  }

  /// Opens the history.
  ///
  /// - Parameter clean: removes known secrets from an entry.
  mutating func openHistory(clean: @escaping @Sendable (String) -> String) {
    let cleaner = HistoryCleaner(clean: clean)
    history = History(file: historyFile) { cleaner($0) }
  }
}
