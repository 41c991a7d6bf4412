/// One line of a file with a caret under what an error is about.
public struct Excerpt {
  private let number: Int
  /// The line, without what may be a secret.
  public let line: String

  /// The line of this number, counted from 1; nil when the text has no such line.
  public init?(_ number: Int, of text: [UInt8]) {
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard lines.indices.contains(number - 1) else { return nil }
    var bytes = lines[number - 1]
    if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    self.number = number
    line =
      String(decoding: bytes.prefix(200), as: UTF8.self).map { $0 == "\t" ? " " : String($0) }
      .joined().printable.withoutSecretTexts
  }

  /// Whether there is nothing to show, as behind the end of a file.
  public var isBlank: Bool { line.allSatisfy { $0 == " " } }

  /// The line and the caret line; Lua knows no columns, so a name in the line tells where.
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

  /// Where the name stands as a word of its own; the last place, as calls nest to the left.
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

extension String {
  /// A line of Lua in which texts given to names such as `password` or `apiKey` are left out.
  ///
  /// A line is shown where logs are kept, and such a text may stand beside the mistake that it shows.
  fileprivate var withoutSecretTexts: String {
    var shown = ""
    var name = ""
    var isAssigned = false
    var rest = self[...]
    while let character = rest.first {
      rest.removeFirst()
      shown.append(character)
      switch character {
      case "\"", "'":
        let text = rest.prefixOfText(endingWith: character)
        rest = rest.dropFirst(text.count)
        let isSecret = isAssigned && name.isNameOfSecret
        shown += isSecret ? "…" : String(text)
        // What follows may be `["a name"] = `.
        if !isAssigned { name = String(text) }
        if let end = rest.popFirst() { shown.append(end) }
        isAssigned = false
      case "=": isAssigned = true
      case " ", "]": break
      case _ where character.isLetter || character.isNumber || character == "_":
        let word = String(character) + rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        rest = rest.dropFirst(word.count - 1)
        shown += word.dropFirst()
        name = word
        isAssigned = false
      default: isAssigned = false
      }
    }
    return shown
  }

  private var isNameOfSecret: Bool {
    let name = lowercased()
    return ["password", "secret", "token", "key"].contains { name.contains($0) }
  }
}

extension Substring {
  /// What stands before the quotation mark that ends a text; all of it where the line ends first.
  fileprivate func prefixOfText(endingWith mark: Character) -> Substring {
    var isEscaped = false
    return prefix { character in
      if isEscaped {
        isEscaped = false
      } else if character == mark {
        return false
      } else {
        isEscaped = character == "\\"
      }
      return true
    }
  }
}
