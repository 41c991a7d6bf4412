import Foundation
import Testing

/// What `luath --version` tells, against what the system and git say.
@Suite(.timeLimit(.minutes(1))) struct VersionTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Runs a program, and gives its output without the last line break.
  private static func output(
    _ program: String, _ arguments: [String], in folder: URL = root
  ) async throws -> String {
    let process = try Luath(arguments, in: folder, program: program)
    let ending = await process.ending()
    try #require(ending.code == 0, "\(program) \(arguments): \(ending.errors)")
    return ending.output.trimmingCharacters(in: .newlines)
  }

  @Test func `the first line is the name and the version, and nothing is written to the errors`()
    async throws
  {
    let luath = try Luath(["--version"], in: Self.root)
    let ending = await luath.ending()
    #expect(ending.code == 0)
    #expect(ending.errors.isEmpty)
    let version = try await Self.output(Self.root.appending(path: "Tools/version").path, [])
    #expect(ending.output.hasPrefix("luath \(version)\ncommit "))
    #expect(ending.output.split(separator: "\n").count == 14)
  }

  @Test(arguments: [
    ("Lua", "lua5.4"), ("libcurl", "libcurl"), ("libmicrohttpd", "libmicrohttpd"),
    ("OpenSSL", "libcrypto"), ("SQLite", "sqlite3"), ("libpq", "libpq"), ("libxml2", "libxml-2.0"),
    ("libpsl", "libpsl"), ("libqrencode", "libqrencode"), ("zlib", "zlib"),
    ("libxcrypt", "libcrypt"),
  ])
  func `the version of a library is the one that is installed`(
    _ name: String, _ package: String
  ) async throws {
    let luath = try Luath(["--version"], in: Self.root)
    let text = await luath.ending().output
    let line = text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
    var installed = try await Self.output("/usr/bin/pkg-config", ["--modversion", package])
    // Debian's lua5.4.pc tells no more than it must.
    if package == "lua5.4" { installed = String(installed.prefix(3)) }
    let version = line?.split(separator: " ").dropFirst().first.map(String.init) ?? ""
    #expect(version.hasPrefix(installed), "\(line ?? "no line of \(name)")")
  }

  @Test func `commit, changes and tag are embedded, and sources without git build as well`()
    async throws
  {
    let folder = try ScriptFolder(["sources/main.lua": "print(1)\n"])
    let sources = folder.url.appending(path: "sources").path
    let tool = Self.root.appending(path: "Tools/embed-commit").path
    func written() async throws -> String {
      _ = try await Self.output("/bin/sh", [tool, sources, "\(sources)/../out"], in: folder.url)
      return try String(
        contentsOf: folder.url.appending(path: "out/BuiltCommit.swift"), encoding: .utf8)
    }
    func git(_ words: String...) async throws -> String {
      let who = ["-c", "user.name=Ada", "-c", "user.email=ada@contoso.example"]
      return try await Self.output("/usr/bin/git", ["-C", sources] + who + words)
    }
    #expect(try await written().contains("hash: String? = nil"))
    _ = try await git("init", "--quiet")
    #expect(try await written().contains("hash: String? = nil"))
    _ = try await git("add", ".")
    _ = try await git("commit", "--quiet", "--message", "Begin")
    let hash = try await git("rev-parse", "--short=12", "HEAD")
    let clean = try await written()
    #expect(clean.contains("hash: String? = \"\(hash)\""))
    #expect(clean.contains("isChanged = false"))
    #expect(clean.contains("isRelease = false"))
    _ = try await git("tag", "v0.0.0")
    #expect(try await written() == clean)
    let version = try await Self.output(Self.root.appending(path: "Tools/version").path, [])
    _ = try await git("tag", "v\(version)")
    #expect(try await written().contains("isRelease = true"))
    try folder.add("sources/new.lua", Array("print(2)\n".utf8))
    let changed = try await written()
    #expect(changed.contains("isChanged = true"))
    #expect(changed.contains("isRelease = false"))
  }
}
