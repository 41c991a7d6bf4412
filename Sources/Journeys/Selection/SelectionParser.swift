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
