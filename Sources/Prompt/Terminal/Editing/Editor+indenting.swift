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
