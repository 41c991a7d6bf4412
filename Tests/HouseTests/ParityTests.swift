import Foundation
import Testing

/// The table of `docs/parity.md` against the names of tests; `parity_spec.lua` compares it with what
/// scripts can use.
@Suite struct ParityTests {
  private static var root: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
  }

  /// The cells of each row of the table, three to a row.
  private static func rows() throws -> [[String]] {
    let text = try String(contentsOf: root.appending(path: "docs/parity.md"), encoding: .utf8)
    return text.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| ---") }
      .map { line in
        line.dropFirst().split(separator: "|", omittingEmptySubsequences: false)
          .map { $0.trimmingCharacters(in: .whitespaces) }
      }
      .filter { $0.first != "API" }
  }

  /// What stands between backticks.
  private static func names(_ cell: String) -> [String] {
    cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .compactMap { $0.offset % 2 == 1 ? String($0.element) : nil }
  }

  /// The names of Swift tests, and of the specs and blocks in Lua.
  private static func testNames() throws -> Set<String> {
    try names(in: "Tests", of: "swift", between: "func `", and: "`")
      .union(names(in: "stdlib/spec", of: "lua", between: "it(\"", and: "\","))
      .union(names(in: "stdlib/spec", of: "lua", between: "describe(\"", and: "\","))
  }

  /// What stands between two texts in the files of a folder.
  private static func names(
    in folder: String, of kind: String, between start: String, and end: String
  ) throws -> Set<String> {
    var names: Set<String> = []
    let files = FileManager.default.enumerator(
      at: root.appending(path: folder), includingPropertiesForKeys: nil)
    for case let file as URL in files ?? .init() where file.pathExtension == kind {
      let text = try String(contentsOf: file, encoding: .utf8)
      for part in text.components(separatedBy: start).dropFirst() {
        if let end = part.range(of: end) { names.insert(String(part[..<end.lowerBound])) }
      }
    }
    return names
  }

  @Test func `every row has tests that are there, or says why there is nothing`() throws {
    let (rows, tests) = (try Self.rows(), try Self.testNames())
    #expect(rows.count > 90)
    #expect(tests.count > 500)
    for row in rows {
      #expect(row.count == 4, "\(row)")
      // A row without a function says why there is none; every other one has a test.
      #expect(row[1].hasPrefix("nothing") || !Self.names(row[2]).isEmpty, "\(row)")
      for name in Self.names(row[2]) {
        #expect(tests.contains(name), "no test is called \(name)")
      }
    }
  }
}
