@testable import Emulator
@testable import Host
@testable import System
import Foundation
import Testing

/// `docs/from-the-sdk.md`: every luath column runs, what luath refuses is refused, and the other columns have only
/// names that luath knows.
@Suite(.timeLimit(.minutes(10))) struct SDKPageTests {
  /// A section with a table, and the hidden lines that run before each script of it.
  private struct Section {
    let title: String
    let before: String
    let columns: [String]
    let rows: [[Substring]]

    init?(_ text: String) {
      title = String(text.prefix { $0 != "\n" })
      let table = text.split(separator: "\n").filter { $0.hasPrefix("| ") }
      guard let head = table.first, let start = text.range(of: "<!-- before\n"),
        let end = text.range(of: "-->")
      else { return nil }
      before = String(text[start.upperBound..<end.lowerBound])
      columns = Self.cells(head).map(String.init)
      rows = table.dropFirst(2).map(Self.cells)
    }

    private static func cells(_ row: Substring) -> [Substring] {
      row.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
        .map { Substring($0.trimmingCharacters(in: .whitespaces)) }
    }

    /// The pieces of code in a column of a row; empty for a column that the table does not have.
    func code(_ column: String, _ row: [Substring]) -> [String] {
      guard let index = columns.firstIndex(of: column), index < row.count else { return [] }
      return row[index].split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .compactMap { $0.offset % 2 == 1 ? String($0.element) : nil }
    }
  }

  private static func page() throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: "docs/from-the-sdk.md"), encoding: .utf8)
  }

  private static func sections(_ page: String) -> [Section] {
    page.components(separatedBy: "\n## ").dropFirst().compactMap(Section.init)
  }

  /// What is wrong with the tables of a page.
  private static func problems(_ page: String) async throws -> [String] {
    var problems: [String] = []
    let runner = GuideTests.runner()
    for section in sections(page) {
      var lines: [String] = []
      for row in section.rows {
        let code = section.code("luath", row)
        if section.columns.contains("luath"), code.isEmpty, section.code("luath.lua", row).isEmpty {
          problems.append("\(section.title): \(row[0]) has no luath code")
        }
        lines += code
        for entry in section.code("luath.lua", row) where entry.contains("=") {
          problems += check(projectEntry: entry)
        }
        if section.columns.contains("luath shows") {
          problems += try await check(refusal: row, of: section)
        }
      }
      guard !lines.isEmpty else { continue }
      let text = section.before + lines.joined(separator: "\n")
      if let failure = try await failure(of: text, runner) {
        problems.append("\(section.title): \(failure)")
      }
    }
    return problems
  }

  /// Checks an entry for the `project` table of the project file.
  private static func check(projectEntry entry: String) -> [String] {
    do {
      let table = try ProjectScript.evaluate(Array("return { \(entry) }".utf8), name: "luath.lua")
      _ = try ProjectConfiguration(json: table)
      return []
    } catch {
      return ["\(entry): \(error)"]
    }
  }

  /// Checks a row with code that luath refuses and parts of the message or hint.
  private static func check(refusal row: [Substring], of section: Section) async throws -> [String]
  {
    var problems: [String] = []
    for code in section.code("you write", row) {
      let text = section.before + code.replacing("… ", with: "")
      let words = try await failure(of: text, GuideTests.runner()) ?? "it runs"
      for shown in section.code("luath shows", row) where !words.contains(shown) {
        problems.append("\(code): \(words)")
      }
    }
    return problems
  }

  /// The failure of a script, with message and hint; nil if it runs to its end.
  private static func failure(of text: String, _ runner: ScriptRunner) async throws -> String? {
    switch try await runner.outcome(text).outcome {
    case .finished: nil
    case .failed(let failure), .notLoaded(let failure):
      "\(failure.place ?? "?"): \(failure.code ?? "") \(failure.message) (\(failure.hint ?? ""))"
    case let other: "\(other)"
    }
  }

  @Test func `every luath column runs, and what luath refuses is refused`() async throws {
    let page = try Self.page()
    let sections = Self.sections(page)
    #expect(sections.count == page.components(separatedBy: "\n| --- |").count - 1)
    #expect(sections.flatMap(\.rows).count >= 60)
    for problem in try await Self.problems(page) { Issue.record("\(problem)") }
  }

  @Test(arguments: [
    ("`auth:signIn(provider)`", "`auth:signInWith(provider)`"),
    ("`assert(auth.currentUser == nil)`", "`assert(auth.currentUser)`"),
    ("`oneAccountPerEmail = true`", "`oneAccountPerMail = true`"),
    ("`a list has no item 0; ", "`a list has an item 0; "),
    ("`auth:signInAnonymously()` |", "|"),
  ])
  func `a wrong row is found`(_ right: String, _ wrong: String) async throws {
    let page = try Self.page()
    #expect(page.contains(right))
    let problems = try await Self.problems(page.replacing(right, with: wrong, maxReplacements: 1))
    #expect(problems.count == 1, "\(problems)")
  }

  /// Names of the languages and of the apps around the calls, which no call of luath replaces.
  private static let foreign = Set(
    """
    new as try catch let nil completion myDelegate delegate token firebaseAuth error result user \
    pending pendingCred signOutError methods idToken credential provider id email password
    """.split(separator: " ").map(String.init))

  @Test func `every name in the columns of the SDKs is one that luath knows`() throws {
    let page = try Self.page()
    let spellings = try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Programs/Guides/spellings.lua"), encoding: .utf8)
    // The library's tables have the names that work or are explained; the test's has code that runs.
    var known = GuideTests.names(in: spellings).union(Spellings.shared.ids.map(\.name))
    for module in ["luath.spellings", "luath.absent"] {
      known.formUnion(GuideTests.names(in: try #require(Stdlib.text(of: module))))
    }
    var asked: Set<String> = []
    for section in Self.sections(page) {
      for row in section.rows {
        known.formUnion(GuideTests.names(in: section.code("luath", row).joined(separator: " ")))
        for language in ["Swift", "Objective-C", "JavaScript"] {
          let code = section.code(language, row).joined(separator: " ")
          asked.formUnion(GuideTests.names(in: code.replacing(/"[^"]*"/, with: "")))
        }
      }
    }
    #expect(asked.count > 100)
    #expect(asked.subtracting(known).subtracting(Self.foreign).sorted() == [])
  }
}
