import Lua
import Scripting

/// Writes a session as a script that does the same: texts that failed are left out, but for those whose
/// error a later text uses.
struct ScriptText {
  let entries: [SessionEntry]
  /// The names that a session begins with, and what scripts write for them.
  let names: [String: String]
  /// Takes known secrets out of a text.
  let clean: (String) -> String
  /// Whether a text can stand in a script as it is.
  let isStatement: (String) -> Bool

  /// The script, and the variables of the environment that it reads secrets from.
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
      // What ends with a return could not have anything behind it.
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
