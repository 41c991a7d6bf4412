/// Keeps the beginnings of lines where the language wants them.
extension Editor {
  /// The most blanks that a line is given.
  static let mostBlanks = 40

  /// The blanks of a line below some text.
  func blanks(after text: String) -> Int {
    max(0, min(language.indentation(after: text), Self.mostBlanks))
  }

  /// Moves a line back as soon as its first word ends a block, and forth again when the word goes on as
  /// another; lines that somebody has moved themselves stay.
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
