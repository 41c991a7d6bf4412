import System

/// Types of other languages, which Lua leaves out.
extension Translation {
  /// Skips a type: `String?`, `[String: Any]`, `NSArray<NSString *> *_Nullable`.
  mutating func type() throws(Unclear) {
    var isAfterName = false
    let start = at
    while let token = token(), !token.startsLine || at == start {
      if token.kind == .name {
        if isAfterName || token.is("in") { break }
        isAfterName = !["any", "some", "const", "inout"].contains(token.text)
        at += 1
      } else if token.is("[") || token.is("<") || token.is("(") {
        try skipBrackets()
        isAfterName = true
      } else if [".", "?", "!", "*", "&", "|", "->"].contains(token.text) {
        isAfterName = ["?", "!"].contains(token.text)
        at += 1
        if isName(), token.is("*"), self.token()?.text.hasPrefix("_N") == true { at += 1 }
      } else {
        break
      }
    }
    if at == start { throw Unclear() }
  }

  /// Skips a bracket with its content.
  mutating func skipBrackets() throws(Unclear) {
    let pairs = ["(": ")", "[": "]", "<": ">", "{": "}"]
    guard let open = token()?.text, let close = pairs[open] else { throw Unclear() }
    var depth = 0
    repeat {
      guard token() != nil else { throw Unclear() }
      if isAt(open) { depth += 1 }
      if isAt(close) { depth -= 1 }
      at += 1
    } while depth > 0
  }
}
