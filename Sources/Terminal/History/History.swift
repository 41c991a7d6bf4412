internal import Glibc
internal import Synchronization

/// What was typed, kept for the next time.
///
/// The file belongs to its user alone, holds one text per line, and is shared by prompts that are
/// open at once: each adds its texts at the end. What was typed in this process can be had again as
/// it was; the file gets it without secrets.
public final class History: Sendable {
  /// More texts are not read, and not kept when the file is next read.
  private static let mostEntries = 10_000
  /// A longer file is cut to its newer half, in bytes.
  private static let longestFile = 2 << 20
  /// A longer text, such as a pasted table, is not kept in the file, in bytes.
  private static let longestEntry = 256 << 10

  private struct State {
    var entries: [String]
    /// What stands last in the file.
    var kept: String?
    var file: String?
    var warning: String?
  }

  private let state: Mutex<State>
  private let clean: @Sendable (String) -> String?

  /// Reads what was typed before.
  ///
  /// - Parameters:
  ///   - file: where it is kept; nil to keep nothing beyond the process.
  ///   - clean: takes secrets out of a text before the file gets it; nil to keep it out of the file.
  public init(file: String? = nil, clean: @escaping @Sendable (String) -> String? = { $0 }) {
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

  /// The texts, from the oldest to the newest.
  public var entries: [String] { state.withLock { $0.entries } }

  /// Why nothing is kept beyond the process, once: nil when all is well, or it was told already.
  public func takeWarning() -> String? { state.withLock { $0.warning.take() } }

  /// Keeps a text, in the file without its secrets; blank ones and repetitions of the last are left out.
  public func add(_ text: String) {
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
