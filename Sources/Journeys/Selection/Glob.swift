/// A pattern for whole names: `*` matches any text, `?` one character, `\` escapes the next one.
struct Glob: Sendable, Equatable {
  private enum Part: Equatable {
    case any
    case one
    case character(Character)
  }

  private let parts: [Part]

  /// Parses a pattern; a backslash at its end stands for itself.
  init(_ pattern: String) {
    var parts: [Part] = []
    var rest = pattern[...]
    while let character = rest.popFirst() {
      switch character {
      case "*": if parts.last != .any { parts.append(.any) }
      case "?": parts.append(.one)
      case "\\": parts.append(.character(rest.popFirst() ?? "\\"))
      default: parts.append(.character(character))
      }
    }
    self.parts = parts
  }

  /// Whether the pattern has no wildcard.
  var isLiteral: Bool { !parts.contains { $0 == .any || $0 == .one } }

  /// Whether the pattern matches the whole text.
  ///
  /// Takes at most the product of both lengths, however many stars there are: only the last `*`
  /// that matched is ever tried again.
  func matches(_ text: String) -> Bool {
    let text = Array(text)
    var (part, index) = (0, 0)
    var retry: (part: Int, index: Int)?
    while index < text.count {
      if part < parts.count, parts[part] == .any {
        retry = (part, index)
        part += 1
      } else if part < parts.count, stands(parts[part], for: text[index]) {
        part += 1
        index += 1
      } else if let last = retry {
        retry = (last.part, last.index + 1)
        (part, index) = (last.part + 1, last.index + 1)
      } else {
        return false
      }
    }
    return parts[part...].allSatisfy { $0 == .any }
  }

  private func stands(_ part: Part, for character: Character) -> Bool {
    switch part {
    case .any, .one: true
    case .character(let own): own == character
    }
  }
}
