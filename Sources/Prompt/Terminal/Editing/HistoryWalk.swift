/// A position in the history, for stepping to older and newer entries.
struct HistoryWalk {
  enum Direction: Equatable {
    case older, newer
  }

  let entries: [String]
  /// The index of the shown entry; `entries.count` for the unfinished one.
  private var at: Int
  /// The prefix of the entries to show.
  private var start = ""
  private var own = TextBuffer()

  /// Whether the unfinished entry is shown.
  var isAtOwn: Bool { at == entries.count }

  init(_ entries: [String]) {
    self.entries = entries
    at = entries.count
  }

  /// The entry to show next; nil when there is none in this direction.
  ///
  /// - Parameter isNew: whether a new walk begins, which then only visits entries that begin with the
  ///   text before the cursor.
  mutating func step(_ direction: Direction, from buffer: TextBuffer, isNew: Bool) -> TextBuffer? {
    if isNew {
      start = buffer.text(buffer.start..<buffer.cursor)
      if at == entries.count { own = buffer }
      // If the walk begins at an unchanged entry from the history, visit all entries.
      if at < entries.count, buffer.text == entries[at] { start = "" }
    }
    let shown = buffer.text
    var next = at
    while true {
      next += direction == .older ? -1 : 1
      if next == entries.count, at < entries.count {
        at = next
        return own
      }
      guard entries.indices.contains(next) else { return nil }
      guard entries[next].hasPrefix(start), entries[next] != shown else { continue }
      at = next
      return TextBuffer(entries[next])
    }
  }
}

extension Editor {
  mutating func walk(_ direction: HistoryWalk.Direction) -> Outcome {
    let text = past.step(direction, from: buffer, isNew: previous != .history)
    // In the unfinished entry, Up and Down move through its lines again.
    command = past.isAtOwn ? .other : .history
    guard let text else { return .bell }
    buffer = text
    return .goOn
  }
}
