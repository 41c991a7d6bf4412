import Foundation
import PackagePlugin

/// Runs `EmbedTool` over the files a target carries, before the target is compiled; for the program,
/// writes down the commit at the beginning of every build.
@main
struct EmbedFiles: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let root = context.package.directoryURL
    let commit = context.pluginWorkDirectoryURL.appending(path: "commit")
    return switch target.name {
    case "Journeys":
      [
        try embed(
          root.appending(path: "Sources/Journeys/HTML"), "EmbeddedHTML", ["css", "js"])
      ]
    case "Emulator", "SignIn", "Batch":
      [
        try embed(
          root.appending(path: "Sources/\(target.name)/Assets"), "EmbeddedAssets", ["css", "js"])
      ]
    case "Reference":
      [
        try embed(root.appending(path: "Sources/Reference/Texts"), "EmbeddedTexts", ["lua"]),
        try embed(
          root.appending(path: "Sources/Reference/Site"), "EmbeddedSite", ["css", "js"]),
        // The documents for users; `luath doc` makes the reference itself.
        try embed(
          root.appending(path: "docs"), "EmbeddedDocuments", ["md"],
          except: [
            "README.md", "reference.md", "tour.md", "threat-model.md", "releasing.md",
            "performance.md", "decisions",
          ]),
      ]
    case "luath":
      [
        .prebuildCommand(
          displayName: "Embedding the commit",
          executable: root.appending(path: "Tools/embed-commit"),
          arguments: [root.path, commit.path], outputFilesDirectory: commit),
        try embed(
          root.appending(path: "Sources/luath/FirstSteps/Templates"), "EmbeddedTemplates",
          ["lua", "md", "csv", "txt", "yml"]),
        try embed(
          root.appending(path: "Sources/luath/Compare/Catalogue"), "EmbeddedCatalogue", ["json"]),
      ]
    default:
      [
        try embed(
          root.appending(path: "stdlib"), "EmbeddedStdlib", ["lua"], except: ["spec", "meta"]),
        try embed(try debian("luassert"), "EmbeddedLuassert", ["lua"]),
        try embed(try debian("say"), "EmbeddedSay", ["lua"]),
      ]
    }

    /// The folder of a Lua library that Debian's package `lua-NAME` installs.
    func debian(_ name: String) throws -> URL {
      let folder = URL(filePath: "/usr/share/lua/5.4/\(name)", directoryHint: .isDirectory)
      guard FileManager.default.fileExists(atPath: folder.appending(path: "init.lua").path) else {
        throw MissingPackage(name: "lua-\(name)", folder: folder.path)
      }
      return folder
    }

    func embed(
      _ folder: URL, _ name: String, _ kinds: [String], except excluded: [String] = []
    ) throws -> Command {
      let output = context.pluginWorkDirectoryURL.appending(path: "\(name).swift")
      let walker = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
      let inputs = (walker?.compactMap { $0 as? URL } ?? []).filter {
        kinds.contains($0.pathExtension)
      }
      return .buildCommand(
        displayName: "Embedding \(folder.lastPathComponent)",
        executable: try context.tool(named: "EmbedTool").url,
        arguments: [name, folder.path, output.path] + kinds
          + (excluded.isEmpty ? [] : ["--except"] + excluded),
        inputFiles: inputs, outputFiles: [output])
    }
  }
}

/// A Debian package whose files the program carries is not installed.
struct MissingPackage: Error, CustomStringConvertible {
  let name: String
  let folder: String

  var description: String {
    "luath embeds the Lua files of Debian's \(name), and there are none in \(folder); "
      + "install them: apt-get install \(name), or make setup"
  }
}
