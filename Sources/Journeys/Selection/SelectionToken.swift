struct SelectionToken: Equatable {
  enum Kind: Equatable {
    case and, or, not, open, close
    /// A tag, a name, or a pattern for them.
    case word(String)
    /// A tag or a pattern for tags: `#slow`.
    case tag(String)
    /// A name or a pattern for names, in quotation marks.
    case name(String)
  }

  let kind: Kind
  /// The position of its first character, from 0.
  let position: Int
  let spelling: String

  /// Splits an expression into tokens.
  static func read(_ text: String) throws(SelectionError) -> [SelectionToken] {
    let characters = Array(text)
    var tokens: [SelectionToken] = []
    var index = 0
    while index < characters.count {
      let start = index
      let kind: Kind
      switch characters[index] {
      case let space where space.isWhitespace:
        index += 1
        continue
      case "(", ")":
        kind = characters[index] == "(" ? .open : .close
        index += 1
      case "\"", "'":
        kind = .name(try quoted(characters, &index, of: text))
      case "#":
        index += 1
        let tag = word(characters, &index)
        guard !tag.isEmpty else {
          throw SelectionError(
            message: "a tag is missing after '#'", hint: "write the tag right after it: #slow",
            text: text, position: start)
        }
        kind = .tag(tag)
      default:
        let word = word(characters, &index)
        guard !word.isEmpty else {
          throw SelectionError(
            message: "'\(characters[index])' means nothing here",
            hint: "use tags, names, and, or, not and ( ); quote a name that has such a character",
            text: text, position: start)
        }
        kind = keyword(word)
      }
      tokens.append(
        SelectionToken(kind: kind, position: start, spelling: String(characters[start..<index])))
    }
    return tokens
  }

  private static func keyword(_ word: String) -> Kind {
    switch word {
    case "and": .and
    case "or": .or
    case "not": .not
    default: .word(word)
    }
  }

  /// Reads up to a blank, a parenthesis, a quotation mark or a sign that is an operator in other tools.
  private static func word(_ characters: [Character], _ index: inout Int) -> String {
    let start = index
    while index < characters.count, !characters[index].isWhitespace,
      !"()\"'#&|!,;=<>".contains(characters[index])
    { index += 1 }
    return String(characters[start..<index])
  }

  private static func quoted(
    _ characters: [Character], _ index: inout Int, of text: String
  ) throws(SelectionError) -> String {
    let start = index
    let mark = characters[index]
    var name = ""
    index += 1
    while index < characters.count, characters[index] != mark {
      // `Glob` reads all other escapes.
      if characters[index] == "\\", index + 1 < characters.count {
        if characters[index + 1] != mark { name.append("\\") }
        index += 1
      }
      name.append(characters[index])
      index += 1
    }
    guard index < characters.count else {
      throw SelectionError(
        message: "the quotation mark \(mark) is not closed",
        hint: "add \(mark) where the name ends",
        text: text, position: start)
    }
    index += 1
    return name
  }
}
