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
