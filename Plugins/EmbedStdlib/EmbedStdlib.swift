import Foundation
import PackagePlugin

/// Runs `EmbedTool` over `stdlib/` before the target that asks for it is compiled.
@main
struct EmbedStdlib: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let stdlib = context.package.directoryURL.appending(path: "stdlib")
    let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedStdlib.swift")
    let walker = FileManager.default.enumerator(at: stdlib, includingPropertiesForKeys: nil)
    let inputs = (walker?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "lua" }
    return [
      .buildCommand(
        displayName: "Embedding stdlib",
        executable: try context.tool(named: "EmbedTool").url,
        arguments: [stdlib.path, output.path],
        inputFiles: inputs, outputFiles: [output])
    ]
  }
}
