import Host
import Reference
import System

/// The manual pages of the commands, `luath(1)` and one for each command.
struct CommandManual {
  let commands: [Command]
  /// The environment variables with their meanings.
  let variables: [(names: String, meaning: String)]

  /// All manual pages; their paths are in `man1`.
  var pages: [GeneratedFile] {
    [overview] + commands.flatMap { [page($0)] + $0.parts.map(page) }
  }

  /// The files that luath reads and writes by itself.
  private static let files = [
    ("luath.lua", "The project file: the nearest one, from the folder of the script up."),
    (
      "GoogleService-Info.plist, google-services.json, firebase-config.json, firebase-config.js",
      "The configuration of an app for the target firebase, beside the project file."
    ),
    (".luath/tests.json", "Failures and durations of journeys, for --last-failed and --shard."),
    (".luath/meta/, .luarc.json", "Definitions for lua-language-server, and its settings."),
    ("SCRIPT.plan.ndjson", "The plan that luath batch plan writes without --output."),
    ("PLAN.journal", "The journal of a plan: what each row did, and what undo needs."),
    ("PLAN.sig", "The signature of a plan, by luath batch seal --sign."),
    (
      "~/.config/luath/init.lua, ~/.luathrc.lua",
      "The script that the prompt runs first; the first one that exists."
    ),
    ("~/.local/state/luath/history", "The history of the prompt, without secrets."),
  ]

  private var overview: GeneratedFile {
    var text = ManualText.title("LUATH", "1", Version.current)
    text += ".SH NAME\nluath \\- test sign\\-in with Firebase Auth, by Lua scripts\n"
    text += ".SH SYNOPSIS\n.B luath\nCOMMAND [options]\n"
    text += ".SH DESCRIPTION\n"
    text += ManualText.paragraph(
      "luath runs Lua scripts with the calls of Firebase's SDKs, on a built-in emulator or on a real "
        + "project. Without a command it is a prompt. luath doc shows the whole manual.")
    text += ".SH COMMANDS\n"
    for command in commands {
      text += ".TP\n.BR \(ManualText.escaped(Self.name(command.description))) (1)\n"
      text += ManualText.line(command.description.summary)
    }
    text += exitStatus(ExitCode.allCases.map { ($0, $0.meaning) })
    text += items("ENVIRONMENT", variables.map { ($0.names, $0.meaning) })
    text += items("FILES", Self.files)
    text += ".SH SEE ALSO\n.BR luath (3lua)\n"
    return GeneratedFile("man1/luath.1", text)
  }

  private func page(_ command: Command) -> GeneratedFile {
    let description = command.description
    let name = Self.name(description)
    var text = ManualText.title(name.uppercased(), "1", Version.current)
    let summary = description.summary
    let start = summary.prefix(1).lowercased() + summary.dropFirst().prefix { $0 != "." }
    text += ".SH NAME\n\(ManualText.escaped(name)) \\- \(ManualText.escaped(start))\n"
    text += ".SH SYNOPSIS\n.B \(ManualText.escaped(description.usage))\n"
    text += ".SH DESCRIPTION\n" + ManualText.paragraph(summary)
    if !description.note.isEmpty { text += ManualText.paragraph(description.note) }
    if !command.parts.isEmpty {
      text += ".SH COMMANDS\n"
      for part in command.parts {
        text += ".TP\n.BR \(ManualText.escaped(Self.name(part.description))) (1)\n"
        text += ManualText.line(part.description.summary)
      }
    }
    if !description.options.isEmpty {
      text += items("OPTIONS", description.options.map { ($0.spelling, $0.help.sentence) })
    }
    if !description.examples.isEmpty {
      text += ".SH EXAMPLES\n.nf\n"
      for example in description.examples { text += ManualText.line(example) }
      text += ".fi\n"
    }
    if command.parts.isEmpty { text += exitStatus(description.allExits) }
    let group = description.name.split(separator: " ").count > 1 ? ".BR luath\\-batch (1),\n" : ""
    text += ".SH SEE ALSO\n\(group).BR luath (1)\n"
    return GeneratedFile("man1/\(name).1", text)
  }

  private func items(_ title: String, _ items: [(name: String, meaning: String)]) -> String {
    items.reduce(".SH \(title)\n") { text, item in
      text + ".TP\n.B \(ManualText.escaped(item.name))\n" + ManualText.line(item.meaning.sentence)
    }
  }

  private func exitStatus(_ codes: [(code: ExitCode, condition: String)]) -> String {
    let text = items("EXIT STATUS", codes.map { (String($0.code.rawValue), $0.condition) })
    return text
      + ManualText.paragraph(
        "If a signal ends luath at once, the shell reports 128 plus its number: 129 when the terminal is "
          + "closed.")
  }

  /// The name of a manual page, such as `luath-batch-plan`.
  private static func name(_ description: CommandDescription) -> String {
    "luath-" + description.name.replacing(" ", with: "-")
  }
}
