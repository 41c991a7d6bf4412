public import Host
public import Reference
import System

/// A command of the prompt: `.help`, `.load FILE`.
struct PromptCommand: Equatable {
  let name: String
  let argument: String

  /// The commands of a pause, in the order of `.help`.
  static let ofPauses: [(name: String, argument: String, summary: String)] = [
    ("continue", "", "goes on, as Ctrl-D does"),
    ("step", "", "goes on to the next step of the journey"),
    ("retry", "", "runs the journey again, from its file as it is now"),
    ("abort", "", "ends the run, as Ctrl-C twice does"),
    ("where", "", "prints the place of the pause, and its variables"),
  ]

  /// The commands that a pause does not have, as it has no target of its own.
  private static let ofPrompt: Set<String> = [
    "trace", "target", "project", "people", "events", "reset",
  ]

  /// The commands, in the order of `.help`.
  static let all: [(name: String, argument: String, summary: String)] = [
    ("help", "[NAME]", "explains a name, as luath doc does; without NAME, lists these commands"),
    ("load", "FILE", "runs a file as if it were typed"),
    ("save", "FILE", "writes the entries that succeeded as a script"),
    ("edit", "[NUMBER]", "opens the last entry, or one by its number, in $VISUAL or $EDITOR"),
    ("show", "[ENTRY]", "prints all of the last result, or of an entry's, however long"),
    ("history", "[NUMBER|WORDS]", "prints the last 20 entries, or NUMBER, or those with the words"),
    ("time", "[on|off|ENTRY]", "prints the duration of entries, or of one"),
    ("trace", "[on|off]", "prints a line for each HTTP exchange"),
    ("target", "[NAME]", "prints the target, or starts a session with another one"),
    ("project", "[FILE]", "prints the project, or starts a session with another project file"),
    ("people", "", "prints the test users of the emulated providers, with passwords"),
    ("events", "[NUMBER]", "prints the HTTP exchanges, or those of an entry"),
    ("journey", "[FILE]", "writes the session as a journey, or prints it"),
    ("reset", "", "starts a new session, with a new emulated project"),
    ("quit", "", "leaves, as exit() and Ctrl-D do"),
  ]

  /// The commands that this prompt has, in the order of `.help`.
  static func available(
    isPause: Bool
  ) -> [(name: String, argument: String, summary: String)] {
    guard isPause else { return all }
    return ofPauses
      + all.filter { !ofPrompt.contains($0.name) }.map {
        $0.name == "journey"
          ? ("journey", "", "writes the entries into the journey, at the pause") : $0
      }
  }

  static func overview(isPause: Bool) -> String {
    let all = available(isPause: isPause)
    let width = all.map { $0.name.count + $0.argument.count + 2 }.max() ?? 0
    var text = ""
    for command in all {
      let words = ".\(command.name) \(command.argument)"
      let padding = String(repeating: " ", count: max(1, width + 2 - words.count))
      text += "  \(words)\(padding)\(command.summary)\n"
    }
    return text + """

      Everything else is Lua. name? explains a name, as help(value) does; apropos "words" searches.
      _ is the last result, _3 that of entry 3, _err the last error; reveal(text) prints a secret.

      """
  }

  /// Why this prompt does not have the command; nil if it does, or if no prompt does.
  func problem(isPause: Bool) -> PromptProblem? {
    if isPause, Self.ofPrompt.contains(name) {
      return PromptProblem("a pause has no .\(name)", hint: ".help lists the commands")
    }
    if !isPause, Self.ofPauses.contains(where: { $0.name == name }) {
      return PromptProblem(
        ".\(name) is a command of a pause",
        hint: "luath test --pause and luath.pause() pause a journey")
    }
    return nil
  }

  func unknown(isPause: Bool) -> PromptProblem {
    let near = nearestName(to: name, among: Self.available(isPause: isPause).map(\.name))
    return PromptProblem(
      "there is no command .\(name)",
      hint: near.map { "did you mean .\($0)?" } ?? ".help lists them")
  }

  /// The command of a pause that a text is without its dot; nil for other texts.
  static func meant(by text: String) -> String? {
    let word = text.trimmed
    return ofPauses.contains { $0.name == word } ? word : nil
  }

  /// Whether an entry is a command: no chunk of Lua begins with a dot and a letter.
  static func isCommand(_ text: String) -> Bool { PromptCommand(text) != nil }

  /// Parses a command; nil when the entry is not a command.
  init?(_ text: String) {
    guard let match = text.wholeMatch(of: /\s*\.([A-Za-z]+)(?:\s+(.*))?\s*/.dotMatchesNewlines())
    else { return nil }
    name = String(match.output.1)
    argument = match.output.2.map { String($0).trimmed } ?? ""
  }
}

/// A word that other prompts accept as a command, when it is the whole entry.
enum LoneWord: Equatable {
  case help
  /// Leaves the prompt; the status is nil when none is given.
  case leave(word: String, status: Int32?)

  /// Parses `exit`, `quit()`, `exit(1)`, `help` and `?`; nil for other entries.
  init?(_ text: String) {
    if ["help", "?"].contains(text.trimmed) {
      self = .help
      return
    }
    guard let match = text.wholeMatch(of: /\s*(exit|quit)\s*(?:\(\s*(\d{1,3})?\s*\))?\s*;?\s*/)
    else { return nil }
    self = .leave(word: String(match.output.1), status: match.output.2.flatMap { Int32($0) })
  }

  /// The variable of a session for which the entry could stand instead.
  var name: String {
    switch self {
    case .help: "help"
    case .leave(let word, _): word
    }
  }
}

extension String {
  var trimmed: String {
    let start = drop(while: \.isWhitespace)
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(start[...last])
  }
}

extension Catalogue {
  /// The explanation of a name, as `luath doc` and `.help` print it; nil if nothing has this name.
  public func help(for name: String, _ style: HelpStyle) -> String? {
    PromptWord(name)?.text ?? explanation(of: name, style)
  }
}

/// A name that exists only at the prompt, for a lookup outside of it.
private struct PromptWord {
  /// The explanation.
  let text: String

  /// Looks up a name such as `help` or `.save`; nil when the prompt does not define it.
  init?(_ name: String) {
    let own = [
      "help": "help(value) explains a value, help \"name\" a name, and name? does the same",
      "apropos": "apropos \"words\" lists what mentions words",
      "_": "_ is the last result, and _3 that of entry 3",
      "_err": "_err is the last error",
      "reveal": "reveal(text) prints a text as it is, even a secret",
    ]
    let command = (PromptCommand.all + PromptCommand.ofPauses).first { ".\($0.name)" == name }
    let words = command.map { ".\($0.name) \($0.argument)".trimmed + ": \($0.summary)" }
    guard let words = words ?? own[name] else { return nil }
    let isOfPause = PromptCommand.ofPauses.contains { ".\($0.name)" == name }
    let place = isOfPause ? "a pause, as luath test --pause opens it" : "the prompt, luath repl"
    text = "\(name)\n  of \(place)\n\n  \(words).\n"
  }
}
