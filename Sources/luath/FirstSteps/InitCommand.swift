import Glibc
import HTTP
import Host
import Reference
import System

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

/// The files that editors need: settings of lua-language-server and definitions of luath's functions.
enum EditorFiles {
  /// The folder of the definitions: in `.luath`, because they can be generated again.
  static let folder = ".luath/meta"

  /// The settings file, which is part of the project.
  static var settings: (path: String, text: String) {
    let file = Catalogue.editorSettings(library: folder)
    return (file.path, file.text)
  }

  /// Writes the definitions of this version, replacing older ones.
  static func writeDefinitions(below project: String) async throws(CommandFailure) {
    let catalogue: Catalogue
    do throws(HTTPError) { catalogue = try await Catalogue.make() } catch {
      throw CommandFailure(error)
    }
    for file in catalogue.metaFiles {
      let file = GeneratedFile("\(folder)/\(file.path)", file.text)
      if let problem = FilesCommand.write(file, below: project) {
        throw CommandFailure(
          .unavailable, "cannot write \(file.path): \(problem)",
          hint: "only an editor misses it; luath init --editor writes it again")
      }
    }
  }
}

/// The command to call this program.
enum OwnProgram {
  /// `luath` if the shell finds this program by that name, otherwise the absolute path, quoted for a shell.
  static func spelling(_ console: Console) -> String {
    // Without /proc, the program's path is unknown.
    guard let own = resolved("/proc/self/exe") else { return "luath" }
    // Skip empty entries, which mean the current folder (environ(7)): the user will be in the new project's folder.
    for folder in console.environment["PATH", default: ""].split(separator: ":")
    where folder.hasPrefix("/") && access("\(folder)/luath", X_OK) == 0 {
      // The shell takes the first match, even if it is another luath.
      return resolved("\(folder)/luath") == own ? "luath" : ShellWord.quoted(own)
    }
    return ShellWord.quoted(own)
  }

  private static func resolved(_ path: String) -> String? {
    guard let whole = realpath(path, nil) else { return nil }
    defer { free(whole) }
    return String(cString: whole)
  }
}
