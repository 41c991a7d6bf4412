/// The edited text: lines of characters, and the cursor.
struct TextBuffer: Equatable {
  struct Position: Comparable {
    var line: Int
    var column: Int

    static func < (left: Position, right: Position) -> Bool {
      (left.line, left.column) < (right.line, right.column)
    }
  }

  /// The lines without line breaks; at least one.
  private(set) var lines: [[Character]] = [[]]
  var cursor = Position(line: 0, column: 0)

  init(_ text: String = "") {
    insert(text)
  }

  var text: String {
    var text = ""
    for (index, line) in lines.enumerated() {
      if index > 0 { text.append("\n") }
      for character in line { text.append(character) }
    }
    return text
  }

  var isEmpty: Bool { lines.count == 1 && lines[0].isEmpty }
  var start: Position { Position(line: 0, column: 0) }
  var end: Position { Position(line: lines.count - 1, column: lines[lines.count - 1].count) }
  var lineStart: Position { Position(line: cursor.line, column: 0) }
  var lineEnd: Position { Position(line: cursor.line, column: lines[cursor.line].count) }
  var currentLine: [Character] { lines[cursor.line] }

  /// The position before this one; nil at the start.
  func before(_ place: Position) -> Position? {
    if place.column > 0 { return Position(line: place.line, column: place.column - 1) }
    guard place.line > 0 else { return nil }
    return Position(line: place.line - 1, column: lines[place.line - 1].count)
  }

  /// The position after this one; nil at the end.
  func after(_ place: Position) -> Position? {
    if place.column < lines[place.line].count {
      return Position(line: place.line, column: place.column + 1)
    }
    return place.line + 1 < lines.count ? Position(line: place.line + 1, column: 0) : nil
  }

  /// The character after a position, which may be a line break; nil at the end of the text.
  func character(after place: Position) -> Character? {
    if place.column < lines[place.line].count { return lines[place.line][place.column] }
    return place.line + 1 < lines.count ? "\n" : nil
  }

  func text(_ range: Range<Position>) -> String {
    let (from, to) = (range.lowerBound, range.upperBound)
    if from.line == to.line { return String(lines[from.line][from.column..<to.column]) }
    var text = String(lines[from.line][from.column...])
    for line in lines[(from.line + 1)..<to.line] { text += "\n" + String(line) }
    return text + "\n" + String(lines[to.line][..<to.column])
  }

  /// Inserts text at the cursor and moves the cursor after it.
  ///
  /// All kinds of line breaks become `\n`, as terminals send pasted lines with carriage returns.
  mutating func insert(_ text: String) {
    var pieces: [[Character]] = [[]]
    for character in text {
      if character == "\n" || character == "\r\n" || character == "\r" {
        pieces.append([])
      } else {
        pieces[pieces.count - 1].append(character)
      }
    }
    let line = lines[cursor.line]
    var first = Array(line[..<cursor.column])
    let rest = line[cursor.column...]
    join(&first, pieces[0])
    if pieces.count == 1 {
      cursor.column = first.count
      join(&first, Array(rest))
      // The following text may have combined with the last character.
      cursor.column = min(cursor.column, first.count)
      lines[cursor.line] = first
      return
    }
    var last = pieces[pieces.count - 1]
    let column = last.count
    join(&last, Array(rest))
    pieces[0] = first
    pieces[pieces.count - 1] = last
    lines.replaceSubrange(cursor.line...cursor.line, with: pieces)
    cursor = Position(line: cursor.line + pieces.count - 1, column: min(column, last.count))
  }

  /// Removes a range and moves the cursor to its start.
  mutating func remove(_ range: Range<Position>) {
    let (from, to) = (range.lowerBound, range.upperBound)
    var line = Array(lines[from.line][..<from.column])
    join(&line, Array(lines[to.line][to.column...]))
    lines.replaceSubrange(from.line...to.line, with: [line])
    cursor = Position(line: from.line, column: min(from.column, line.count))
  }

  /// Replaces a range and moves the cursor after the new text.
  mutating func replace(_ range: Range<Position>, with text: String) {
    remove(range)
    insert(text)
  }

  /// Appends characters; the last and the first may combine into one, such as a letter and a mark.
  private func join(_ left: inout [Character], _ right: [Character]) {
    guard let last = left.last, let first = right.first else {
      left += right
      return
    }
    let meeting = Array(String(last) + String(first))
    guard meeting.count == 1 else {
      left += right
      return
    }
    left[left.count - 1] = meeting[0]
    left += right.dropFirst()
  }
}

extension TextBuffer {
  /// The number of UTF-8 bytes before a position.
  func byteOffset(of place: Position) -> Int {
    var count = place.line
    for line in lines[..<place.line] { count += Self.bytes(line[...]) }
    return count + Self.bytes(lines[place.line][..<place.column])
  }

  /// The position at a UTF-8 byte offset; inside a character, the position before it.
  func position(atByte offset: Int) -> Position {
    var left = offset
    for (index, line) in lines.enumerated() {
      var column = 0
      for character in line {
        let count = character.utf8.count
        if left < count { return Position(line: index, column: column) }
        left -= count
        column += 1
      }
      if left < 1 { return Position(line: index, column: column) }
      left -= 1
    }
    return end
  }

  static func bytes(_ characters: ArraySlice<Character>) -> Int {
    characters.reduce(0) { $0 + $1.utf8.count }
  }
}
