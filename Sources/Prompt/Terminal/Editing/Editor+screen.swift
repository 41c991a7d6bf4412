/// A row of a line that may be wrapped into several.
struct RowPlace: Equatable {
  var line: Int
  var row: Int
}

extension Editor {
  /// Longer entries are shown without colors, which are computed again after each key; in characters.
  private static let longestColoured = 64 << 10

  /// The screen for a terminal of this size.
  ///
  /// Only the visible part is laid out, so that the cost does not depend on the entry's length.
  mutating func screen(columns: Int, rows: Int) -> Screen {
    let (columns, height) = (max(columns, 1), max(rows, 1))
    let below = rowsBelow(columns: columns, most: max(0, height - 1))
    var view = TextView(
      editor: self, colours: colours(), columns: columns, height: height - below.count)
    let (place, shown) = view.rows(from: top)
    top = place
    return Screen(
      rows: shown.rows + below, cursorRow: shown.cursorRow, cursorColumn: shown.cursorColumn)
  }

  /// The screen that stays on the terminal after the entry: all rows, without menu or search; nil when too long.
  func finalScreen(columns: Int, rows: Int) -> Screen? {
    var last = self
    last.mode = .editing
    last.buffer.cursor = last.buffer.end
    let most = max(rows, 1000)
    let screen = last.screen(columns: columns, rows: most)
    return screen.rows.count < most ? screen : nil
  }

  /// The rows below the entry: the completion menu or the search line.
  private func rowsBelow(columns: Int, most: Int) -> [[Cell]] {
    guard most > 0 else { return [] }
    switch mode {
    case .editing, .quoting, .prefix: return []
    case .searching(let search):
      let words = ShownCharacter.safe(search.words)
      let text = search.isFound ? "search: " : "not found: "
      return [Self.cut(LineLayout.cells(text, .note) + LineLayout.cells(words, .plain), columns)]
    case .choosing(let menu):
      return menuRows(menu, columns: columns, most: most)
    }
  }

  private func menuRows(_ menu: CompletionMenu, columns: Int, most: Int) -> [[Cell]] {
    let window = menu.window(rows: max(1, min(CompletionMenu.height, most - 1)))
    let items = menu.completions.items
    let texts = window.map { LineLayout.cells(items[$0].text, .plain) }
    let width = texts.map { $0.reduce(0) { $0 + $1.width } }.max() ?? 0
    var rows: [[Cell]] = zip(window, texts).map { index, text in
      let isChosen = index == menu.chosen
      let style = isChosen ? Style.chosen : .plain
      var row = LineLayout.cells(isChosen ? "> " : "  ", style)
      row += text.map {
        Cell(text: $0.text, width: $0.width, style: style, isUncertain: $0.isUncertain)
      }
      guard !items[index].note.isEmpty else { return Self.cut(row, columns) }
      let gap = width - text.reduce(0) { $0 + $1.width } + 2
      row += LineLayout.cells(String(repeating: " ", count: gap), style)
      return Self.cut(row + LineLayout.cells(items[index].note, .note), columns)
    }
    if window.count < items.count, rows.count < most {
      rows.append(
        Self.cut(LineLayout.cells("  \(menu.chosen + 1) of \(items.count)", .note), columns))
    }
    return rows
  }

  /// The part of a row that fits into the columns.
  private static func cut(_ cells: [Cell], _ columns: Int) -> [Cell] {
    var width = 0
    return Array(
      cells.prefix {
        width += $0.width
        return width <= columns
      })
  }

  /// The ranges of the text with their styles, in bytes and in order.
  private func colours() -> [(range: Range<Int>, style: Style)] {
    guard usesColours else { return [] }
    guard buffer.lines.reduce(0, { $0 + $1.count }) <= Self.longestColoured else { return [] }
    let text = buffer.text
    var parts = language.colours(of: text).map { (range: $0.range, style: Style.part($0.kind)) }
    for place in brackets(in: text) {
      // Split the part that contains the bracket.
      let index = parts.firstIndex { $0.range.upperBound > place } ?? parts.count
      var pieces: [(range: Range<Int>, style: Style)] = [(place..<(place + 1), .bracket)]
      if index < parts.count, parts[index].range.contains(place) {
        let part = parts[index]
        pieces.insert((part.range.lowerBound..<place, part.style), at: 0)
        pieces.append(((place + 1)..<part.range.upperBound, part.style))
        parts.replaceSubrange(index...index, with: pieces)
      } else {
        parts.insert(contentsOf: pieces, at: index)
      }
    }
    if case .searching(let search) = mode, let match = search.match {
      let range =
        buffer.byteOffset(of: match.lowerBound)..<buffer.byteOffset(of: match.upperBound)
      parts.removeAll { $0.range.overlaps(range) }
      parts.insert(
        (range, .found),
        at: parts.firstIndex { $0.range.lowerBound >= range.upperBound } ?? parts.count)
    }
    return parts
  }

  /// The bracket at or before the cursor and its partner; empty when there is none.
  private func brackets(in text: String) -> [Int] {
    let cursor = buffer.byteOffset(of: buffer.cursor)
    for place in [cursor - 1, cursor] where place >= 0 && place < text.utf8.count {
      if let partner = language.partner(of: place, in: text), partner >= 0,
        partner < text.utf8.count
      {
        return [place, partner].sorted()
      }
    }
    return []
  }
}
