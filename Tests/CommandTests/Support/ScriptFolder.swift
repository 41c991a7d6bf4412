import Foundation
import Testing

/// A temporary folder with the files of one test; gone when nothing refers to it any more.
final class ScriptFolder: Sendable {
  let url: URL

  init(_ files: [String: String] = [:]) throws {
    url = FileManager.default.temporaryDirectory.appending(path: "luath-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    for (name, text) in files { try add(name, Array(text.utf8)) }
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func add(_ name: String, _ bytes: [UInt8]) throws {
    let file = url.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    // Whole at once, because luath may watch it.
    try Data(bytes).write(to: file, options: .atomic)
  }
}

/// Starts `luath run` with options and this script.
func start(
  _ script: String, _ options: [String] = [], arguments: [String] = [],
  environment: [String: String] = [:], programs: [String: String] = [:], input: Pipe? = nil
) throws -> (luath: Luath, folder: ScriptFolder) {
  let folder = try ScriptFolder(["script.lua": script].merging(programs) { $1 })
  for program in programs.keys { chmod(folder.url.appending(path: program).path, 0o755) }
  return (
    try Luath(
      ["run"] + options + ["script.lua", "--"] + arguments, in: folder.url,
      environment: environment, input: input),
    folder
  )
}

/// Runs a script to its end.
func run(
  _ script: String, _ options: String..., limit: Double = 100,
  sourceLocation: SourceLocation = #_sourceLocation
) async throws -> Luath.Ending {
  let (luath, folder) = try start(script, options)
  let ending = await luath.ending(within: limit)
  withExtendedLifetime(folder) {}
  #expect(!ending.wasKilled, "the run did not end", sourceLocation: sourceLocation)
  return ending
}
