import Glibc
import HTTP
import Host
import Reference
import System

/// `luath init`: creates a project that runs without changes.
enum InitCommand {
  static let description = CommandDescription(
    name: "init", summary: "Creates a project that runs at once, and overwrites nothing.",
    operands: "[FOLDER]",
    options: [
      Option(
        "template", "NAME",
        ProjectTemplate.allCases.map { "\($0.rawValue) (\($0.summary))" }.joined(separator: ", "),
        default: "journey", choices: ProjectTemplate.allCases.map(\.rawValue)),
      Option(
        "editor", nil,
        "create only the files for lua-language-server: definitions, and .luarc.json if there is none"
      ),
      Option(
        "ci", "SERVICE",
        "create only a CI workflow, for \(CIService.names); with --template journey, a project with one",
        default: "no workflow", choices: CIService.allCases.map(\.rawValue)),
    ],
    examples: [
      "luath init",
      "luath init --template migration link-microsoft",
      "luath init --editor",
      "luath init --ci github",
    ],
    note:
      "Nothing is overwritten. README, .gitignore and .luarc.json may be there already: they are kept, "
      + "and luath prints what to add to them. Other files of the template must not be there.",
    exits: [
      .ok: "the project was created",
      .failed: "files are in the way, or the workflow would not be in the root of the repository",
      .unavailable: "the folder cannot be written",
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
    let service = try arguments.values["ci"].map(Self.service)
    if arguments.flags.contains("editor") {
      guard service == nil else {
        throw UsageError(
          "--editor and --ci each create only their own files", hint: "call luath init twice")
      }
      guard arguments.values["template"] == nil else {
        throw UsageError(
          "--editor makes no project, which --template is for",
          hint: "leave out --editor: a new project has what editors need")
      }
      return await editor(folder, console)
    }
    if let service {
      guard arguments.values["template"] != nil else { return service.run(in: folder, console) }
      guard template == .journey else {
        throw UsageError(
          "the workflow runs journeys, which --template \(template.rawValue) does not make",
          hint: "take --template journey, or call luath init --ci when there are journeys")
      }
      do throws(CommandFailure) { try service.requireRoot(folder, console) } catch {
        return error.report(console)
      }
    }
    let neighbours = Neighbours(folder: console.whole(folder), console)
    let files = NewFiles(
      folder: console.whole(folder),
      files: template.files(guide: neighbours.guide) + [EditorFiles.settings]
        + (service.map { [$0.workflow] } ?? []),
      keepable: [neighbours.guide, ".gitignore", EditorFiles.settings.path])
    let kept: [String]
    do throws(NewFiles.Problem) { kept = try files.make() } catch {
      return failure(error, folder).report(console)
    }
    do throws(CommandFailure) {
      try await EditorFiles.writeDefinitions(in: folder, console)
    } catch {
      return error.report(console)
    }
    var text = folder == "." ? "made here:\n" : "made in \(folder.printable):\n"
    for file in files.files where !kept.contains(file.path) { text += "  \(file.path)\n" }
    text += "  \(EditorFiles.folder)/\n"
    text += neighbours.report(kept: (neighbours.readme.map { [$0] } ?? []) + kept)
    let enter = folder == "." ? [] : ["cd \(ShellWord.folder(folder))"]
    text += "\nnext:\n"
    let luath = OwnProgram.spelling(console)
    for command in enter + template.firstCommands.map({ "\(luath) \($0)" }) {
      text += "  \(command)\n"
    }
    if service != nil { text += CIService.firstSteps }
    if !kept.contains(neighbours.guide) { text += "\(neighbours.guide) explains the files.\n" }
    console.writeOutput(text)
    return .code(.ok)
  }

  /// Writes the editor files into an existing project.
  private static func editor(_ folder: String, _ console: Console) async -> ExitStatus {
    let neighbours = Neighbours(folder: console.whole(folder), console)
    let settings = NewFiles(
      folder: console.whole(folder), files: [EditorFiles.settings],
      keepable: [EditorFiles.settings.path])
    let kept: [String]
    do throws(NewFiles.Problem) { kept = try settings.make() } catch {
      return failure(error, folder).report(console)
    }
    do throws(CommandFailure) {
      try await EditorFiles.writeDefinitions(in: folder, console)
    } catch {
      return error.report(console)
    }
    let names = kept.isEmpty ? ", and .luarc.json names it" : ""
    console.writeOutput(
      "\(EditorFiles.folder)/ has the definitions\(names)\n" + neighbours.report(kept: kept))
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

  private static func service(_ name: String) throws(UsageError) -> CIService {
    if let service = CIService(rawValue: name) { return service }
    let near = nearestName(to: name, among: CIService.allCases.map(\.rawValue)).map {
      "did you mean \($0)?"
    }
    throw UsageError(
      "there is no workflow for '\(name.printable)'", hint: near ?? "there are \(CIService.names)")
  }

  private static func failure(_ problem: NewFiles.Problem, _ folder: String) -> CommandFailure {
    switch problem {
    case .inTheWay(let paths) where paths.contains("luath.lua"):
      CommandFailure(
        .failed,
        "nothing was made, as \(folder == "." ? "this folder" : folder.printable) has a project "
          + "already: luath.lua",
        hint: "name another folder: luath init NAME; luath init --editor writes what editors need")
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

/// What a folder has before `luath init` makes a project in it.
struct Neighbours {
  private static let list = ".gitignore"

  /// The name of a README of any kind; nil when there is none.
  let readme: String?
  /// The lines of `.gitignore`.
  private let ignored: Set<String>
  /// The settings of lua-language-server.
  private let settings: String

  /// Reads a folder, which need not exist.
  ///
  /// - Parameter folder: an absolute path.
  init(folder: String, _ console: Console) {
    func text(_ name: String) -> String {
      guard case .success(let bytes) = console.read("\(folder)/\(name)") else { return "" }
      return String(decoding: bytes, as: UTF8.self)
    }
    readme = FolderListing.names(in: folder).first {
      let name = $0.lowercased()
      return name == "readme" || name.hasPrefix("readme.")
    }
    ignored = Set(text(Self.list).split(whereSeparator: \.isNewline).map { Self.pattern($0) })
    settings = text(EditorFiles.settings.path)
  }

  /// A line of `.gitignore` without slashes and blanks at its ends.
  private static func pattern(_ line: some StringProtocol) -> String {
    func isEdge(_ character: Character) -> Bool { character == "/" || character.isWhitespace }
    let start = line.drop(while: isEdge)
    return start.lastIndex { !isEdge($0) }.map { String(start[...$0]) } ?? ""
  }

  /// The file for the template's instructions: beside another README, one of another name.
  var guide: String { readme == nil ? "README.md" : "LUATH.md" }

  /// The kept files and what they lack, in lines for the user; empty when none is kept.
  func report(kept: [String]) -> String {
    guard !kept.isEmpty else { return "" }
    var text = "\nkept unchanged:\n" + kept.map { "  \($0.printable)\n" }.joined()
    if kept.contains(Self.list) {
      let missing = ProjectTemplate.ignored.filter { !ignored.contains(Self.pattern($0)) }
      if !missing.isEmpty {
        text += "\nadd to .gitignore, so that git takes no secrets and no data of accounts:\n"
        text += missing.map { "  \($0)\n" }.joined()
      }
    }
    if kept.contains(EditorFiles.settings.path), !settings.contains(EditorFiles.folder) {
      text +=
        "\nadd \"\(EditorFiles.folder)\" to workspace.library in \(EditorFiles.settings.path), "
      text += "so that editors find the definitions\n"
    }
    return text
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
  ///
  /// - Parameter project: The folder of the project as the user wrote it.
  static func writeDefinitions(
    in project: String, _ console: Console
  ) async throws(CommandFailure) {
    let catalogue: Catalogue
    do throws(HTTPError) { catalogue = try await Catalogue.make() } catch {
      throw CommandFailure(error)
    }
    for file in catalogue.metaFiles {
      let file = GeneratedFile("\(folder)/\(file.path)", file.text)
      if let problem = FilesCommand.write(file, below: console.whole(project)) {
        throw failure(file, problem, project, console)
      }
    }
  }

  /// The error of a file that cannot be written; names a file in the place of one of its folders.
  private static func failure(
    _ file: GeneratedFile, _ problem: String, _ project: String, _ console: Console
  ) -> CommandFailure {
    var place = project == "." ? "" : "\(project)/"
    var obstacle: String?
    for part in folder.split(separator: "/") where obstacle == nil {
      place += part
      if FileAccess(entry: console.whole(place)) != nil,
        FileAccess(path: console.whole(place))?.isFolder != true
      {
        obstacle = place.printable
      }
      place += "/"
    }
    let name = project == "." ? file.path : "\(project)/\(file.path)"
    let command = "luath init --editor" + (project == "." ? "" : " \(ShellWord.folder(project))")
    return CommandFailure(
      .unavailable,
      "cannot write \(name.printable): " + (obstacle.map { "\($0) is not a folder" } ?? problem),
      hint: "only editors need it: "
        + (obstacle.map { "move \($0) to another name" }
          ?? "check the permissions and the free space there")
        + ", then run \(command)")
  }
}

/// The command to call this program.
enum OwnProgram {
  /// `luath` if the shell finds this program by that name, otherwise the absolute path, quoted for a shell.
  static func spelling(_ console: Console) -> String {
    // Without /proc, the program's path is unknown.
    guard let own = FileAccess.realPath(of: "/proc/self/exe") else { return "luath" }
    // Skip empty entries, which mean the current folder (environ(7)): the user will be in the new project's folder.
    for folder in console.environment["PATH", default: ""].split(separator: ":")
    where folder.hasPrefix("/") && access("\(folder)/luath", X_OK) == 0 {
      // The shell takes the first match, even if it is another luath.
      let found = FileAccess.realPath(of: "\(folder)/luath")
      return found == own ? "luath" : ShellWord.quoted(own)
    }
    return ShellWord.quoted(own)
  }
}
