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
