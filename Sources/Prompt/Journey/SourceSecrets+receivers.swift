import Lua
import Host

extension SourceSecrets {
  /// The names of the functions whose arguments contain the token, the innermost first.
  func receivers(of index: Int) -> [String] {
    var names: [String] = []
    if index > 0, tokens[index].kind == .string, tokens[index - 1].kind == .name {
      names.append(tokens[index - 1].word)
    }
    var depth = 0
    for position in (0..<index).reversed() {
      let token = tokens[position]
      if token.is(")") || token.is("}") || token.is("]") { depth += 1 }
      guard token.is("(") || token.is("{") || token.is("[") else { continue }
      if depth > 0 {
        depth -= 1
      } else if position > 0, !token.is("["), tokens[position - 1].kind == .name {
        names.append(tokens[position - 1].word)
      }
    }
    return names
  }
}
