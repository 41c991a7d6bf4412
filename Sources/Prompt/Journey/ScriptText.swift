import Lua
import Host

/// Writes a session as a script that does the same.
///
/// Failed entries are left out, unless a later entry uses their error.
struct ScriptText {
  let entries: [SessionEntry]
  /// The names that a session begins with, and the source with which scripts define them.
  let names: [String: String]
  /// Removes known secrets from a text.
  let clean: (String) -> String
  /// Whether Lua compiles a text as statements.
  let isStatement: (String) -> Bool

  /// The script, and the environment variables from which it reads secrets.
  var text: (text: String, variables: [String]) {
    var variables: [String: String] = [:]
    var body = ""
    var mentioned: Set<String> = []
    let kept = JourneyText.story(of: entries)
    for (index, entry) in kept.enumerated() {
      mentioned.formUnion(JourneyText.mentioned(entry.text))
      let text = withoutSecrets(entry, &variables)
      guard entry.isGood else {
        let failing = entry.isExpression ? "return \(JourneyText.bare(text))" : text
        body += "_, _err = pcall(function()\n\(failing)\nend)\n"
        continue
      }
      // Nothing may follow a `return`, so an entry that ends with one becomes a function.
      let hasValues = entry.isExpression && !entry.expected.isEmpty
      if !hasValues, isStatement("\(text)\nlocal more") {
        body += text + "\n"
      } else if !entry.isExpression {
        body += "_ = (function()\n\(text)\nend)()\n"
      } else {
        body += "_ = \(JourneyText.bare(text))\n"
      }
      if !entry.expected.isEmpty, JourneyText.isNamed(entry, kept[(index + 1)...]) {
        body += "local _\(entry.number) <const> = _\n"
      }
    }
    if !variables.isEmpty { mentioned.insert("luath") }
    let head = names.keys.sorted().filter(mentioned.contains)
      .map { "local \($0) = \(names[$0] ?? "nil")\n" }.joined()
    return (body.isEmpty ? "" : head + body, variables.values.sorted())
  }

  private func withoutSecrets(
    _ entry: SessionEntry, _ variables: inout [String: String]
  ) -> String {
    JourneyText.withoutSecrets(entry, clean: clean) { content in
      let name = variables[content] ?? "SECRET_\(variables.count + 1)"
      variables[content] = name
      return "luath.secret \"\(name)\""
    }
  }
}
