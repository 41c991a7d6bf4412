import Lua

extension Translation {
  /// A table.
  ///
  /// - Parameter callback: Receives a callback among the items, which is left out of the table.
  mutating func table(
    _ open: String, _ close: String, callback: ((Closure) -> Void)? = nil
  ) throws(Unclear) -> Value {
    let wasHead = isHead
    isHead = false
    at += 1
    var fields: [String] = []
    while !isOpen, !isAt(close) {
      if callback != nil, isName(), isAt("=", 1), Self.callbacks.contains(tokens[at].text) {
        at += 2
      }
      if let callback, isClosureStart {
        callback(try readClosure())
      } else if isAt("["), open == "{" {
        at += 1
        let key = try expression().text
        try expect("]")
        guard take("=") || take(":") else { throw Unclear() }
        fields.append("[\(key)] = \(try expression().text)")
      } else if isName(), isAt("=", 1) {
        at += 2
        fields.append("\(tokens[at - 2].text) = \(try expression().text)")
      } else if isName(), isAt(":", 1), !isMethodAfterName {
        mark("the keys of a table are written with =")
        at += 2
        fields.append("\(tokens[at - 2].text) = \(try expression().text)")
      } else {
        let value = try expression()
        if take(":") {
          mark("the keys of a table are written without quotes, with =", -1)
          fields.append("\(Self.key(value.text)) = \(try expression().text)")
        } else {
          fields.append(value.text)
        }
      }
      if !isOpen, !take(","), !take(";"), !isAt(close) { throw Unclear() }
    }
    try expect(close)
    isHead = wasHead
    return Value(fields.isEmpty ? "{}" : "{ \(fields.joined(separator: ", ")) }")
  }

  private var isMethodAfterName: Bool {
    isName(2) && token(1)?.touches == true && token(2)?.touches == true && isAt("(", 3)
  }

  /// A key as a name if it can be one: `prompt` for `"prompt"`.
  private static func key(_ text: String) -> String {
    let inner = String(text.dropFirst().dropLast())
    let isQuoted = text.first.map { "\"'".contains($0) } == true
    let isName = isQuoted && inner.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil
    return isName && !["end", "and", "or", "not", "in", "do"].contains(inner) ? inner : "[\(text)]"
  }
}
