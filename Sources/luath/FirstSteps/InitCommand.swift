import System
import Host

/// `luath init`: creates a project that runs without changes.
enum InitCommand {
  static let description = CommandDescription(
    name: "init", summary: "Makes a project that runs at once, and overwrites nothing.",
    operands: "[FOLDER]",
    options: [
      Option(
        "template", "NAME",
        ProjectTemplate.allCases.map { "\($0.rawValue) (\($0.summary))" }.joined(separator: ", ")
          + "; journey when not given",
        choices: ProjectTemplate.allCases.map(\.rawValue)),
      Option(
        "editor", nil,
        "only what lua-language-server needs: .luarc.json where there is none, and definitions"),
    ],
    examples: [
      "luath init",
      "luath init --template migration link-microsoft",
      "luath init --editor",
    ])

  @Sendable static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    let operands = arguments.operands
    guard operands.count < 2 else {
      throw UsageError("luath init makes one folder, not \(operands.count)")
    }
    let folder = operands.first ?? "."
    guard !folder.isEmpty, !folder.utf8.contains(0) else {
      throw UsageError("luath init needs the name of a folder, or none for this one")
    }
    let template = try template(arguments.values["template"] ?? ProjectTemplate.journey.rawValue)
    if arguments.flags.contains("editor") {
      guard arguments.values["template"] == nil else {
        throw UsageError(
          "--editor makes no project, which --template is for",
          hint: "leave out --editor: a new project has what editors need")
      }
      return await editor(folder, console)
    }
    let files = NewFiles(
      folder: console.whole(folder), files: template.files + [EditorFiles.settings])
    do throws(NewFiles.Problem) { try files.make() } catch {
      return failure(error, folder).report(console)
    }
    do throws(CommandFailure) {
      try await EditorFiles.writeDefinitions(below: console.whole(folder))
    } catch {
      return error.report(console)
    }
    var text = folder == "." ? "made here:\n" : "made in \(folder.printable):\n"
    for file in files.files { text += "  \(file.path)\n" }
    text += "  \(EditorFiles.folder)/\n"
    let enter = folder == "." ? [] : ["cd \(ShellWord.folder(folder))"]
    text += "\nnext:\n"
    let luath = OwnProgram.spelling(console)
    for command in enter + template.firstCommands.map({ "\(luath) \($0)" }) {
      text += "  \(command)\n"
    }
    text += "README.md there tells more.\n"
    console.writeOutput(text)
    return .code(.ok)
  }

  /// Writes the editor files into an existing project.
  private static func editor(_ folder: String, _ console: Console) async -> ExitStatus {
    let settings = NewFiles(folder: console.whole(folder), files: [EditorFiles.settings])
    do throws(NewFiles.Problem) { try settings.make() } catch {
      // Keep existing settings, which belong to the project.
      if case .refused = error { return failure(error, folder).report(console) }
    }
    do throws(CommandFailure) {
      try await EditorFiles.writeDefinitions(below: console.whole(folder))
    } catch {
      return error.report(console)
    }
    console.writeOutput("\(EditorFiles.folder)/ has the definitions, and .luarc.json names it\n")
    return .code(.ok)
  }

  private static func template(_ name: String) throws(UsageError) -> ProjectTemplate {
    if let template = ProjectTemplate(rawValue: name) { return template }
    let names = ProjectTemplate.allCases.map(\.rawValue)
    let near = nearestName(to: name, among: names).map { "did you mean \($0)?" }
    throw UsageError(
      "there is no template '\(name.printable)'",
      hint: near ?? "there are \(names.joined(separator: ", "))")
  }

  private static func failure(_ problem: NewFiles.Problem, _ folder: String) -> CommandFailure {
    switch problem {
    case .inTheWay(let paths):
      CommandFailure(
        .failed,
        "nothing was made, as \(folder == "." ? "this folder" : folder.printable) has "
          + paths.joined(separator: ", ") + " already",
        hint: "name another folder: luath init NAME; or move what is in the way")
    case .refused(let path, let words):
      CommandFailure(
        .unavailable, "nothing was made: \(path.printable): \(words)",
        hint: "name a folder that you may write to: luath init NAME")
    }
  }
}
