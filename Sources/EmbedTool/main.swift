// Writes stdlib/ into one Swift file, so that the binary carries its own Lua library.
//
// Usage: EmbedTool STDLIB_DIRECTORY OUTPUT.swift
import Foundation

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
  FileHandle.standardError.write(Data("usage: EmbedTool STDLIB_DIRECTORY OUTPUT.swift\n".utf8))
  exit(2)
}
let root = URL(fileURLWithPath: arguments[1], isDirectory: true)
let prefix = root.standardizedFileURL.path + "/"
let walker = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
let files = (walker?.compactMap { $0 as? URL } ?? [])
  .filter {
    $0.pathExtension == "lua" && !$0.path.contains("/spec/") && !$0.path.contains("/meta/")
  }
  .sorted { $0.path < $1.path }

var output = "/// The Lua library of `stdlib/`, by path.\nenum EmbeddedStdlib {\n"
output += "  static let files: [String: StaticString] = [\n"
for file in files {
  let text = try String(contentsOf: file, encoding: .utf8)
  let name = file.standardizedFileURL.path.dropFirst(prefix.count)
  // Five number signs: no Lua source holds a quote followed by five of them.
  let body = text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n")
  output += "    \"\(name)\": #####\"\"\"\n\(body)\n\"\"\"#####,\n"
}
output += files.isEmpty ? "    :\n" : ""
output += "  ]\n}\n"
try output.write(toFile: arguments[2], atomically: true, encoding: .utf8)
