import Lua
import System

/// A command line parsed into options and operands.
public struct ParsedArguments: Sendable {
  /// The last value of each option, by name.
  public var values: [String: String] = [:]
  /// All values of each option; `values` has only the last one.
  public var lists: [String: [String]] = [:]
  /// The options given without a value.
  public var flags: Set<String> = []
  /// The arguments that are neither options nor their values.
  public var operands: [String] = []
  /// The arguments of the script, if the command takes a script.
  public var scriptArguments: [String] = []

  /// Parses arguments by the GNU rules: `--name value`, `--name=value`, `--`.
  public init(_ arguments: [String], _ command: CommandDescription) throws(UsageError) {
    var remaining = arguments[...]
    while let argument = remaining.popFirst() {
      let isEnd = argument == "--"
      let isForeign =
        command.takesAnyOption && !Self.isHelp(argument) && command.option(spelled: argument) == nil
      if isEnd || argument.count < 2 || !argument.hasPrefix("-") || isForeign {
        if command.passesCommand {
          operands = Array(isEnd ? remaining : [argument] + remaining)
          return
        }
        if let code = command.codeOption, values[code] != nil {
          // The code is the script, so all of these are its arguments.
          if !isEnd { try refuseOptions(among: [argument] + remaining, command) }
          let all = isEnd ? remaining : [argument] + remaining
          scriptArguments = Array(all)
          return
        }
        if !isEnd { operands.append(argument) }
        if command.passesArguments {
          // Before the script, `--` only ends the options.
          if isEnd, let script = remaining.popFirst() { operands.append(script) }
          if !isEnd { try refuseOptions(among: remaining, command) }
          scriptArguments = Array(remaining.first == "--" ? remaining.dropFirst() : remaining)
          return
        }
        guard isEnd else { continue }
        if command.passesRest {
          if operands.isEmpty, let script = remaining.popFirst() { operands.append(script) }
          scriptArguments = Array(remaining.first == "--" ? remaining.dropFirst() : remaining)
          return
        }
        operands += remaining
        return
      }
      if Self.isHelp(argument) {
        flags.insert("help")
        continue
      }
      let argument = command.long(argument)
      guard argument.hasPrefix("--") else {
        throw .unknown(String(argument.prefix { $0 != "=" }), command)
      }
      let pair = argument.dropFirst(2).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(pair[0])
      guard let option = command.options.first(where: { $0.name == name }) else {
        throw .unknown("--\(name)", command)
      }
      if option.isValueOptional, pair.count == 1,
        option.isValueAttached || remaining.first?.hasPrefix("-") ?? true
      {
        flags.insert(name)
      } else if let value = option.value {
        guard let given = pair.count == 2 ? String(pair[1]) : remaining.popFirst() else {
          throw UsageError("--\(name) needs a value: --\(name) \(value)")
        }
        // For a file with the name of an option, the user can write "=".
        guard pair.count == 2 || !command.options.contains(where: { "--\($0.name)" == given })
        else {
          throw UsageError("--\(name) needs a value before \(given): --\(name) \(value)")
        }
        guard values[name] == nil || option.isRepeatable else {
          throw UsageError(
            "--\(name) is given twice", hint: "it takes one value; leave one of both out")
        }
        values[name] = given
        lists[name, default: []].append(given)
      } else if pair.count == 2 {
        throw UsageError("--\(name) takes no value")
      } else {
        flags.insert(name)
      }
    }
  }

  /// Throws if options of the command are among the script's arguments, unless `--` is before them.
  ///
  /// Otherwise `luath run FILE --trace` would silently run without a trace.
  private func refuseOptions(
    among arguments: ArraySlice<String>, _ command: CommandDescription
  ) throws(UsageError) {
    let option = arguments.prefix { $0 != "--" }.first {
      command.option(spelled: $0) != nil || Self.isHelp($0)
    }
    guard let option else { return }
    let name = option.split(separator: "=").first.map(String.init) ?? option
    let script = ShellWord.quoted(operands.first ?? arguments.first ?? "FILE")
    // The code itself may be long, and hold a secret.
    let start = operands.isEmpty ? ["-e", "CODE"] : [script]
    let line = ["luath", command.name] + start + ["--"] + arguments.map(ShellWord.quoted)
    throw UsageError(
      "\(name.printable) stands after \(script), where the arguments of the script are",
      hint: "for luath, write it before \(script); for the script, write -- before its arguments: "
        + line.joined(separator: " "))
  }

  private static func isHelp(_ argument: String) -> Bool {
    argument == "-h" || argument == "--help"
  }

  /// The values of a list option, which may be given several times, separated by commas, or both.
  public func list(_ name: String) -> [String] {
    (lists[name] ?? []).flatMap(Self.items)
  }

  /// The comma-separated items of a text, including empty ones.
  public static func items(_ text: String) -> [String] {
    text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }
}

/// An invalid command line.
public struct UsageError: Error {
  /// What is wrong.
  public let message: String
  /// The given value, with a mark under the error.
  let excerpt: String
  /// What to do; nil to refer to the help.
  public let hint: String?

  /// An error of the command line; nil stands for the default hint.
  public init(_ message: String, excerpt: String = "", hint: String? = nil) {
    self.message = message
    self.excerpt = excerpt
    self.hint = hint
  }

  static func unknown(_ option: String, _ command: CommandDescription) -> UsageError {
    let names = command.options.map { "--\($0.name)" } + ["--help"]
    let advice = nearestName(to: option, among: names).map { "; did you mean \($0)?" } ?? ""
    return UsageError("luath \(command.name) has no option \(option)\(advice)")
  }
}

