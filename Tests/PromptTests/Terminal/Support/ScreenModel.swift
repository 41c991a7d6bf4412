/// What a terminal shows after the bytes it was sent: a VT100 with UTF-8, as far as it is needed.
///
/// Widths come from the C library, not from the code that is tested.
struct ScreenModel {
  private(set) var columns: Int
  private(set) var rows: Int
  private(set) var cells: [[String]]
  private(set) var row = 0
  private(set) var column = 0
  /// Rows that scrolled away.
  private(set) var above: [String] = []
  /// Controls and sequences that the model does not know.
  private(set) var strange: [String] = []
  private(set) var bells = 0
  private(set) var marksPastes = false
  /// Whether the last column was written, so that the next character begins a row.
  private var isFull = false
  private var held: [UInt8] = []

  init(columns: Int = 80, rows: Int = 24) {
    self.columns = columns
    self.rows = rows
    cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
  }

  /// The rows without blanks at their ends, to the last one that has anything.
  var lines: [String] {
    var lines = cells.map { Self.trimmed($0.joined()) }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  var text: String { lines.joined(separator: "\n") }

  mutating func send(_ text: String) { send(Array(text.utf8)) }

  mutating func send(_ bytes: [UInt8]) {
    held += bytes
    while let count = step() { held.removeFirst(count) }
  }

  /// Changes the width as terminals do that break rows anew: what is too wide goes on in rows below.
  mutating func resize(columns: Int, rows: Int) {
    var broken: [[String]] = []
    var place = (row: 0, column: 0)
    for (index, old) in cells.enumerated() {
      var used = old.count
      while used > 0, old[used - 1] == " " { used -= 1 }
      if index == row { place = (broken.count + column / columns, column % columns) }
      var start = 0
      repeat {
        let part = Array(old[start..<min(used, start + columns)])
        broken.append(part + Array(repeating: " ", count: columns - part.count))
        start += columns
      } while start < used
    }
    while broken.count > rows, place.row < broken.count - 1,
      broken.last?.allSatisfy({ $0 == " " }) == true
    {
      broken.removeLast()
    }
    while broken.count > rows {
      above.append(Self.trimmed(broken.removeFirst().joined()))
      place.row -= 1
    }
    while broken.count < rows { broken.append(Array(repeating: " ", count: columns)) }
    (self.columns, self.rows, cells, isFull) = (columns, rows, broken, false)
    (row, column) = place
  }

  private static func trimmed(_ text: String) -> String {
    var text = text
    while text.last == " " { text.removeLast() }
    return text
  }

  /// Does the first thing of what is held; nil when it is not whole.
  private mutating func step() -> Int? {
    guard let first = held.first else { return nil }
    switch first {
    case 0x1B: return escape()
    case 0x0D: (column, isFull) = (0, false)
    case 0x0A: feed()
    case 0x08: (column, isFull) = (max(0, column - 1), false)
    case 0x07: bells += 1
    case 0..<0x20, 0x7F: strange.append("^\(first)")
    default:
      let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
      guard held.count >= length else { return nil }
      put(String(decoding: held[..<length], as: UTF8.self))
      return length
    }
    return 1
  }

  private mutating func put(_ text: String) {
    guard let scalar = text.unicodeScalars.first else { return }
    guard let width = systemWidth(scalar) else {
      return strange.append("U+\(String(scalar.value, radix: 16))")
    }
    if width == 0 {
      let at = isFull ? columns - 1 : max(0, column - 1)
      cells[row][cells[row][at].isEmpty ? at - 1 : at] += text
      return
    }
    if isFull || column + width > columns {
      (column, isFull) = (0, false)
      feed()
    }
    cells[row][column] = text
    if width == 2 { cells[row][column + 1] = "" }
    column += width
    if column == columns { (column, isFull) = (columns - 1, true) }
  }

  private mutating func feed() {
    isFull = false
    guard row == rows - 1 else { return row += 1 }
    above.append(Self.trimmed(cells.removeFirst().joined()))
    cells.append(Array(repeating: " ", count: columns))
  }

  private mutating func escape() -> Int? {
    guard held.count > 1 else { return nil }
    guard held[1] == UInt8(ascii: "[") else {
      strange.append("ESC \(held[1])")
      return 2
    }
    guard let end = held[2...].firstIndex(where: { (0x40..<0x7F).contains($0) }) else { return nil }
    let parameters = String(decoding: held[2..<end], as: UTF8.self)
    let number = Int(parameters) ?? 0
    let final = Character(Unicode.Scalar(held[end]))
    switch (final, parameters) {
    case ("A", _): row = max(0, row - max(1, number))
    case ("B", _): row = min(rows - 1, row + max(1, number))
    case ("C", _): column = min(columns - 1, column + max(1, number))
    case ("D", _): column = max(0, column - max(1, number))
    case ("G", _): column = min(columns, max(1, number)) - 1
    case ("H", ""): (row, column) = (0, 0)
    case ("K", ""): blank(row, from: column)
    case ("J", ""):
      blank(row, from: column)
      for row in (row + 1)..<max(rows, row + 1) { blank(row, from: 0) }
    case ("J", "2"): for row in 0..<rows { blank(row, from: 0) }
    case ("m", _), ("h", "?25"), ("l", "?25"): break
    case ("h", "?2004"): marksPastes = true
    case ("l", "?2004"): marksPastes = false
    default: strange.append("CSI \(parameters)\(final)")
    }
    if final != "m", final != "h", final != "l" { isFull = false }
    return end + 1
  }

  private mutating func blank(_ row: Int, from column: Int) {
    for index in column..<columns { cells[row][index] = " " }
  }
}
