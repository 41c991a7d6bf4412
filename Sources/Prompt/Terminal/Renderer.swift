/// Computes the output that turns the previous screen into the next one.
///
/// The screen's first row is the row where the cursor was at first; all positions are relative to it.
/// Rows are wrapped here, never by the terminal.
struct Renderer {
  private let usesColours: Bool
  private var shown: Screen?
  private var columns = 0

  init(usesColours: Bool) { self.usesColours = usesColours }

  /// The number of rows below the cursor; nil when no screen is shown.
  var rowsBelow: Int? { shown.map { $0.rows.count - 1 - $0.cursorRow } }

  /// The output that replaces the previous screen.
  mutating func show(_ screen: Screen, columns: Int) -> String {
    self.columns = columns
    var output = ""
    let old = shown?.rows ?? []
    var place = (row: shown?.cursorRow ?? 0, column: shown?.cursorColumn ?? 0)
    for (index, row) in screen.rows.enumerated() {
      let before = index < old.count ? old[index] : []
      if index < old.count, before == row { continue }
      let kept = Self.kept(before, row)
      let column = row[..<kept].reduce(0) { $0 + $1.width }
      let made = max(old.count, index)
      move(&output, from: &place, toRow: index, column: column, made: made)
      let isLonger = before.count > kept
      write(row[kept...], from: column, erases: isLonger, columns: columns, to: &output)
      place.column = row.reduce(0) { $0 + $1.width }
    }
    if old.count > screen.rows.count {
      move(&output, from: &place, toRow: screen.rows.count, column: 0, made: old.count)
      output += "\u{1B}[J"
    }
    let made = max(old.count, screen.rows.count)
    move(&output, from: &place, toRow: screen.cursorRow, column: screen.cursorColumn, made: made)
    shown = screen
    return output
  }

  /// The output that erases the screen and moves the cursor to its start.
  ///
  /// - Parameter columns: the terminal's current width. If it has become narrower, the terminal has most
  ///   likely wrapped rows that no longer fit.
  mutating func erase(columns: Int) -> String {
    guard let shown else { return "" }
    self.shown = nil
    var above = 0
    for row in shown.rows[..<shown.cursorRow] {
      above += Self.rowsTaken(by: row.reduce(0) { $0 + $1.width }, columns: columns)
    }
    above += shown.cursorColumn / max(columns, 1)
    return "\r" + (above > 0 ? "\u{1B}[\(above)A" : "") + "\u{1B}[J"
  }

  /// The output that keeps the screen and moves the cursor to the row below it.
  mutating func leave() -> String {
    guard let shown else { return "" }
    self.shown = nil
    let below = shown.rows.count - 1 - shown.cursorRow
    return (below > 0 ? "\u{1B}[\(below)B" : "") + "\r\n"
  }

  /// Forgets the previous screen, for when the terminal was cleared or changed otherwise.
  mutating func forget() { shown = nil }

  private static func rowsTaken(by width: Int, columns: Int) -> Int {
    max(1, (width + columns - 1) / max(columns, 1))
  }

  /// The number of leading cells that need not be written again.
  private static func kept(_ old: [Cell], _ new: [Cell]) -> Int {
    var count = 0
    while count < min(old.count, new.count), old[count] == new[count] { count += 1 }
    // With uncertain widths the whole row must be written.
    if old.contains(where: \.isUncertain) || new.contains(where: \.isUncertain) { return 0 }
    return count
  }

  private func write(
    _ cells: ArraySlice<Cell>, from column: Int, erases: Bool, columns: Int, to output: inout String
  ) {
    let isUncertain = cells.contains(where: \.isUncertain)
    // Erase before writing: after the last column the cursor is still on the last character.
    if isUncertain || erases { output += "\u{1B}[K" }
    var style = Style.plain
    var column = column
    for cell in cells {
      if cell.style != style {
        switchStyle(from: style, to: cell.style, &output)
        style = cell.style
      }
      output += cell.text
      column += cell.width
      if cell.isUncertain, column < columns { output += "\u{1B}[\(column + 1)G" }
    }
    switchStyle(from: style, to: .plain, &output)
  }

  private func switchStyle(from old: Style, to new: Style, _ output: inout String) {
    guard usesColours, old.attributes != new.attributes else { return }
    output += new.attributes.isEmpty ? "\u{1B}[m" : "\u{1B}[0;\(new.attributes)m"
  }

