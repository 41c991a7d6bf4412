/// A name that exists only at the prompt, for a lookup outside of it.
public struct PromptWord: Sendable {
  /// The explanation.
  public let text: String

  /// Looks up a name such as `help` or `.save`; nil when the prompt does not define it.
  public init?(_ name: String) {
    let own = [
      "help": "help(value) explains a value, help \"name\" a name, and name? does the same",
      "apropos": "apropos \"words\" lists what mentions words",
      "_": "_ is the last result, and _3 that of text 3",
      "_err": "_err is the last error",
      "reveal": "reveal(text) shows a text as it is, a secret too",
    ]
    let command = PromptCommand.all.first { ".\($0.name)" == name }
    let words = command.map { ".\($0.name) \($0.argument)".trimmed + ": \($0.summary)" }
    guard let words = words ?? own[name] else { return nil }
    text = "\(name)\n  of the prompt, luath repl\n\n  \(words).\n"
  }
}
