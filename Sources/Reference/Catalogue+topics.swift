import Host
import System

/// Topics: errors of modules, commands, options, exit codes, keys of `luath.lua` and pages.
extension Catalogue {
  /// All topics.
  var topics: [Topic] { Topic.builtIn + commandTopics }

  /// The pages of the documents, with their titles.
  public var documents: [(word: String, summary: String)] {
    Document.all.map { ($0.name, $0.title) }
  }

  /// The environment variables that the documents list, with their meanings.
  public static var environmentVariables: [(names: String, meaning: String)] {
    DocumentRow.variables
  }

  /// The topics of a name, by kind.
  func topics(named name: String) -> [Topic] {
    let name = name.lowercased()
    let found = topics.filter { $0.spellings.contains(name) }
    return Topic.Kind.allCases.flatMap { kind in found.filter { $0.kind == kind } }
  }

  /// The topics that mention all words of a text; those with the words in their names first.
  func topics(mentioning text: String) -> [Topic] {
    let words = text.lowercased().split(separator: " ").map(String.init)
    let found = topics.filter { topic in words.allSatisfy { topic.prose.contains($0) } }
    let isNamed = { (topic: Topic) in
      words.allSatisfy { topic.name.lowercased().contains($0) }
    }
    return found.filter(isNamed) + found.filter { !isNamed($0) }
  }

  /// The help for an exit code that luath does not have; nil for other names.
  static func unknownExit(_ name: String, _ style: HelpStyle) -> String? {
    guard let number = name.wholeMatch(of: /exit(?: code| status)? (\d+)/)?.output.1 else {
      return nil
    }
    return Topic.block(
      "exit code \(number)", "not one of luath's own",
      "A script exits with it by os.exit(\(number)). luath doc exit codes lists those of luath.",
      style: style)
  }

  /// Words as one name, as `enumeration protection` is `enumerationProtection`; nil for a single word.
  static func asOneWord(_ name: String) -> String? {
    let word = name.filter { $0 != " " && $0 != "-" }
    return word == name || word.isEmpty || name.hasPrefix("-") ? nil : word
  }

  /// A call of the Apple SDK without its labels, and without what stands around calls; nil for other names.
  ///
  /// `try await auth.signIn(with:)` and `-[FIRAuth signInWithCredential:completion:]` are `auth.signIn` and `signIn`.
  static func withoutLabels(_ name: String) -> String? {
    var plain = name.trimmed[...]
    for word in ["try", "await", "let", "return"] {
      if plain.hasPrefix("\(word) ") { plain = plain.dropFirst(word.count + 1).trimmed[...] }
    }
    // In this order: a message of Objective-C, a call, a selector, and `signInWithCredential`, which is
    // `signIn(with:)` in Swift.
    for pattern in [
      /[-+]?\[\w+ (\w+).*\]/, /([\w.:?()]*\w)\(.*\)/, /(\w+):(?:\w+:)*/,
      /([a-z]+[a-zA-Z]*?)(?:With|For)[A-Z]\w*/,
    ] {
      guard let match = plain.wholeMatch(of: pattern) else { continue }
      plain = match.output.1
      break
    }
    let found = String(plain.filter { $0 != "?" })
    return found.isEmpty || found == name ? nil : found
  }
}

/// The topics of the commands: their help and their options.
enum CommandTopics {
  static func topics(of commands: [Command]) -> [Topic] {
    let all = commands.flatMap { [$0] + $0.parts }
    return all.map(topic) + options(of: all) + exitCodes(of: all.map(\.description))
  }

  /// A topic for each exit code, and one for all of them.
  private static func exitCodes(of commands: [CommandDescription]) -> [Topic] {
    guard !commands.isEmpty else { return [] }
    let list = Topic(
      .exitCode, "exit codes", spellings: ["exit code", "exit status"],
      summary: "what luath returns to the shell"
    ) { style in
      Topic.block("exit codes", "what luath returns to the shell", style: style) + "\n"
        + style.list(ExitCode.allCases.map { (String($0.rawValue), $0.meaning) }, indent: 2)
        + "\n  luath doc exit-codes lists those of each command.\n"
    }
    return [list]
      + ExitCode.allCases.map { code in
        let number = code.rawValue
        let places = commands.compactMap { command in
          command.exits[code].map { (name: "luath \(command.name)", words: $0) }
        }
        return Topic(
          .exitCode, "exit code \(number)", spellings: ["exit \(number)", "exit status \(number)"],
          summary: code.meaning
        ) { style in
          let list =
            places.isEmpty ? "" : "\n\(style.bold("Commands"))\n\(style.list(places, indent: 2))"
          return Topic.block("exit code \(number)", "of luath", code.meaning.sentence, style: style)
            + list
        }
      }
  }

  private static func topic(_ command: Command) -> Topic {
    let name = command.description.name
    return Topic(
      .command, "luath \(name)",
      spellings: [name, command.word, "\(name) --help", "luath-\(name.replacing(" ", with: "-"))"],
      summary: command.description.summary, prose: command.description.note
    ) { command.help($0) }
  }

  /// One topic for each option of the same name and meaning, with the commands that have it.
  private static func options(of commands: [Command]) -> [Topic] {
    var groups: [(option: Option, commands: [String])] = []
    for command in commands.map(\.description) {
      for option in command.options {
        if let at = groups.firstIndex(where: {
          $0.option.help == option.help && $0.option.name == option.name
        }) {
          groups[at].commands.append(command.name)
        } else {
          groups.append((option, [command.name]))
        }
      }
    }
    return groups.map { option, commands in
      let spelled = ["--\(option.name)", option.name] + (option.letter.map { ["-\($0)"] } ?? [])
      let spellings =
        spelled
        + spelled.flatMap { word in
          commands.flatMap { ["\($0) \(word)", "luath \($0) \(word)"] }
        }
      return Topic(
        .option, "luath \(commands[0]) --\(option.name)", spellings: spellings,
        summary: option.summary
      ) { style in
        Topic.block(
          option.spelling, "option of luath \(commands.joined(separator: ", "))",
          option.help.sentence, style: style)
      }
    }
  }
}