  /// Moves the cursor; rows from `made` on are created by line feeds, which may scroll.
  private func move(
    _ output: inout String, from place: inout (row: Int, column: Int), toRow row: Int, column: Int,
    made: Int
  ) {
    if row >= made, made > 0 {
      let last = made - 1
      if last > place.row { output += "\u{1B}[\(last - place.row)B" }
      output += String(repeating: "\r\n", count: row - max(last, place.row))
      place = (row, 0)
    } else if row < place.row {
      output += "\u{1B}[\(place.row - row)A"
    } else if row > place.row {
      output += "\u{1B}[\(row - place.row)B"
    }
    place.row = row
    // Also after the last column, where the terminal counts the cursor as in the last one.
    if column != place.column || column >= columns {
      output += "\r"
      if column > 0 { output += "\u{1B}[\(column)C" }
      place.column = column
    }
  }
}

/// A line of text, wrapped into rows that fit the terminal.
struct LineLayout {
  private static let tabWidth = 4

  private(set) var rows: [[Cell]] = [[]]
  /// The position of each character and of the line's end.
  private(set) var places: [(row: Int, column: Int)] = []

  private let columns: Int
  private var column = 0

  init(
    prompt: [Cell], _ characters: [Character], columns: Int, style: (Int) -> Style = { _ in .plain }
  ) {
    self.columns = columns
    places.reserveCapacity(characters.count + 1)
    for cell in prompt { add(cell) }
    let start = column
    for (index, character) in characters.enumerated() {
      let style = style(index)
      if character == "\t" {
        places.append(room(for: 1))
        let width = Self.tabWidth - abs(column - start) % Self.tabWidth
        for _ in 0..<width { add(Cell(text: " ", width: 1, style: style)) }
        continue
      }
      var isFirst = true
      for form in ShownCharacter.forms(of: character) {
        for cell in Self.cells(form, style, columns: columns) {
          if isFirst { places.append(room(for: cell.width)) }
          isFirst = false
          add(cell)
        }
      }
      if isFirst { places.append((rows.count - 1, column)) }
    }
    // After a full row, the cursor is in the next one.
    places.append(room(for: 1))
  }

  /// The cells of a text on one line.
  static func cells(_ text: String, _ style: Style) -> [Cell] {
    text.flatMap { ShownCharacter.forms(of: $0).flatMap { cells($0, style, columns: .max) } }
  }

  /// Escaped characters may wrap between rows; a character wider than the terminal becomes `?`.
  private static func cells(_ form: ShownCharacter, _ style: Style, columns: Int) -> [Cell] {
    if form.isSpelledOut {
      return form.text.map { Cell(text: String($0), width: 1, style: .spelledOut) }
    }
    if form.width > columns { return [Cell(text: "?", width: 1, style: .spelledOut)] }
    return [
      Cell(text: form.text, width: form.width, style: style, isUncertain: form.isUncertain)
    ]
  }

  /// The place of the next cell; begins a new row when the cell does not fit.
  private mutating func room(for width: Int) -> (row: Int, column: Int) {
    if column + width > columns {
      rows.append([])
      column = 0
    }
    return (rows.count - 1, column)
  }

  private mutating func add(_ cell: Cell) {
    _ = room(for: cell.width)
    rows[rows.count - 1].append(cell)
    column += cell.width
  }
}

/// The role of a cell on the screen, which decides its appearance.
enum Style: Equatable {
  case plain, prompt, note, chosen, bracket, found, spelledOut
  case part(ColouredPart.Kind)

  /// The attributes as parameters of Select Graphic Rendition (ECMA-48 8.3.117).
  ///
  /// Only the sixteen colors that terminals let users configure, which are readable on light and dark
  /// backgrounds.
  var attributes: String {
    switch self {
    case .plain, .part(.name): ""
    case .prompt: "1"
    case .note, .part(.comment): "2"
    case .chosen, .spelledOut: "7"
    case .bracket: "1;4"
    case .found: "4"
    case .part(.keyword): "35"
    case .part(.builtin): "36"
    case .part(.number): "33"
    case .part(.string): "32"
    case .part(.symbol): ""
    case .part(.error): "31"
    }
  }
}

/// A character on the screen, which may be several columns wide.
struct Cell: Equatable {
  let text: String
  let width: Int
  let style: Style
  /// Whether terminals disagree about the width.
  var isUncertain = false
}

struct Screen: Equatable {
  var rows: [[Cell]]
  var cursorRow: Int
  var cursorColumn: Int
}
