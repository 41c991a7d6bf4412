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

extension Editor {
  static let mostBlanks = 40

  func blanks(after text: String) -> Int {
    max(0, min(language.indentation(after: text), Self.mostBlanks))
  }

  /// Adjusts the indentation when the line's first word starts or stops being a word that ends a block.
  ///
  /// Lines that the user has indented differently stay unchanged.
  mutating func indentAgain() {
    let cursor = buffer.cursor
    let line = buffer.currentLine
    let blanks = line.prefix { $0 == " " }.count
    guard cursor.line > 0, cursor.column == line.count, line.count - blanks <= Self.mostBlanks
    else { return }
    let word = String(line[blanks...])
    let (now, before) = (language.outdent(word), language.outdent(String(word.dropLast())))
    guard now != before else { return }
    let end = TextBuffer.Position(line: cursor.line, column: 0)
    let wanted = self.blanks(after: String(buffer.text(buffer.start..<end).dropLast()))
    guard blanks == max(0, wanted - before) else { return }
    buffer.replace(
      end..<TextBuffer.Position(line: cursor.line, column: blanks),
      with: String(repeating: " ", count: max(0, wanted - now)))
    buffer.cursor = buffer.lineEnd
  }
}

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

/// The texts removed by kill commands, for `yank`.
struct KillRing: Equatable {
  private static let most = 30

  private var texts: [String] = []
  /// The index of the text yanked last.
  private var at = 0

  var newest: String? {
    mutating get {
      at = texts.count - 1
      return texts.last
    }
  }

  /// Adds a text; `goesOn` joins it with the previous one.
  mutating func add(_ text: String, isBefore: Bool, goesOn: Bool) {
    if goesOn, let last = texts.popLast() {
      texts.append(isBefore ? text + last : last + text)
      return
    }
    texts.append(text)
    if texts.count > Self.most { texts.removeFirst() }
  }

  /// The text before the one yanked last; wraps around.
  mutating func older() -> String? {
    guard !texts.isEmpty else { return nil }
    at = at > 0 ? at - 1 : texts.count - 1
    return texts[at]
  }
}
