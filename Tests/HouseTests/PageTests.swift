import Foundation
import Testing

/// Pages of the documents that list what the sources have: `environment.md`, `project-file.md`, `exit-codes.md`.
@Suite struct PageTests {
  private static var root: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The names between backticks in the first cells of the tables of a text.
  private static func firstCells(_ text: some StringProtocol) -> Set<String> {
    var names: Set<String> = []
    for line in text.split(separator: "\n") where line.hasPrefix("| `") {
      let cell = line.dropFirst().prefix { $0 != "|" }
      let parts = cell.split(separator: "`", omittingEmptySubsequences: false)
      for (offset, part) in parts.enumerated() where offset % 2 == 1 { names.insert(String(part)) }
    }
    return names
  }

  /// The part of a page below a heading, up to the next heading of that or a higher level.
  private static func section(_ heading: String, of page: String) throws -> Substring {
    let start = try #require(page.range(of: "\n\(heading)\n"), "no heading \(heading)")
    let rest = page[start.upperBound...]
    let level = heading.prefix { $0 == "#" }.count
    let next = rest.range(of: "\n#{1,\(level)} ", options: .regularExpression)
    return rest[..<(next?.lowerBound ?? rest.endIndex)]
  }

  // MARK: environment.md

  /// Variables that only the libraries read: libcurl, liblua, libpq and the C library.
  private static let ofLibraries: Set<String> = [
    "https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
    "LUA_PATH_5_4", "LUA_PATH", "LUA_CPATH_5_4", "LUA_CPATH", "TZ",
  ]

  /// The names of environment variables in the sources: literals near a read of the environment.
  private static func variables() throws -> Set<String> {
    let reads = try Regex(#"nvironment[\[(.]|getenv\("#)
    let declares = try Regex(#"ariables? = |\bhas\(""#)
    let literal = try NSRegularExpression(pattern: #"(?<![\\\w])"([A-Z][A-Z0-9_]*[A-Z0-9])""#)
    var names: Set<String> = []
    let files = FileManager.default.enumerator(
      at: root.appending(path: "Sources"), includingPropertiesForKeys: nil)
    for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      guard text.contains(reads) || text.contains(declares) else { continue }
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
        line.drop { $0 == " " }.hasPrefix("//") ? "" : String(line)
      }
      for (number, line) in lines.enumerated() where !line.contains("hasSuffix") {
        let found = literal.matches(in: line, range: NSRange(line.startIndex..., in: line))
        guard !found.isEmpty else { continue }
        let near = lines[max(0, number - 2)...min(lines.count - 1, number + 3)]
        let isRead = line.contains(declares) || near.contains { $0.contains(reads) }
        for match in found where isRead {
          if let range = Range(match.range(at: 1), in: line) { names.insert(String(line[range])) }
        }
      }
    }
    return names
  }

  @Test func `every environment variable of the sources is on its page, and no other`() throws {
    let page = try Self.text("docs/environment.md")
    let (listed, read) = (Self.firstCells(page), try Self.variables())
    #expect(read.count > 30)
    // luath sets this one for a browser, and hides that one from hooks; the page says so in its text.
    let mentioned: Set<String> = ["LANGUAGE", "PGPASSWORD"]
    for name in read.subtracting(listed).subtracting(mentioned).sorted() {
      Issue.record("docs/environment.md does not list \(name)")
    }
    for name in listed.subtracting(read).subtracting(Self.ofLibraries).sorted() {
      Issue.record("docs/environment.md lists \(name), which nothing reads")
    }
    for name in mentioned { #expect(page.contains("`\(name)`")) }
  }

  // MARK: project-file.md

  /// The strings of the list that follows a text in a source file.
  private static func list(after start: String, in path: String) throws -> Set<String> {
    let source = try text(path)
    let begin = try #require(source.range(of: start), "\(path) has no \(start)")
    let body = source[begin.upperBound...].prefix { $0 != "]" }
    let parts = body.split(separator: "\"", omittingEmptySubsequences: false)
    return Set(parts.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) })
  }