/// An option of a command: its name, its value and its help sentence.
public struct Option: Sendable {
  /// The name.
  public let name: String
  /// The placeholder of the value in the help; nil for a flag.
  public let value: String?
  /// The meaning, with units, for the help.
  public let summary: String
  /// What holds without the option, in words; nil for a flag, and for an option that a command needs.
  public let standard: String?
  /// A short form of one letter, such as `-o`.
  public let letter: Character?
  /// Whether the option may stand without its value.
  public let isValueOptional: Bool
  /// Whether the value must be attached with `=`, because the next argument may be an operand.
  public let isValueAttached: Bool
  /// Whether the option may be given more than once.
  public let isRepeatable: Bool
  /// The possible values for shell completion, if there are only a few.
  public let choices: [String]

  /// An option; without a placeholder for its value it is a flag.
  public init(
    _ name: String, _ value: String? = nil, _ summary: String, default standard: String? = nil,
    letter: Character? = nil, isValueOptional: Bool = false, isValueAttached: Bool = false,
    isRepeatable: Bool = false,
    choices: [String] = []
  ) {
    self.name = name
    self.letter = letter
    self.value = value
    self.summary = summary
    self.standard = standard
    self.isValueOptional = isValueOptional || isValueAttached
    self.isValueAttached = isValueAttached
    self.isRepeatable = isRepeatable
    self.choices = choices
  }

  /// The same option with another name, for a command that has an option of this name already.
  public func named(_ name: String) -> Option {
    Option(
      name, value, summary, default: standard, isValueOptional: isValueOptional,
      isValueAttached: isValueAttached, isRepeatable: isRepeatable, choices: choices)
  }

  /// The meaning and the default.
  public var help: String { summary + (standard.map { "; default: \($0)" } ?? "") }

  /// The option as it is typed, with its value.
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
  /// The name.
  public let name: String
  /// One line for the help.
  public let summary: String
  /// The operands, as the usage line shows them.
  public let operands: String
  /// The options that the command accepts.
  public let options: [Option]
  /// Command lines for the help.
  public let examples: [String]
  /// Whether the first operand is a script, to which all following arguments belong.
  public var passesArguments = false
  /// Whether the arguments after `--` belong to the script that is the first operand.
  public var passesRest = false
  /// Whether the first operand is a program, to which all following arguments belong, also options.
  public var passesCommand = false
  /// The option with the code of a script, which takes the place of the first operand; nil when there is none.
  public var codeOption: String?
  /// Whether an argument with the spelling of an option that the command lacks is an operand.
  public var takesAnyOption = false
  /// Sentences about the operands and the command, for the help.
  public var note = ""
  /// When the command exits with each of its codes; those that every command has may be left out.
  public var exits: [ExitCode: String] = [:]

  /// The description of a command, which has subcommands or code to run.
  public init(
    name: String, summary: String, operands: String, options: [Option], examples: [String],
    passesArguments: Bool = false, passesRest: Bool = false, passesCommand: Bool = false,
    codeOption: String? = nil, note: String = "", takesAnyOption: Bool = false,
    exits: [ExitCode: String] = [:]
  ) {
    self.name = name
    self.summary = summary
    self.operands = operands
    self.options = options
    self.examples = examples
    self.passesArguments = passesArguments
    self.passesRest = passesRest
    self.passesCommand = passesCommand
    self.codeOption = codeOption
    self.note = note
    self.takesAnyOption = takesAnyOption
    self.exits = exits
  }

  /// The exit codes of the command in order, each with its condition.
  public var allExits: [(code: ExitCode, condition: String)] {
    ExitCode.allCases.compactMap { code in
      (exits[code] ?? code.general).map { (code, $0) }
    }
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

  /// The long form of an option that is spelled with a letter: `-o FILE`, `-oFILE`; other arguments as they are.
  func long(_ argument: String) -> String {
    guard !argument.hasPrefix("--"), let letter = argument.dropFirst().first,
      let option = options.first(where: { $0.letter == letter })
    else { return argument }
    let rest = argument.dropFirst(2)
    if rest.isEmpty { return "--\(option.name)" }
    return option.value == nil || rest.hasPrefix("=") ? argument : "--\(option.name)=\(rest)"
  }

  /// The help, for a terminal.
  func help(_ style: HelpStyle) -> String {
    var text =
      style.wrapped(summary, indent: 0) + "\n\n"
      + style.wrapped("Usage: \(usage)", indent: 7, first: 0) + "\n"
    if !note.isEmpty { text += "\n" + style.wrapped(note, indent: 0) + "\n" }
    func part(_ title: String, _ body: String) {
      if !body.isEmpty { text += "\n\(style.bold("\(title):"))\n\(body)" }
    }
    part("Options", style.list(options.map { ($0.spelling, $0.help) }, indent: 2))
    part("Examples", examples.map { "  \($0)\n" }.joined())
    part(
      "Exit codes",
      style.list(allExits.map { (String($0.code.rawValue), $0.condition) }, indent: 2))
    return text
  }
}

/// Quotes text as one shell word, for the commands that luath prints.
public enum ShellWord {
  /// The text, quoted if the shell would split or expand it.
  public static func quoted(_ text: String) -> String {
    let plain = text.printable
    let isPlain =
      !plain.isEmpty
      && plain.utf8.allSatisfy { byte in
        byte >= 0x80 || byte.isDigit || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte) || "_/.-:=+,@%".utf8.contains(byte)
      }
    return isPlain ? plain : "'\(plain.replacing("'", with: "'\\''"))'"
  }

  /// A folder as the operand of `cd`, which would parse a name that begins with `-` as an option.
  public static func folder(_ path: String) -> String {
    quoted(path.hasPrefix("-") ? "./\(path)" : path)
  }
}
