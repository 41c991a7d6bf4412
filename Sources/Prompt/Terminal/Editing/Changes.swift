/// The undo and redo history of an entry.
struct Changes {
  private static let most = 500

  private var undone: [TextBuffer] = []
  private var done: [TextBuffer] = []
  /// Whether the last change was an undo or redo, which is not recorded as a change.
  var isStepping = false

  /// Records the text before a change; `goesOn` makes it part of the previous change, as for typed characters.
  mutating func record(_ before: TextBuffer, goesOn: Bool) {
    undone = []
    if goesOn, !done.isEmpty { return }
    done.append(before)
    if done.count > Self.most { done.removeFirst() }
  }

  mutating func undo(from now: TextBuffer) -> TextBuffer? {
    guard let before = done.popLast() else { return nil }
    undone.append(now)
    isStepping = true
    return before
  }

  mutating func redo(from now: TextBuffer) -> TextBuffer? {
    guard let after = undone.popLast() else { return nil }
    done.append(now)
    isStepping = true
    return after
  }
}
