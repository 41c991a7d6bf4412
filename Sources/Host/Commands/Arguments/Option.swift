/// An option of a command: its name, its value and its help sentence.
public struct Option: Sendable {
  public let name: String
  /// The placeholder of the value in the help; nil for a flag.
  public let value: String?
  public let summary: String
  /// A short form of one letter, such as `-o`.
  let letter: Character?
  public let isValueOptional: Bool
  /// Whether the value must be attached with `=`, because the next argument may be an operand.
  public let isValueAttached: Bool
  public let isRepeatable: Bool
  /// The possible values for shell completion, if there are only a few.
  public let choices: [String]

  public init(
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

  public var spelling: String {
    if let letter { return "-\(letter), \(longSpelling)" }
    return longSpelling
  }

  private var longSpelling: String {
    guard let value else { return "--\(name)" }
    if isValueAttached { return "--\(name)[=\(value)]" }
    return isValueOptional ? "--\(name) [\(value)]" : "--\(name) \(value)"
  }
}

/// A command's name, options and help text.
public struct CommandDescription: Sendable {
  public let name: String
  public let summary: String
  public let operands: String
  public let options: [Option]
  public let examples: [String]
  /// Whether the first operand is a script, to which all following arguments belong.
  public var passesArguments = false
  /// A note on the operands, for the help.
  public var note = ""

  public init(name: String, summary: String, operands: String, options: [Option], examples: [String], passesArguments: Bool = false, note: String = "") {
    self.name = name
    self.summary = summary
    self.operands = operands
    self.options = options
    self.examples = examples
    self.passesArguments = passesArguments
    self.note = note
  }

  /// The usage line of help and manual.
  public var usage: String {
    "luath \(name)\(options.isEmpty ? "" : " [options]")\(operands.isEmpty ? "" : " \(operands)")"
  }

  /// The option that an argument such as `--name`, `--name=value` or `-o` names.
  public func option(spelled argument: String) -> Option? {
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
