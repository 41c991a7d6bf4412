import IdentityToolkit
import Lua

/// Finds the names of the fields and variables that source assigns to.
struct SourceTargets {
  private let tokens: [LuaToken]
  private let text: (LuaToken) -> String

  /// - Parameters:
  ///   - tokens: The tokens, without comments.
  ///   - text: Returns the source text of a token.
  init(_ tokens: [LuaToken], text: @escaping (LuaToken) -> String) {
    self.tokens = tokens
    self.text = text
  }

  /// The name before a symbol: of a field, a variable or a key in brackets.
  func key(before index: Int) -> String? { target(endingAt: index - 1)?.name }

  /// The names before `=` or `in`, in order.
  func targets(before index: Int) -> [String] {
    var names: [String] = []
    var end = index - 1
    while let (name, start) = target(endingAt: end) {
      names.insert(name, at: 0)
      guard start > 1, tokens[start - 1].is(",") else { break }
      end = start - 2
    }
    return names
  }

  /// The last name of an assignment's target, and the target's start: `password` in `a.b[1].password <const>`.
  private func target(endingAt end: Int) -> (name: String, start: Int)? {
    var end = end
    if end >= 2, tokens[end].is(">"), tokens[end - 2].is("<") { end -= 3 }
    // An attribute without its closing bracket.
    if end >= 2, tokens[end].kind == .name, tokens[end - 1].is("<") { end -= 2 }
    guard tokens.indices.contains(end) else { return nil }
    var name: String?
    var start = end
    if let typed = annotated(endingAt: end) { return (tokens[typed].word, typed) }
    if tokens[end].kind == .name {
      name = tokens[end].word
    } else if tokens[end].kind == .string {
      // `{ "password": "…" }`
      name = SourceSecrets.values(of: text(tokens[end])).first
    } else if tokens[end].is("]"), let open = bracket(endingAt: end) {
      let inside = tokens[open + 1..<end]
      if let only = inside.first, only.kind == .string {
        name = SourceSecrets.values(of: text(only)).first
      } else if let last = inside.last, last.kind == .name {
        name = last.word
      }
      start = open
      // `passwords[1]` is one of the passwords.
      if start > 0, tokens[start - 1].kind == .name {
        start -= 1
        if name.map({ !SecretNames.isNameOfSecret($0) }) ?? true { name = tokens[start].word }
      }
    }
    guard let name else { return nil }
    while start > 1, tokens[start - 1].is(".") {
      start -= 2
      while start > 0, tokens[start].is("]"), let open = bracket(endingAt: start) {
        start = max(open - 1, 0)
      }
    }
    return (name, start)
  }

  /// The name of a secret before a type, as in other languages: `password` in `password: string`.
  private func annotated(endingAt end: Int) -> Int? {
    var position = end
    while position > 1, end - position < 8,
      tokens[position].kind == .name
        || ["[", "]", "<", ">", "|", "."].contains(tokens[position].word)
    {
      position -= 1
    }
    guard position > 0, position < end, tokens[position].is(":"),
      tokens[position - 1].kind == .name,
      SecretNames.isNameOfSecret(tokens[position - 1].word)
    else { return nil }
    return position - 1
  }

  private func bracket(endingAt end: Int) -> Int? {
    var depth = 0
    for index in stride(from: end, through: max(0, end - 64), by: -1) {
      if tokens[index].is("]") { depth += 1 }
      if tokens[index].is("[") {
        depth -= 1
        if depth == 0 { return index }
      }
    }
    return nil
  }
}
