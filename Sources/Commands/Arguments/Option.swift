/// One option of a command: its name, what follows it, and its sentence in the help.
struct Option: Sendable {
  let name: String
  /// What stands for the value in the help; nil for a flag.
  let value: String?
  let summary: String
  /// A letter that stands for the name: `-o`.
  let letter: Character?
  /// Whether the option may also stand alone.
  let isValueOptional: Bool
  /// Whether a value can only stand behind `=`, as what follows may be an operand.
  let isValueAttached: Bool
  /// Whether it may be given more than once.
  let isRepeatable: Bool
  /// What a shell offers for the value, where that is a few words.
  let choices: [String]

  init(
    _ name: String, _ value: String? = nil, _ summary: String, letter: Character? = nil,
    isValueOptional: Bool = false, isValueAttached: Bool = false, isRepeatable: Bool = false,
    choices: [String] = []
  ) {
    self.name = name
    self.letter = letter
    self.value = value
    self.summary = summary
    self.isValueOptional = isValueOptional || isValueAttached
    self.isValueAttached = isValueAttached
    self.isRepeatable = isRepeatable
    self.choices = choices
  }

  var spelling: String {
    if let letter { return "-\(letter), \(longSpelling)" }
    return longSpelling
  }

  private var longSpelling: String {
    guard let value else { return "--\(name)" }
    if isValueAttached { return "--\(name)[=\(value)]" }
    return isValueOptional ? "--\(name) [\(value)]" : "--\(name) \(value)"
  }
}

/// A command with its options, as help and parsing need it.
struct CommandDescription: Sendable {
  let name: String
  let summary: String
  let operands: String
  let options: [Option]
  let examples: [String]
  /// Whether the first operand is a script that gets all arguments after it.
  var passesArguments = false
  /// What the help says of the operands, in one sentence or two.
  var note = ""

  /// How to call it, as help and manual show it.
  var usage: String {
    "luath \(name)\(options.isEmpty ? "" : " [options]")\(operands.isEmpty ? "" : " \(operands)")"
  }

  /// The option that an argument such as `--name`, `--name=value` or `-o` names.
  func option(spelled argument: String) -> Option? {
    if argument.hasPrefix("--") {
      let name = argument.dropFirst(2).prefix { $0 != "=" }
      return options.first { $0.name == name }
    }
    guard argument.count == 2, argument.hasPrefix("-"), let letter = argument.last else {
      return nil
    }
    return options.first { $0.letter == letter }
  }

  var help: String {
    var text = "\(summary)\n\nUsage: \(usage)\n"
    if !note.isEmpty { text += "\n\(note)\n" }
    if !options.isEmpty {
      let width = options.map(\.spelling.count).max() ?? 0
      text += "\nOptions:\n"
      for option in options {
        let padding = String(repeating: " ", count: width - option.spelling.count)
        text += "  \(option.spelling)\(padding)  \(option.summary)\n"
      }
    }
    if !examples.isEmpty {
      text += "\nExamples:\n"
      for example in examples { text += "  \(example)\n" }
    }
    return text
  }
}
