import Glibc
import HTTP
import Host
import Prompt
import Reference
import System

/// `luath doc`: prints the reference in the terminal.
enum DocCommand {
  static let description = CommandDescription(
    name: "doc",
    summary:
      "Explains a function, an error code, a command, an option or a key, and shows the manual.",
    operands: "[NAME...]",
    options: [Option("no-pager", nil, "write long texts to the terminal at once, without a pager")],
    examples: [
      "luath doc", "luath doc signIn", "luath doc auth/weak-password", "luath doc batch run",
      "luath doc --rate", "luath doc exit code 4", "luath doc concepts", "luath doc second factor",
    ],
    note:
      "NAME is a module, class or function, also as the SDKs write it: 'signIn(with:)'; an error code "
      + "or number; a command, an option, an exit code or an environment variable; a key of luath.lua; or a "
      + "page of the manual. If nothing has the name, luath doc lists what mentions the words. Without NAME it "
      + "lists modules, commands and pages. "
      + "At a terminal, $PAGER shows the text, or less if there is no such variable; PAGER=cat turns that off.",
    takesAnyOption: true,
    exits: [
      .ok: "something was found",
      .nothing: "nothing was found, even if a similar name is suggested",
    ])

  @Sendable static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    let catalogue: Catalogue
    do throws(HTTPError) { catalogue = try await Catalogue.make(commands: Commands.all) } catch {
      return CommandFailure(error).report(console)
    }
    let style = HelpStyle(console)
    let pager = arguments.flags.contains("no-pager") ? nil : Pager(console)
    func show(_ text: String) {
      if let pager { pager.show(text, console) } else { console.writeOutput(text) }
    }
    let name = arguments.operands.joined(separator: " ")
    guard !name.isEmpty else {
      show(
        catalogue.overview(style)
          + style.wrapped(
            "luath doc NAME explains each of them, and also functions, error codes, options such as --rate, "
              + "keys of luath.lua and exit codes. luath doc WORDS lists what mentions the words.",
            indent: 0) + "\n")
      return .code(.ok)
    }
    if let text = catalogue.help(for: name, style) {
      show(text)
      return .code(.ok)
    }
    let near = catalogue.nearest(to: name)
    if catalogue.mentions(of: name, style) != nil, let text = catalogue.apropos(name, style) {
      show(text)
      return .code(.ok)
    }
    console.report(
      "nothing is called or mentions '\(String(name.prefix(60)).printable)'",
      hint: near.map { "did you mean \($0)?" } ?? "luath doc lists modules, commands and pages")
    return .code(.nothing)
  }
}

/// `luath __files FOLDER`: writes the files that packages and projects need in addition to the program.
///
/// These are manual pages, shell completions, editor definitions and the reference as a page and a site. The command
/// is for `make` and packagers, so the help does not list it.
enum FilesCommand {
  /// All files, with paths relative to the folder: `man`, `completions`, `meta`, `site`, `reference.md`.
  static func files(_ commands: [Command]) async throws(HTTPError) -> [GeneratedFile] {
    let catalogue = try await Catalogue.make()
    let manual = CommandManual(commands: commands, variables: Catalogue.environmentVariables)
    let pages = manual.pages + [catalogue.manualPage(version: Version.current)]
    return pages.map { GeneratedFile("man/\($0.path)", $0.text) }
      + [
        GeneratedFile("completions/bash/luath", ShellScripts.bash),
        GeneratedFile("completions/zsh/_luath", ShellScripts.zsh),
        GeneratedFile("completions/fish/luath.fish", ShellScripts.fish),
        GeneratedFile("reference.md", catalogue.markdown),
      ]
      + catalogue.metaFiles.map { GeneratedFile("meta/\($0.path)", $0.text) }
      + catalogue.siteFiles(version: Version.current).map {
        GeneratedFile("site/\($0.path)", $0.text)
      }
  }

  static func main(_ arguments: [String], _ commands: [Command], _ console: Console) async -> Int32
  {
    guard arguments.count == 1, let folder = arguments.first, !folder.isEmpty else {
      console.report("luath __files takes one folder", hint: "luath __files FOLDER")
      return ExitCode.usage.rawValue
    }
    do throws(HTTPError) {
      for file in try await files(commands) {
        if let problem = write(file, below: console.whole(folder)) {
          console.report(
            "cannot write \(folder.printable)/\(file.path): \(problem)",
            hint: "name a folder that you may write to")
          return ExitCode.unavailable.rawValue
        }
      }
    } catch {
      return CommandFailure(error).report(console).rawValue
    }
    return 0
  }

  /// Writes a file and creates its folders; returns the system's error message if that fails.
  static func write(_ file: GeneratedFile, below folder: String) -> String? {
    var path = folder
    _ = mkdir(path, 0o755)
    for part in file.path.split(separator: "/").dropLast() {
      path += "/\(part)"
      _ = mkdir(path, 0o755)
    }
    guard let handle = fopen("\(folder)/\(file.path)", "wb") else {
      return SystemError(errno).words
    }
    let bytes = Array(file.text.utf8)
    let isWritten = bytes.isEmpty || fwrite(bytes, bytes.count, 1, handle) == 1
    guard fclose(handle) == 0, isWritten else {
      return SystemError(errno).words
    }
    return nil
  }
}
