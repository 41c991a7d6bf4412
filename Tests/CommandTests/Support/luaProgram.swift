import Foundation

/// The text of `Programs/NAME.lua`.
///
/// A part takes the place of each call of its name: `["BODY": "x = 1"]` replaces `BODY()`.
func luaProgram(_ name: String, _ parts: [String: String] = [:]) throws -> String {
  let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Programs/\(name).lua")
  let text = try String(contentsOf: file, encoding: .utf8)
  return parts.reduce(text) { $0.replacing("\($1.key)()", with: $1.value) }
}
