/// The texts before each change, to go back to, and those gone back from.
struct Changes {
  private static let most = 500

  private var undone: [TextBuffer] = []
  private var done: [TextBuffer] = []
  /// Whether the last change was a step back or forth, which is none to be taken back.
  var isStepping = false

  /// Keeps the text before a change; typing on belongs to the change before.
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
