/// The visible rows of a text.
struct TextView {
  private let editor: Editor
  private let colours: [(range: Range<Int>, style: Style)]
  private let columns: Int
  private let height: Int
  private var layouts: [Int: LineLayout] = [:]
  /// Of a line longer than three times this, only a part around the cursor is laid out; in characters.
  private static let part = 8192
  private var starts: [Int] = []

  init(
    editor: Editor, colours: [(range: Range<Int>, style: Style)], columns: Int, height: Int
  ) {
    self.editor = editor
    self.colours = colours
    self.columns = columns
    self.height = max(height, 1)
    guard !colours.isEmpty else { return }
    var start = 0
    for line in editor.buffer.lines {
      starts.append(start)
      start += TextBuffer.bytes(line[...]) + 1
    }
  }

  /// The rows from a place on; the place moves to keep the cursor visible and to leave no rows unused.
  mutating func rows(from place: RowPlace) -> (top: RowPlace, Screen) {
    let cursor = editor.buffer.cursor
    let first = shownPart(of: cursor.line).lowerBound
    let spot = layout(cursor.line).places[cursor.column - first]
    let cursorPlace = RowPlace(line: cursor.line, row: spot.row)
    let lines = editor.buffer.lines.count
    var top = place
    if top.line >= lines { top = cursorPlace }
    top.row = min(top.row, layout(top.line).rows.count - 1)
    if (cursorPlace.line, cursorPlace.row) < (top.line, top.row) { top = cursorPlace }
    let earliest = back(from: cursorPlace, height - 1)
    if (top.line, top.row) < (earliest.line, earliest.row) { top = earliest }
    let last = RowPlace(line: lines - 1, row: 0)
    // Only near the end can there be too few rows below.
    if lines - top.line <= height {
      let end = RowPlace(line: last.line, row: layout(last.line).rows.count - 1)
      let latest = back(from: end, height - 1)
      if (latest.line, latest.row) < (top.line, top.row) { top = latest }
    }
    var rows: [[Cell]] = []
    var cursorRow = 0
    var line = top.line
    while line < lines, rows.count < height {
      let skipped = line == top.line ? top.row : 0
      if line == cursor.line { cursorRow = rows.count + spot.row - skipped }
      rows += layout(line).rows[skipped...].prefix(height - rows.count)
      line += 1
    }
    return (top, Screen(rows: rows, cursorRow: cursorRow, cursorColumn: spot.column))
  }

  /// The place `count` rows before another one, or the first one.
  private mutating func back(from place: RowPlace, _ count: Int) -> RowPlace {
    var (place, left) = (place, count)
    while left > place.row, place.line > 0 {
      left -= place.row + 1
      place = RowPlace(line: place.line - 1, row: layout(place.line - 1).rows.count - 1)
    }
    place.row = max(0, place.row - left)
    return place
  }

  private mutating func layout(_ line: Int) -> LineLayout {
    if let known = layouts[line] { return known }
    let part = shownPart(of: line)
    var prompt = line == 0 ? editor.prompt : editor.continuation
    if part.lowerBound > 0 { prompt += LineLayout.cells("…", .note) }
    let characters = Array(editor.buffer.lines[line][part])
    let made: LineLayout
    if colours.isEmpty {
      made = LineLayout(prompt: prompt, characters, columns: columns)
    } else {
      let skipped = TextBuffer.bytes(editor.buffer.lines[line][..<part.lowerBound])
      let styles = styles(of: characters, from: starts[line] + skipped)
      made = LineLayout(prompt: prompt, characters, columns: columns) { styles[$0] }
    }
    layouts[line] = made
    return made
  }

  /// The characters of a line to lay out, in steps, so that they seldom change with the cursor.
  private func shownPart(of line: Int) -> Range<Int> {
    let count = editor.buffer.lines[line].count
    guard count > 3 * Self.part else { return 0..<count }
    let cursor = editor.buffer.cursor
    let middle = line == cursor.line ? cursor.column / Self.part * Self.part : 0
    return max(0, middle - Self.part)..<min(count, middle + 2 * Self.part)
  }

  private func styles(of characters: [Character], from start: Int) -> [Style] {
    var (low, high) = (0, colours.count)
    while low < high {
      let middle = (low + high) / 2
      if colours[middle].range.upperBound <= start { low = middle + 1 } else { high = middle }
    }
    var offset = start
    return characters.map { character in
      defer { offset += character.utf8.count }
      while low < colours.count, colours[low].range.upperBound <= offset { low += 1 }
      return low < colours.count && colours[low].range.contains(offset)
        ? colours[low].style : .plain
    }
  }
}
