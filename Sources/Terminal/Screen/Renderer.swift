/// Brings screens to a terminal by writing what differs from the one before.
///
/// The screen's first row is the row the cursor was in at first; no place of the terminal is named
/// otherwise than from there. Rows are broken here and never by the terminal.
struct Renderer {
  private let usesColours: Bool
  private var shown: Screen?
  private var columns = 0

  init(usesColours: Bool) { self.usesColours = usesColours }

  /// How many rows of the screen are below the cursor; nil when there is no screen.
  var rowsBelow: Int? { shown.map { $0.rows.count - 1 - $0.cursorRow } }

  /// What is to be written to show a screen in place of the one before.
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

  /// What takes the screen away, so that the cursor is where it began.
  ///
  /// - Parameter columns: the terminal's width now. When it has become narrower, the terminal has
  ///   most likely broken rows that no longer fit.
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

  /// What leaves the screen where it is, and goes to the row below it.
  mutating func leave() -> String {
    guard let shown else { return "" }
    self.shown = nil
    let below = shown.rows.count - 1 - shown.cursorRow
    return (below > 0 ? "\u{1B}[\(below)B" : "") + "\r\n"
  }

  /// Forgets what stands on the terminal, as somebody else has cleared it.
  mutating func forget() { shown = nil }

  private static func rowsTaken(by width: Int, columns: Int) -> Int {
    max(1, (width + columns - 1) / max(columns, 1))
  }

  /// How many cells need not be written again.
  private static func kept(_ old: [Cell], _ new: [Cell]) -> Int {
    var count = 0
    while count < min(old.count, new.count), old[count] == new[count] { count += 1 }
    // Where widths are uncertain, only the whole row can be told.
    if old.contains(where: \.isUncertain) || new.contains(where: \.isUncertain) { return 0 }
    return count
  }

  private func write(
    _ cells: ArraySlice<Cell>, from column: Int, erases: Bool, columns: Int, to output: inout String
  ) {
    let isUncertain = cells.contains(where: \.isUncertain)
    // Before writing: behind the last column the cursor still stands on the last character.
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

  /// Goes to a place; rows from `made` on have to be made by line feeds, which may scroll.
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
    // Also from behind the last column, where a column counts as the last one.
    if column != place.column || column >= columns {
      output += "\r"
      if column > 0 { output += "\u{1B}[\(column)C" }
      place.column = column
    }
  }
}
