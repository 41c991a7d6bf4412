extension Editor {
  mutating func delete(back: Bool) -> Outcome {
    let cursor = buffer.cursor
    guard let other = back ? buffer.before(cursor) : buffer.after(cursor) else { return .bell }
    buffer.remove(min(cursor, other)..<max(cursor, other))
    return .goOn
  }

  /// Removes a range and keeps it for `yank`; consecutive kills are joined.
  mutating func kill(_ range: Range<TextBuffer.Position>, isBefore: Bool) -> Outcome {
    guard !range.isEmpty else {
      // A kill with nothing to remove does not interrupt a sequence of kills.
      if previous == .kill { command = .kill }
      return .bell
    }
    kills.add(buffer.text(range), isBefore: isBefore, goesOn: previous == .kill)
    buffer.remove(range)
    command = .kill
    return .goOn
  }

  /// Kills up to the end of the line; at the end kills the line break.
  mutating func killLine() -> Outcome {
    let end = buffer.lineEnd
    let to = end == buffer.cursor ? buffer.after(end) ?? end : end
    return kill(buffer.cursor..<to, isBefore: false)
  }

  mutating func yank() -> Outcome {
    guard let text = kills.newest else { return .bell }
    let start = buffer.cursor
    buffer.insert(text)
    command = .yank(min(start, buffer.cursor)..<buffer.cursor)
    return .goOn
  }

  /// Replaces the text just yanked by the next older kill.
  mutating func yankOlder() -> Outcome {
    guard case .yank(let range) = previous, let text = kills.older() else { return .bell }
    buffer.remove(range)
    let start = buffer.cursor
    buffer.insert(text)
    command = .yank(min(start, buffer.cursor)..<buffer.cursor)
    return .goOn
  }

  /// Exchanges the characters around the cursor, or at a line's end the two before it.
  mutating func transposeCharacters() -> Outcome {
    let line = buffer.currentLine
    guard line.count >= 2, buffer.cursor.column > 0 else { return .bell }
    let right = min(buffer.cursor.column, line.count - 1)
    let at = buffer.cursor.line
    let range =
      TextBuffer.Position(
        line: at, column: right - 1)..<TextBuffer.Position(line: at, column: right + 1)
    buffer.replace(range, with: String([line[right], line[right - 1]]))
    return .goOn
  }

  /// Exchanges the word at or before the cursor with the one after.
  mutating func transposeWords() -> Outcome {
    let origin = buffer.cursor
    let secondEnd = wordEnd()
    buffer.cursor = secondEnd
    let secondStart = wordStart()
    buffer.cursor = secondStart
    let firstStart = wordStart()
    buffer.cursor = firstStart
    let firstEnd = wordEnd()
    buffer.cursor = origin
    guard firstStart < firstEnd, firstEnd <= secondStart, secondStart < secondEnd else {
      return .bell
    }
    let (first, second) = (
      buffer.text(firstStart..<firstEnd), buffer.text(secondStart..<secondEnd)
    )
    let between = buffer.text(firstEnd..<secondStart)
    buffer.replace(firstStart..<secondEnd, with: second + between + first)
    return .goOn
  }

  mutating func changeWord(_ change: (String) -> String) -> Outcome {
    var start = buffer.cursor
    while !isWord(start), let after = buffer.after(start) { start = after }
    let end = wordEnd()
    guard start < end else { return .bell }
    buffer.replace(start..<end, with: change(buffer.text(start..<end)))
    return .goOn
  }

  mutating func undo() -> Outcome {
    guard let buffer = changes.undo(from: buffer) else { return .bell }
    self.buffer = buffer
    return .goOn
  }

  mutating func redo() -> Outcome {
    guard let buffer = changes.redo(from: buffer) else { return .bell }
    self.buffer = buffer
    return .goOn
  }
}
