import Foundation

/// The text of `Programs/NAME.lua`.
func luaProgram(_ name: String) throws -> String {
  let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Programs/\(name).lua")
  return try String(contentsOf: file, encoding: .utf8)
}
