internal import Glibc
internal import Synchronization

/// The history of entries, stored in a file.
///
/// Only its user may read the file. It holds one entry per line, and concurrent prompts share it: each
/// appends its entries. In memory entries are unchanged; the file gets them without secrets.
final class History: Sendable {
  /// The maximum number of entries that are read and kept in memory.
  private static let mostEntries = 10_000
  /// The size from which the file is cut to its newer half, in bytes.
  private static let longestFile = 2 << 20
  /// The size up to which an entry goes into the file, in bytes; a pasted table may be longer.
  private static let longestEntry = 256 << 10

  private struct State {
    var entries: [String]
    /// The last entry written to the file.
    var kept: String?
    var file: String?
    var warning: String?
  }

  private let state: Mutex<State>
  private let clean: @Sendable (String) -> String?

  /// Reads the history from the file.
  ///
  /// - Parameters:
  ///   - file: the path of the file; nil to keep the history in memory only.
  ///   - clean: removes secrets from an entry before it goes into the file; nil keeps it out of the file.
  init(file: String? = nil, clean: @escaping @Sendable (String) -> String? = { $0 }) {
    self.clean = clean
    var first = State(entries: [], kept: nil, file: file, warning: nil)
    if let file {
      do throws(HistoryProblem) {
        first.entries = try HistoryFile(path: file).read(
          most: Self.mostEntries, longest: Self.longestFile)
        first.kept = first.entries.last
      } catch {
        first.file = nil
        first.warning = error.words
      }
    }
    state = Mutex(first)
  }

  /// The entries, oldest first.
  var entries: [String] { state.withLock { $0.entries } }

  /// Why the history is not stored, reported once; nil when it is stored.
  func takeWarning() -> String? { state.withLock { $0.warning.take() } }

  /// Adds an entry, to the file without its secrets; blank entries and repetitions are skipped.
  func add(_ text: String) {
    guard text.contains(where: { !$0.isWhitespace }) else { return }
    let cleaned = clean(text)
    let file: String? = state.withLock { state in
      if state.entries.last != text { state.entries.append(text) }
      if state.entries.count > Self.mostEntries { state.entries.removeFirst() }
      guard let cleaned, state.kept != cleaned, cleaned.utf8.count <= Self.longestEntry else {
        return nil
      }
      state.kept = cleaned
      return state.file
    }
    guard let file, let cleaned else { return }
    do throws(HistoryProblem) {
      try HistoryFile(path: file).append(cleaned)
    } catch {
      state.withLock { state in
        state.file = nil
        state.warning = error.words
      }
    }
  }
}
