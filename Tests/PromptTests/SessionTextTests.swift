@testable import System
import Foundation
import Testing

@testable import Prompt

@Suite struct SessionTextTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Every Lua file of the project.
  private static func files() -> [(name: String, text: String)] {
    ["scripts", "stdlib"].flatMap { folder in
      let files = FileManager.default.enumerator(
        at: root.appending(path: folder), includingPropertiesForKeys: nil)
      return (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "lua" }
        .compactMap { file in
          (try? String(contentsOf: file, encoding: .utf8)).map { (file.lastPathComponent, $0) }
        }
    }
  }

  @Test func `every script of the project is a text whose variables stay`() throws {
    let parser = LuaParser()
    let files = Self.files()
    #expect(files.count > 80)
    for (name, text) in files {
      let made = SessionText(text, isExpression: false) { _ in ["print": true, "require": false] }
      #expect(parser.isStatement(made.source), "\(name)")
      // Lines stay where they are, but for the last, which ends the function around the text.
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).count
      let more = made.source.split(separator: "\n", omittingEmptySubsequences: false).count
      #expect(more == lines + 1, "\(name)")
      let declared = text.split(separator: "\n").count { $0.hasPrefix("local ") }
      #expect(made.facts["kept"]?.array?.count ?? 0 >= declared, "\(name)")
    }
  }

  @Test func `the variables that a text names are declared for it, and no others asked about`() {
    let all = ["a": false, "b": true, "c": false]
    let made = SessionText("a + b -- c", isExpression: true) { names in
      #expect(names == ["_ENV", "a", "b"])
      return all.filter { names.contains($0.key) }
    }
    #expect(
      made.source == """
        local luath__pass,a,b <const> =...;return function(...) return luath__pass(a + b -- c
        )end
        """)
    #expect(made.facts["names"] == ["a", "b"])
  }
}
