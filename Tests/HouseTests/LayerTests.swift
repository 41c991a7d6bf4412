import Foundation
import Testing

/// The rooms and what each may import; `docs/decisions/` says why rooms were added.
@Suite struct LayerTests {
  private static let allowed: [String: Set<String>] = [
    "Encoding": [],
    "Lua": ["CLua", "CShims", "Encoding"],
    "HTTP": ["CCurl", "CMicroHTTP", "CZlib", "CShims", "Encoding"],
    "Journal": ["CSQLite", "CShims", "Encoding"],
    "OIDC": ["HTTP", "CCrypto", "CArgon2", "CShims", "Encoding"],
    "IdentityToolkit": ["HTTP", "Encoding"],
    "Auth": ["HTTP", "IdentityToolkit", "Encoding"],
    "Admin": ["HTTP", "OIDC", "IdentityToolkit", "Encoding"],
    "Delegates": [
      "HTTP", "OIDC", "IdentityToolkit", "Auth", "CXML", "CQREncode", "CShims", "Encoding",
    ],
    "Emulator": ["HTTP", "Journal", "OIDC", "IdentityToolkit", "CShims", "Encoding"],
    "Scripting": [
      "Lua", "HTTP", "OIDC", "IdentityToolkit", "Auth", "Admin", "Delegates", "Emulator",
      "Encoding",
    ],
    "Runner": [
      "Lua", "HTTP", "OIDC", "IdentityToolkit", "Auth", "Admin", "Delegates", "Emulator",
      "Scripting", "Encoding",
    ],
    "Batch": [
      "Lua", "HTTP", "Journal", "OIDC", "IdentityToolkit", "Auth", "Admin", "Scripting", "CPQ",
      "CShims", "Encoding",
    ],
    "Compare": ["HTTP", "OIDC", "IdentityToolkit", "Admin", "Encoding"],
    "Terminal": ["CShims", "Encoding"],
    "Reference": ["Lua", "HTTP", "IdentityToolkit", "Scripting", "Encoding"],
    "Prompt": [
      "Lua", "HTTP", "IdentityToolkit", "Delegates", "Emulator", "Scripting", "Terminal",
      "Reference", "CShims", "Encoding",
    ],
    "Commands": [
      "Lua", "HTTP", "Journal", "OIDC", "IdentityToolkit", "Delegates", "Emulator", "Scripting",
      "Runner", "Batch", "Compare", "Admin", "Terminal", "Reference", "Prompt", "Encoding",
    ],
    "luath": ["Commands"],
    "EmbedTool": ["Foundation"],
  ]
  /// Modules of the toolchain; Foundation is left out, as it would cost every start its loading.
  private static let toolchain: Set<String> = ["Glibc", "Synchronization"]

  private static var root: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
  }

  /// A source file and what it imports.
  private struct File {
    let room: String
    let name: String
    let imports: [String]
    let lines: Int
  }

  /// All source files, read once for all tests.
  private static let files: Result<[File], any Error> = Result {
    let sources = root.appending(path: "Sources")
    var found: [File] = []
    for room in try FileManager.default.contentsOfDirectory(atPath: sources.path) {
      let folder = sources.appending(path: room)
      let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
      for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
        let lines = try Data(contentsOf: file).split(
          separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        found.append(
          File(
            room: room, name: file.lastPathComponent,
            imports: lines.compactMap { module(importedBy: $0) },
            lines: lines.count))
      }
    }
    return found
  }

  /// The module that a line imports.
  private static func module(importedBy line: Data) -> String? {
    guard line.range(of: Data("import ".utf8)) != nil else { return nil }
    let words = String(decoding: line, as: UTF8.self).split(separator: " ").filter {
      !["public", "internal", "private", "package", "fileprivate"].contains($0)
        && !$0.hasPrefix("@")
    }
    guard words.count >= 2, words[0] == "import" else { return nil }
    return String(words[words.count > 2 ? 2 : 1].split(separator: ".")[0])
  }

  private static func imports() throws -> [(room: String, file: String, module: String)] {
    try files.get().flatMap { file in file.imports.map { (file.room, file.name, $0) } }
  }

  @Test func `every import is in its room's row`() throws {
    let imports = try Self.imports()
    #expect(imports.count > 100)
    for (room, file, module) in imports {
      let row = try #require(Self.allowed[room], "the room \(room) has no row")
      #expect(
        row.union(Self.toolchain).contains(module), "\(room)/\(file) must not import \(module)")
    }
  }

  @Test func `each C library is touched by one room`() throws {
    let libraries = [
      "CLua", "CCurl", "CMicroHTTP", "CZlib", "CSQLite", "CCrypto", "CArgon2", "CXML", "CQREncode",
      "CPQ",
    ]
    for library in libraries {
      let rooms = Set(try Self.imports().filter { $0.module == library }.map(\.room))
      #expect(rooms.count == 1, "\(library) is imported by \(rooms.sorted())")
    }
  }

  @Test func `auth and emulator meet only on a wire`() throws {
    let imports = try Self.imports()
    #expect(!imports.contains { $0.room == "Auth" && $0.module == "Emulator" })
    #expect(!imports.contains { $0.room == "Emulator" && $0.module == "Auth" })
  }

  @Test func `no source file is longer than its subject needs`() throws {
    for file in try Self.files.get() {
      // Past 600 lines a file must be a table.
      #expect(file.lines <= 600, "\(file.name) has \(file.lines) lines")
    }
  }
}
