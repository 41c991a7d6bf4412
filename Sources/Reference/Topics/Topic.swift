import Host
import System

/// A subject of the help besides what scripts call: an error of a module, a command, an option, a page.
struct Topic: Sendable {
  /// The kinds, in the order in which the help shows subjects of one name.
  enum Kind: Int, Sendable, CaseIterable {
    case error, key, option, exitCode, variable, command, section, page

    /// Whether the text is a few lines, so that all subjects of a name are shown.
    var isShort: Bool { rawValue < Kind.command.rawValue }
  }

  /// The kind.
  let kind: Kind
  /// The name in lists, which no other topic has: `luath batch run`, `emulator.md`.
  let name: String
  /// All names that find it, as they are written.
  let names: [String]
  /// The same in lower case.
  let spellings: Set<String>
  /// One line about it.
  let summary: String
  /// What a search reads besides the names.
  let prose: String
  /// The help for a terminal.
  let text: @Sendable (HelpStyle) -> String

  init(
    _ kind: Kind, _ name: String, spellings: [String], summary: String, prose: String = "",
    text: @escaping @Sendable (HelpStyle) -> String
  ) {
    self.kind = kind
    self.name = name
    names = spellings + [name]
    self.spellings = Set(names.map { $0.lowercased() })
    self.summary = summary
    self.prose = "\(name) \(summary) \(prose)".lowercased()
    self.text = text
  }

  /// The topics that need no command table.
  static let builtIn: [Topic] =
    ModuleError.all.map(\.topic) + DocumentRow.topics + Document.all.map(\.topic)
    + Document.all.flatMap(\.sectionTopics) + [Document.guides]

  /// A heading, a line about the kind, and a text.
  static func block(
    _ heading: String, _ kind: String, _ paragraphs: String..., style: HelpStyle
  ) -> String {
    var text = "\(style.bold(heading))\n\(style.wrapped(kind, indent: 2))\n"
    for paragraph in paragraphs where !paragraph.isEmpty {
      text += "\n\(style.wrapped(paragraph.withoutMarks, indent: 2))\n"
    }
    return text
  }
}

/// An error code of a module besides `luath.auth` and `luath.admin`, whose codes `ErrorCode` has.
struct ModuleError: Sendable {
  /// The module: `luath.oidc`.
  let owner: String
  /// Where scripts and users find the code.
  let place: String
  let code: String
  let meaning: String
  let advice: String

  /// All of them, as `Texts/errors.lua` has them.
  static let all: [ModuleError] = {
    let text = Array(Texts.text(of: "errors").utf8)
    guard let groups = try? ProjectScript.evaluate(text, name: "errors.lua").array else {
      preconditionFailure("Texts/errors.lua is missing or no list of groups")
    }
    return groups.flatMap { group in
      (group["codes"]?.array ?? []).map { row in
        ModuleError(
          owner: group["owner"]?.string ?? "", place: group["place"]?.string ?? "",
          code: row[0]?.string ?? "", meaning: row[1]?.string ?? "", advice: row[2]?.string ?? "")
      }
    }
  }()

  var topic: Topic {
    Topic(
      .error, "\(owner): \(code)",
      spellings: [code, "\(owner).\(code)", "\(owner) \(code)"], summary: meaning, prose: advice
    ) { style in
      Topic.block(
        code, "error code of \(owner), \(place)", meaning.sentence, style: style)
        + "\n\(style.bold("What to do"))\n\(style.wrapped(advice.sentence, indent: 2))\n"
    }
  }
}
