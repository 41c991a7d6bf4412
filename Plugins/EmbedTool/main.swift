// Embeds the files of a folder in one Swift file.
//
// Usage: EmbedTool ENUM FOLDER OUTPUT.swift EXTENSION... [--except PATH...]
//
// Leaves out the paths after --except, which are files or folders below FOLDER.
import Foundation

let arguments = CommandLine.arguments
guard arguments.count > 4 else {
  FileHandle.standardError.write(
    Data("usage: EmbedTool ENUM FOLDER OUTPUT.swift EXTENSION...\n".utf8))
  exit(2)
}
let kinds = arguments[4...].prefix { $0 != "--except" }
let excluded = arguments[4...].dropFirst(kinds.count + 1)
let root = URL(fileURLWithPath: arguments[2], isDirectory: true)
let prefix = root.standardizedFileURL.path + "/"
let walker = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
let files = (walker?.compactMap { $0 as? URL } ?? [])
  .map { (name: String($0.standardizedFileURL.path.dropFirst(prefix.count)), url: $0) }
  .filter { name, url in
    kinds.contains(url.pathExtension)
      && !excluded.contains { name == $0 || name.hasPrefix("\($0)/") }
  }
  .sorted { $0.name < $1.name }

var output = "/// The files of `\(root.lastPathComponent)/`, by path.\nenum \(arguments[1]) {\n"
output += "  static let files: [String: StaticString] = [\n"
for (name, url) in files {
  let text = try String(contentsOf: url, encoding: .utf8)
  // Five number signs: no source holds a quote followed by five of them.
  let body = text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n")
  output += "    \"\(name)\": #####\"\"\"\n\(body)\n\"\"\"#####,\n"
}
output += files.isEmpty ? "    :\n" : ""
output += "  ]\n"
output += """

    /// The text of one of these files.
    static func text(_ name: String) -> String {
      guard let text = files[name] else { preconditionFailure("\\(name) is not embedded") }
      return text.description
    }
  }

  """
try output.write(toFile: arguments[3], atomically: true, encoding: .utf8)
