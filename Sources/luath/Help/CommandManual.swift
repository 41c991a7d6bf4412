import Reference
import Host

struct CommandManual {
  let commands: [Command]

  /// All manual pages; their paths are in `man1`.
  var pages: [GeneratedFile] {
    [overview] + commands.flatMap { [page($0)] + $0.parts.map(page) }
  }

  private var overview: GeneratedFile {
    var text = ManualText.title("LUATH", "1", Version.current)
    text += ".SH NAME\nluath \\- run Lua scripts that sign people in\n"
    text += ".SH SYNOPSIS\n.B luath\nCOMMAND [options]\n"
    text += ".SH DESCRIPTION\n"
    text += ManualText.paragraph(
      "luath runs Lua scripts with Firebase Auth's primitives, on an emulated project of its own "
        + "unless it is told otherwise. Without a command it is a prompt.")
    text += ".SH COMMANDS\n"
    for command in commands {
      text += ".TP\n.BR \(ManualText.escaped(Self.name(command.description))) (1)\n"
      text += ManualText.line(command.description.summary)
    }
    text += exitStatus
    text += ".SH ENVIRONMENT\n"
    for (name, meaning) in [
      (
        "FIREBASE_AUTH_EMULATOR_HOST", "HOST:PORT of an emulator to use in place of the one inside."
      ),
      (
        "GOOGLE_APPLICATION_CREDENTIALS", "The file of a service account's key, for administrators."
      ),
      (
        "LUATH_HISTORY",
        "The file in which the prompt keeps what was typed; when it is empty, nothing is kept."
      ),
      ("NO_COLOR", "When it is not empty, nothing is coloured or bold."),
    ] {
      text += ".TP\n.B \(name)\n" + ManualText.line(meaning)
    }
    text += ".SH FILES\n.TP\n.B luath.lua\n"
    text += ManualText.line("The project file: the nearest, from the script's folder upwards.")
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
      text += ".SH OPTIONS\n"
      for option in description.options {
        text += ".TP\n.B \(ManualText.escaped(option.spelling))\n" + ManualText.line(option.summary)
      }
    }
    if !description.examples.isEmpty {
      text += ".SH EXAMPLES\n.nf\n"
      for example in description.examples { text += ManualText.line(example) }
      text += ".fi\n"
    }
    text += exitStatus + ".SH SEE ALSO\n.BR luath (1)\n"
    return GeneratedFile("man1/\(name).1", text)
  }

  private var exitStatus: String {
    ExitCode.allCases.reduce(".SH EXIT STATUS\n") { text, code in
      text + ".TP\n.B \(code.rawValue)\n" + ManualText.line(code.meaning)
    }
      + ManualText.paragraph(
        "A signal that ends luath at once is 128 and its number to a shell: 129 when the terminal goes "
          + "away, and at the prompt 143 for SIGTERM. Journeys, load and batches end in good order for "
          + "both.")
  }

  /// The name of a manual page, such as `luath-batch-plan`.
  private static func name(_ description: CommandDescription) -> String {
    "luath-" + description.name.replacing(" ", with: "-")
  }
}
