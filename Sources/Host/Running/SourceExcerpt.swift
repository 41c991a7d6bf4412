/// One line of a file with a caret under the cause of an error.
public struct SourceExcerpt {
  private let number: Int
  /// The line, without secrets.
  public let line: String

  /// Takes the line of this number, from 1; nil when the source has no such line.
  public init?(_ number: Int, of source: ShownSource) {
    guard source.lines.indices.contains(number - 1) else { return nil }
    var text = source.lines[number - 1]
    // The source was split at `\n`, so a line break `\r\n` leaves a `\r`.
    if text.last == "\r" { text.removeLast() }
    self.number = number
    line = String(text.prefix(200).map { $0 == "\t" ? " " : $0 }).printable
  }

  /// Whether the line is blank, as after the end of a file.
  public var isBlank: Bool { line.allSatisfy { $0 == " " } }

  /// The line and the caret line; Lua reports no columns, so the caret marks a name in the line.
  public func text(marking name: String?) -> String {
    let (start, width) = name.flatMap { range(of: $0) } ?? code
    let margin = String(repeating: " ", count: String(number).count)
    let caret = String(repeating: " ", count: start) + String(repeating: "^", count: width)
    return "  \(number) | \(line)\n  \(margin) | \(caret)\n"
  }

  /// The line without the blanks around it.
  private var code: (start: Int, width: Int) {
    let code = line.drop { $0 == " " }
    let end = code.lastIndex { $0 != " " }.map { code.index(after: $0) } ?? code.endIndex
    return (line.count - code.count, max(1, code[..<end].count))
  }

  /// The last position of the name as a whole word; the last, as calls nest to the left.
  private func range(of name: String) -> (start: Int, width: Int)? {
    let line = Array(line)
    let name = Array(name)
    guard !name.isEmpty, name.count <= line.count else { return nil }
    func isPart(_ index: Int) -> Bool {
      line.indices.contains(index)
        && (line[index].isLetter || line[index].isNumber || line[index] == "_")
    }
    let isWord = name[0].isLetter || name[0] == "_"
    for start in stride(from: line.count - name.count, through: 0, by: -1)
    where line[start..<(start + name.count)].elementsEqual(name) {
      if isWord, isPart(start - 1) || isPart(start + name.count) { continue }
      return (start, name.count)
    }
    return nil
  }
}
