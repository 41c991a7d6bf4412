extension Editor {
  /// Moves the cursor; rings the bell for nil.
  mutating func go(to place: TextBuffer.Position?) -> Outcome {
    guard let place else { return .bell }
    buffer.cursor = place
    return .goOn
  }

  func wordStart() -> TextBuffer.Position {
    var place = buffer.cursor
    while let before = buffer.before(place), !isWord(before) { place = before }
    while let before = buffer.before(place), isWord(before) { place = before }
    return place
  }

  func wordEnd() -> TextBuffer.Position {
    var place = buffer.cursor
    while !isWord(place), let after = buffer.after(place) { place = after }
    while isWord(place), let after = buffer.after(place) { place = after }
    return place
  }

  /// The start of the word before the cursor, where words are separated by white space only.
  func blankWordStart() -> TextBuffer.Position {
    func isBlank(_ place: TextBuffer.Position) -> Bool {
      buffer.character(after: place)?.isWhitespace ?? true
    }
    var place = buffer.cursor
    while let before = buffer.before(place), isBlank(before) { place = before }
    while let before = buffer.before(place), !isBlank(before) { place = before }
    return place
  }

  func isWord(_ place: TextBuffer.Position) -> Bool {
    guard let character = buffer.character(after: place) else { return false }
    return character.isLetter || character.isNumber || character == "_"
  }

  /// Moves a line up; in the first line, or after a history step, shows an older entry.
  mutating func up() -> Outcome {
    guard buffer.cursor.line > 0, previous != .history else { return walk(.older) }
    return moveLines(-1)
  }

  /// Moves a line down; in the last line, or after a history step, shows a newer entry.
  mutating func down() -> Outcome {
    guard buffer.cursor.line + 1 < buffer.lines.count, previous != .history else {
      return walk(.newer)
    }
    return moveLines(1)
  }

  /// Moves ten lines up or down.
  mutating func page(_ direction: Int) -> Outcome {
    let last = buffer.lines.count - 1
    let wanted = min(max(buffer.cursor.line + direction * 10, 0), last)
    return wanted == buffer.cursor.line ? .bell : moveLines(wanted - buffer.cursor.line)
  }

  private mutating func moveLines(_ count: Int) -> Outcome {
    if previous != .vertical { goalColumn = buffer.cursor.column }
    let line = buffer.cursor.line + count
    buffer.cursor = .init(line: line, column: min(goalColumn, buffer.lines[line].count))
    command = .vertical
    return .goOn
  }
}
