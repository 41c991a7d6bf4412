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