  @Test func `the page of the project file has the keys that luath reads, and no other`() throws {
    let page = try Self.text("docs/project-file.md")
    let emulator = "Sources/Emulator/Configuration"
    let host = "Sources/Host/Commands/Project"
    let provider = "\(emulator)/ProviderConfiguration.swift"
    let client = try Self.list(after: "static let client = [", in: provider)
    let target = try Self.list(after: "static let texts = [", in: "\(host)/TargetReader.swift")
      .union(Self.list(after: "static let tables = [", in: "\(host)/TargetReader.swift"))
    let account = try Self.list(after: "static let known = [", in: "\(host)/AccountPool.swift")
    let targets = try Self.section("## `targets`: further targets", of: page)
    let split = try #require(targets.range(of: "The keys of an account"))
    let file = try Self.text("\(host)/ProjectFile.swift")

    let project = try Self.section("## `project`: the emulated project", of: page)
    let projectKeys = project[..<(project.range(of: "\n### ")?.lowerBound ?? project.endIndex)]
    let pairs: [(String, Set<String>, Set<String>)] = [
      (
        "project", Self.firstCells(projectKeys),
        try Self.list(after: "let keys = [", in: "\(emulator)/ProjectConfiguration+json.swift")
      ),
      (
        "providers", Self.firstCells(try Self.section("### `providers`", of: page)),
        client.union(["permissions", "issuer", "issuerName", "flow"])
      ),
      (
        "people", Self.firstCells(try Self.section("### `people`", of: page)),
        try Self.list(after: "let keys = [", in: "\(emulator)/Person.swift")
      ),
      (
        "targets", Self.firstCells(targets[..<split.lowerBound]),
        target.union(["protected", "accounts"])
      ),
      ("accounts", Self.firstCells(targets[split.lowerBound...]), account),
      (
        "faults",
        Self.firstCells(try Self.section("## Faults", of: try Self.text("docs/emulator.md"))),
        try Self.list(after: "let keys = [", in: "Sources/Emulator/Fault.swift")
      ),
    ]
    for (table, listed, read) in pairs {
      #expect(read.count > 3, "no keys of \(table) were found in the sources")
      #expect(listed == read, "the table \(table): \(listed.symmetricDifference(read).sorted())")
    }
    for key in ["project", "targets"] {
      #expect(file.contains("case \"\(key)\":"), "luath.lua has no key \(key) any more")
      #expect(page.contains("\n## `\(key)`"), "no section about \(key)")
    }
    let source = try Self.text(provider)
    #expect(source.contains(#"client + ["permissions"]"#))
    #expect(source.contains(#"client + ["issuer", "issuerName", "flow"]"#))
  }

  // MARK: exit-codes.md

  @Test func `the page of exit codes has every code and every command`() throws {
    let page = try Self.text("docs/exit-codes.md")
    let source = try Self.text("Sources/Host/Commands/Command.swift")
    let start = try #require(source.range(of: "enum ExitCode"))
    let cases = source[start.upperBound...].prefix { $0 != "}" }.split(separator: "\n")
      .filter { $0.contains("case ") && $0.contains(" = ") }
    #expect(cases.count > 8)
    let all = page[..<(page.range(of: "\n## ")?.lowerBound ?? page.endIndex)]
    let rows = all.split(separator: "\n").filter { $0.hasPrefix("| ") }
    for line in cases {
      let code = line.split(separator: " ").last ?? ""
      #expect(rows.contains { $0.hasPrefix("| \(code) |") }, "no row for \(line)")
    }
    // The commands by their descriptions: `name: "batch plan"`.
    let names = try NSRegularExpression(pattern: #"CommandDescription\(\s*name: "([a-z ]+)""#)
    var commands: Set<String> = []
    let files = FileManager.default.enumerator(
      at: Self.root.appending(path: "Sources"), includingPropertiesForKeys: nil)
    for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in names.matches(in: text, range: NSRange(text.startIndex..., in: text)) {
        if let range = Range(match.range(at: 1), in: text) { commands.insert(String(text[range])) }
      }
    }
    #expect(commands.count > 20)
    for command in commands.sorted() {
      let word = command.split(separator: " ").last ?? ""
      #expect(
        page.contains("`luath \(command)`") || page.contains("`\(word)`"),
        "docs/exit-codes.md does not name luath \(command)")
    }
  }
}
