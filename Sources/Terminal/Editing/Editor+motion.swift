extension Editor {
  /// Goes to a place; nil is beyond the text.
  mutating func go(to place: TextBuffer.Position?) -> Outcome {
    guard let place else { return .bell }
    buffer.cursor = place
    return .goOn
  }

  /// Where the word before the cursor begins.
  func wordStart() -> TextBuffer.Position {
    var place = buffer.cursor
    while let before = buffer.before(place), !isWord(before) { place = before }
    while let before = buffer.before(place), isWord(before) { place = before }
    return place
  }

  /// Where the word after the cursor ends.
  func wordEnd() -> TextBuffer.Position {
    var place = buffer.cursor
    while !isWord(place), let after = buffer.after(place) { place = after }
    while isWord(place), let after = buffer.after(place) { place = after }
    return place
  }

  /// Where what stands between blanks before the cursor begins.
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

  /// A line up, or to an older text in the first one; after one from the history, to an older one.
  mutating func up() -> Outcome {
    guard buffer.cursor.line > 0, previous != .history else { return walk(.older) }
    return moveLines(-1)
  }

  /// A line down, or to a newer text in the last one.
  mutating func down() -> Outcome {
    guard buffer.cursor.line + 1 < buffer.lines.count, previous != .history else {
      return walk(.newer)
    }
    return moveLines(1)
  }

  /// Some lines up or down, ten for a page.
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
