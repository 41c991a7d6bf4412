import Foundation
import Testing

/// The modules and what each may import; `docs/tour.md` describes them.
@Suite struct LayerTests {
  private static let allowed: [String: Set<String>] = [
    "System": ["CShims"],
    "Lua": ["CLua", "CShims", "System"],
    "HTTP": ["CCurl", "CMicroHTTP", "CZlib", "CShims", "System"],
    "Storage": ["HTTP", "CSQLite", "CPQ", "CShims", "System"],
    "OIDC": ["HTTP", "CCrypto", "CArgon2", "CShims", "System"],
    "IdentityToolkit": ["HTTP", "System"],
    "Client": ["HTTP", "OIDC", "IdentityToolkit", "System"],
    "SignIn": [
      "HTTP", "OIDC", "IdentityToolkit", "Client", "CXML", "CQREncode", "CPSL", "CShims", "System",
    ],
    "Emulator": ["HTTP", "Storage", "OIDC", "IdentityToolkit", "CShims", "System"],
    "Host": [
      "Lua", "HTTP", "OIDC", "IdentityToolkit", "Client", "SignIn", "Emulator", "CShims", "System",
    ],
    "Journeys": [
      "Lua", "HTTP", "Storage", "OIDC", "IdentityToolkit", "Client", "SignIn", "Emulator", "Host",
      "System",
    ],
    "Batch": [
      "Lua", "HTTP", "Storage", "OIDC", "IdentityToolkit", "Client", "SignIn", "Emulator", "Host",
      "CShims", "System",
    ],
    "Reference": ["Lua", "HTTP", "IdentityToolkit", "Host", "System"],
    "Prompt": [
      "Lua", "HTTP", "IdentityToolkit", "SignIn", "Emulator", "Host", "Reference", "CShims",
      "System",
    ],
    "luath": [
      "Lua", "HTTP", "Storage", "OIDC", "IdentityToolkit", "Client", "SignIn", "Emulator", "Host",
      "Journeys", "Batch", "Reference", "Prompt", "System",
    ],
  ]
  /// Modules of the toolchain; Foundation is left out, as it would cost every start its loading.
  private static let toolchain: Set<String> = ["Glibc", "Synchronization"]

  private static var root: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
  }

  /// A source file, its module and what it imports.
  private struct File {
    let module: String
    /// The folder of the file, from `Sources`.
    let folder: String
    let name: String
    let imports: [String]
    /// The names of the types that the file declares outside other types, and that other files can use.
    let types: [String]
    let lines: Int
  }

  /// All source files, read once for all tests.
  private static let files: Result<[File], any Error> = Result {
    let sources = root.appending(path: "Sources")
    var found: [File] = []
    for module in try FileManager.default.contentsOfDirectory(atPath: sources.path) {
      let folder = sources.appending(path: module)
      let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
      for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
        let lines = try Data(contentsOf: file).split(
          separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        found.append(
          File(
            module: module,
            folder: String(
              file.deletingLastPathComponent().path.dropFirst(sources.path.count + 1)),
            name: file.lastPathComponent,
            imports: lines.compactMap { name(importedBy: $0) },
            types: lines.compactMap { type(declaredBy: $0) },
            lines: lines.count))
      }
    }
    return found
  }

  /// The name of the module that a line imports.
  private static func name(importedBy line: Data) -> String? {
    guard line.range(of: Data("import ".utf8)) != nil else { return nil }
    let words = String(decoding: line, as: UTF8.self).split(separator: " ").filter {
      !["public", "internal", "private", "package", "fileprivate"].contains($0)
        && !$0.hasPrefix("@")
    }
    guard words.count >= 2, words[0] == "import" else { return nil }
    return String(words[words.count > 2 ? 2 : 1].split(separator: ".")[0])
  }

  /// The type that a line declares, when it is not nested.
  private static func type(declaredBy line: Data) -> String? {
    guard let first = line.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else {
      return nil
    }
    let modifiers: Set<Substring> = ["public", "final", "indirect", "nonisolated"]
    let words = String(decoding: line, as: UTF8.self)
      .split { " :<{".contains($0) }.drop { modifiers.contains($0) }
    let kinds: Set<Substring> = ["struct", "enum", "class", "protocol", "actor"]
    guard let kind = words.first, kinds.contains(kind) else { return nil }
    return words.dropFirst().first.map(String.init)
  }

  private static func imports() throws -> [(module: String, file: String, imported: String)] {
    try files.get().flatMap { file in file.imports.map { (file.module, file.name, $0) } }
  }

  @Test func `every import is in its module's row`() throws {
    let imports = try Self.imports()
    #expect(imports.count > 100)
    for (module, file, imported) in imports {
      let row = try #require(Self.allowed[module], "the module \(module) has no row")
      #expect(
        row.union(Self.toolchain).contains(imported),
        "\(module)/\(file) must not import \(imported)")
    }
  }

  @Test func `each C library is imported by one module`() throws {
    let libraries = [
      "CLua", "CCurl", "CMicroHTTP", "CZlib", "CSQLite", "CCrypto", "CArgon2", "CXML", "CQREncode",
      "CPQ", "CPSL",
    ]
    for library in libraries {
      let modules = Set(try Self.imports().filter { $0.imported == library }.map(\.module))
      #expect(modules.count == 1, "\(library) is imported by \(modules.sorted())")
    }
  }

  @Test func `client and emulator meet only on a wire`() throws {
    let imports = try Self.imports()
    #expect(!imports.contains { $0.module == "Client" && $0.imported == "Emulator" })
    #expect(!imports.contains { $0.module == "Emulator" && $0.imported == "Client" })
  }

  // The terminal is no module any more, but its imports stay few.
  @Test(arguments: [("Prompt/Terminal", "Lua"), ("Prompt/Terminal", "Host")])
  func `the line editor does not use Lua`(folder: String, module: String) throws {
    let files = try Self.files.get().filter { $0.folder.hasPrefix(folder) }
    #expect(files.count > 5)
    for file in files where file.imports.contains(module) {
      Issue.record("\(folder)/\(file.name) must not import \(module)")
    }
  }

  @Test func `of the client only the administrator's part imports the OpenID Connect client`()
    throws
  {
    for file in try Self.files.get()
    where file.module == "Client" && !file.folder.hasPrefix("Client/Admin") {
      #expect(!file.imports.contains("OIDC"), "\(file.folder)/\(file.name) must not import OIDC")
    }
  }

  @Test func `a type's name is declared once in all modules`() throws {
    let declared = try Self.files.get().flatMap { file in file.types.map { ($0, file) } }
    #expect(declared.count > 400)
    for (name, files) in Dictionary(grouping: declared, by: \.0) where files.count > 1 {
      let places = files.map { "\($0.1.module)/\($0.1.name)" }
      Issue.record("\(name) is declared by \(places.sorted())")
    }
  }

  @Test func `no source file is longer than its subject needs`() throws {
    for file in try Self.files.get() {
      // Past 600 lines a file must be a table.
      #expect(file.lines <= 600, "\(file.name) has \(file.lines) lines")
    }
  }
}
