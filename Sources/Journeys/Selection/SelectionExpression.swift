/// A selection of journeys: tags, names and patterns, with `and`, `or`, `not`, `( )`.
///
/// A bare word is a tag or a name, `#word` only a tag, `"…"` only a name. Names are those of the journey and of
/// its enclosing blocks. `not` binds tighter than `and`, and `and` tighter than `or`.
struct SelectionExpression: Sendable {
  indirect enum Node: Sendable, Equatable {
    case word(Glob)
    case tag(Glob)
    case name(Glob)
    case not(Node)
    case and(Node, Node)
    case or(Node, Node)
  }

  let root: Node
  /// The bare words and tags without wildcards, to check for misspellings.
  let literals: [String]

  /// Parses an expression such as `merge and not (slow or "*browser*")`.
  init(_ text: String) throws(SelectionError) {
    var parser = SelectionParser(text, try SelectionToken.read(text))
    root = try parser.whole()
    literals = parser.literals
  }

  /// Whether the expression matches the journey.
  func takes(_ journey: PlannedJourney) -> Bool { Self.evaluate(root, journey) }

  private static func evaluate(_ node: Node, _ journey: PlannedJourney) -> Bool {
    switch node {
    case .word(let glob): hasTag(glob, journey) || hasName(glob, journey)
    case .tag(let glob): hasTag(glob, journey)
    case .name(let glob): hasName(glob, journey)
    case .not(let inner): !evaluate(inner, journey)
    case .and(let left, let right): evaluate(left, journey) && evaluate(right, journey)
    case .or(let left, let right): evaluate(left, journey) || evaluate(right, journey)
    }
  }

  private static func hasTag(_ glob: Glob, _ journey: PlannedJourney) -> Bool {
    journey.tags.contains(where: glob.matches)
  }

  private static func hasName(_ glob: Glob, _ journey: PlannedJourney) -> Bool {
    journey.name.contains(where: glob.matches) || glob.matches(journey.fullName)
  }
}

/// A recursive descent parser for selection expressions.
struct SelectionParser {
  /// Deeper than anyone nests by hand, and far from the limit of a thread's stack.
  private static let deepest = 200

  private let text: String
  private var tokens: ArraySlice<SelectionToken>
  private var depth = 0
  private(set) var literals: [String] = []

  init(_ text: String, _ tokens: [SelectionToken]) {
    self.text = text
    self.tokens = tokens[...]
  }

  mutating func whole() throws(SelectionError) -> SelectionExpression.Node {
    let node = try alternatives()
    guard let token = tokens.first else { return node }
    throw error(
      token.kind == .close ? "')' closes nothing" : "'\(token.spelling)' follows without and or or",
      token.kind == .close
        ? "take it out, or add the '(' that it closes"
        : "join words by and or or; quote a name that has blanks")
  }

  private mutating func alternatives() throws(SelectionError) -> SelectionExpression.Node {
    var node = try conjunction()
    while take(.or) { node = .or(node, try conjunction()) }
    return node
  }

  private mutating func conjunction() throws(SelectionError) -> SelectionExpression.Node {
    var node = try operand()
    while take(.and) { node = .and(node, try operand()) }
    return node
  }

  private mutating func operand() throws(SelectionError) -> SelectionExpression.Node {
    guard let token = tokens.first else {
      throw error("a tag or a name is missing at the end", "such as: merge and not slow")
    }
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.deepest else {
      throw error("more than \(Self.deepest) levels are inside each other", "write it flatter")
    }
    switch token.kind {
    case .not:
      tokens.removeFirst()
      return .not(try operand())
    case .open:
      tokens.removeFirst()
      let node = try alternatives()
      guard take(.close) else {
        throw error(
          tokens.first.map { "'\($0.spelling)' stands where and, or or ')' is wanted" }
            ?? "the '(' at character \(token.position + 1) is not closed",
          "add the ')' that closes it")
      }
      return node
    case .word(let word):
      tokens.removeFirst()
      return .word(glob(word))
    case .tag(let tag):
      tokens.removeFirst()
      return .tag(glob(tag))
    case .name(let name):
      tokens.removeFirst()
      return .name(Glob(name))
    case .and, .or, .close:
      throw error(
        "a tag or a name is missing before '\(token.spelling)'",
        "such as: merge and not slow; quote a name that is called '\(token.spelling)'")
    }
  }

  private mutating func glob(_ word: String) -> Glob {
    let glob = Glob(word)
    if glob.isLiteral { literals.append(word) }
    return glob
  }

  private mutating func take(_ kind: SelectionToken.Kind) -> Bool {
    guard tokens.first?.kind == kind else { return false }
    tokens.removeFirst()
    return true
  }

  private func error(_ message: String, _ hint: String) -> SelectionError {
    SelectionError(
      message: message, hint: hint, text: text,
      position: tokens.first?.position ?? text.count)
  }
}

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

/// An invalid selection of journeys, with the position of the error.
struct SelectionError: Error, Sendable, Equatable {
  /// What is wrong, with the offending text.
  let message: String
  /// What to do about it.
  let hint: String
  /// The text that was parsed.
  let text: String
  /// The position of the offending character, from 0; the text's length for its end.
  let position: Int

  /// The text with a caret under the offending character, to print below the message.
  var excerpt: String {
    let shown = text.map { character -> String in
      if character.isWhitespace { return " " }
      // Control characters must not reach the terminal.
      return character.unicodeScalars.contains {
        $0.value < 0x20 || (0x7F..<0xA0).contains($0.value)
      }
        ? "\u{FFFD}" : String(character)
    }.joined()
    return "  \(shown)\n  \(String(repeating: " ", count: position))^\n"
  }
}
