import Foundation
@testable import Reference
import Testing

/// What is made from the catalogue, against the catalogue and against each other.
@Suite struct DriftTests {
  @Test func `the page of the reference has every function as it is declared`() async throws {
    let page = try #require(try await GeneratedFiles.all()["reference.md"])
    let catalogue = try await Catalogue.shared
    // Said apart from the expectation, which would print both pages.
    let isSame = page == catalogue.markdown
    #expect(isSame, "luath __files writes another page than the declarations of this build make")
    let functions = catalogue.pages.flatMap(\.entries).filter {
      [.function, .method].contains($0.kind) && $0.current == nil
    }
    #expect(functions.count > 300)
    for entry in functions {
      let section =
        "### `\(entry.signature)`\n\n\(entry.waits ? "*Waits.* " : "")\(entry.summary)\n"
      #expect(page.contains(section), "\(entry.fullName)")
      #expect(entry.example.isEmpty || page.contains("```lua\n\(entry.example)\n```\n"))
    }
  }

  @Test func `terminal, manual, definitions, page, site and bash show one signature`() async throws
  {
    let signature = "auth:signIn(proof [, delegate])"
    try await Program.withFolder { folder in
      let terminal = try await Program.run(["doc", "Auth:signIn"], in: folder)
      #expect(terminal.output.hasPrefix(signature + "\n"))
      let files = try await GeneratedFiles.all()
      #expect(files["meta/classes/Auth.lua"]?.contains("---     \(signature)\n") == true)
      #expect(files["reference.md"]?.contains("### `\(signature)`") == true)
      #expect(files["site/class-Auth.html"]?.contains("<code>\(signature)</code>") == true)
      let offers = try await Program.run(["__complete", "doc", "Auth:signI"], in: folder)
      #expect(offers.output.contains("Auth:signIn\t\(signature)\n"))
      let manual = try await Self.manual("man/man3/luath.3lua", in: folder)
      #expect(manual.contains(signature))
    }
  }

  @Test func `the manual of a command shows what its help shows`() async throws {
    let commands = ["run", "test", "load", "doc", "batch run", "emulator", "doctor"]
    try await Program.withFolder { folder in
      for command in commands {
        let help = try await Program.run(
          command.split(separator: " ").map(String.init) + ["--help"], in: folder
        ).output
        let usage = try #require(
          help.split(separator: "\n").first { $0.hasPrefix("Usage: ") }?.dropFirst(7))
        let name = "luath-" + command.replacingOccurrences(of: " ", with: "-")
        let manual = try await Self.manual("man/man1/\(name).1", in: folder)
        #expect(manual.contains(usage), "\(usage) is not in \(name)(1)")
        for line in help.split(separator: "\n") where line.hasPrefix("  -") {
          let option = line.dropFirst(2).components(separatedBy: "  ")[0]
          #expect(manual.contains(option), "\(option) is not in \(name)(1)")
        }
      }
    }
  }

  /// A page of the manual as a terminal of great width shows it.
  private static func manual(_ path: String, in folder: URL) async throws -> String {
    let man = try #require(Program.path(of: "man"))
    let file = try #require(try await GeneratedFiles.write(path, below: folder).first)
    let ending = try await Program.run(
      ["-l", file.path], in: folder, program: man,
      environment: ["MANWIDTH": "400", "LC_ALL": "C.UTF-8"])
    return ending.output
  }

  @Test func `groff finds nothing wrong with any page of the manual`() async throws {
    let groff = try #require(Program.path(of: "groff"))
    try await Program.withFolder { folder in
      let files = try await GeneratedFiles.write("man/", below: folder)
      #expect(files.count > 20)
      let ending = try await Program.run(
        ["-man", "-ww", "-z", "-Tutf8", "-K", "utf8"] + files.map(\.path), in: folder,
        program: groff)
      #expect(ending.code == 0)
      #expect(ending.errors.isEmpty, "\(ending.errors)")
    }
  }

  @Test func `functions that the parity table names are in the reference`() async throws {
    let parity = try String(
      contentsOf: Program.root.appending(path: "docs/parity.md"), encoding: .utf8)
    let names = Set(try await Catalogue.shared.pages.flatMap(\.entries).map(\.lastWord))
    var count = 0
    for line in parity.split(separator: "\n") where line.hasPrefix("| ") {
      let cells = line.split(separator: "|", omittingEmptySubsequences: false)
      guard cells.count > 3 else { continue }
      let parts = cells[2].split(separator: "`", omittingEmptySubsequences: false)
      for code in parts.enumerated().filter({ $0.offset % 2 == 1 }).map(\.element) {
        // `auth:signIn`, `Auth.ErrorCode`: the word behind the last dot or colon. Codes of errors
        // and other fields of tables are no entries of their own.
        guard code.contains(":"), !code.contains(" "),
          let word = code.split(separator: ":").last
        else { continue }
        count += 1
        #expect(names.contains(String(word)), "\(code) of docs/parity.md is not in the reference")
      }
    }
    #expect(count > 50)
  }
}
