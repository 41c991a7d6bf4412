/// A way through what was typed before, from the newest to the oldest and back.
struct HistoryWalk {
  enum Direction: Equatable {
    case older, newer
  }

  let entries: [String]
  /// Where the walk is; the count of entries is the text that is not run yet.
  private var at: Int
  /// What those that are shown begin with.
  private var start = ""
  private var own = TextBuffer()

  /// Whether the text that is not run yet is shown.
  var isAtOwn: Bool { at == entries.count }

  init(_ entries: [String]) {
    self.entries = entries
    at = entries.count
  }

  /// The text to show next; nil when there is none in this direction.
  ///
  /// - Parameter isNew: whether the walk begins here; it then keeps to texts that begin like what
  ///   stands before the cursor.
  mutating func step(_ direction: Direction, from buffer: TextBuffer, isNew: Bool) -> TextBuffer? {
    if isNew {
      start = buffer.text(buffer.start..<buffer.cursor)
      if at == entries.count { own = buffer }
      // At the end of a text from the history, all the others are of interest again.
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
  /// Shows an older or a newer text.
  mutating func walk(_ direction: HistoryWalk.Direction) -> Outcome {
    let text = past.step(direction, from: buffer, isNew: previous != .history)
    // Back at the own text, Up and Down go through its lines again.
    command = past.isAtOwn ? .other : .history
    guard let text else { return .bell }
    buffer = text
    return .goOn
  }
}
