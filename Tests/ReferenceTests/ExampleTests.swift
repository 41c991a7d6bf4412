import Foundation
@testable import Reference
import Testing

/// Runs every example of the reference as it stands there.
///
/// Each script is a journey, so that it finds an emulated project as fresh as one that runs alone.
@Suite(.timeLimit(.minutes(2))) struct ExampleTests {
  private struct Example {
    let name: String
    let owner: String
    let text: String

    /// As a string of Lua.
    var quoted: String { "{ \"\(name)\", [====[\n\(text)]====] }" }
    /// Whether it declares journeys itself.
    var declares: Bool { ["luath.journey", "luath.spec", "Journey", "Users"].contains(owner) }
    /// Whether it drives a page of its own.
    var browses: Bool { ["luath.webdriver", "Page", "PageElement"].contains(owner) }
    /// Whether it is the script of a batch.
    var plans: Bool {
      ["luath.batch", "Accounts"].contains(owner) && text.contains("batch.define")
    }
  }

  private static func all() async throws -> [Example] {
    try await Catalogue.shared.pages.flatMap(\.entries)
      // The methods of Expectation have the examples of the checks.
      .filter { !$0.example.isEmpty && $0.owner != "Expectation" }
      // A pause needs a terminal: Tests/Peers/pause.py has one.
      .filter { !["luath.pause", "Journey:pause"].contains($0.fullName) }
      .map { Example(name: $0.fullName, owner: $0.owner, text: $0.example) }
  }

  /// A program of `Programs/Example` that runs the examples.
  private static func program(_ name: String, of examples: [Example]) throws -> String {
    let list = examples.map(\.quoted).joined(separator: ",\n")
    return try luaProgram("Example/\(name)", ["EXAMPLES": list])
  }

  private func expectSuccess(_ ending: Program.Ending) {
    #expect(ending.code == 0, "\(ending.output.suffix(3000))\n\(ending.errors.suffix(1000))")
  }

  @Test func `the example of every function runs`() async throws {
    let examples = try await Self.all().filter { !$0.declares && !$0.browses && !$0.plans }
    #expect(examples.count > 150)
    try await Program.withFolder { folder in
      let text = try Self.program("functions", of: examples)
      try text.write(
        to: folder.appending(path: "all_journey.lua"), atomically: true, encoding: .utf8)
      expectSuccess(try await Program.run(["test", "--report", "dot"], in: folder))
    }
  }

  @Test func `the example of every word of journeys and specs passes`() async throws {
    let examples = try await Self.all().filter(\.declares)
    #expect(examples.count > 35)
    try await Program.withFolder { folder in
      for example in examples {
        // One that leaves out all others runs alone.
        let place = folder.appending(path: example.text.contains("journey.only") ? "only" : "rest")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let name = example.name.filter { $0.isLetter || $0 == "_" } + "_journey.lua"
        try example.text.write(
          to: place.appending(path: name), atomically: true, encoding: .utf8)
      }
      for place in ["only", "rest"] {
        expectSuccess(try await Program.run(["test", place, "--report", "dot"], in: folder))
      }
    }
  }

  @Test func `the script of every batch plans rows`() async throws {
    let examples = try await Self.all().filter(\.plans)
    #expect(examples.count > 15)
    try await Program.withFolder { folder in
      let text = try Self.program("batches", of: examples)
      try text.write(to: folder.appending(path: "all.lua"), atomically: true, encoding: .utf8)
      try "uid,email,microsoft_id\nada,ada@luath.example,42\n".write(
        to: folder.appending(path: "rows.csv"), atomically: true, encoding: .utf8)
      let ending = try await Program.run(
        [
          "batch", "plan", "all.lua", "--in", "rows.csv", "-o", "plan.ndjson", "--target",
          "emulator",
        ], in: folder)
      // 5: there is nothing to do.
      #expect(ending.code == 5, "\(ending.errors)")
      let plan = try String(contentsOf: folder.appending(path: "plan.ndjson"), encoding: .utf8)
      #expect(plan.contains("tried"))
    }
  }

  @Test(
    .enabled("needs chromedriver: make setup-tests") { Program.path(of: "chromedriver") != nil })
  func `the example of every verb of pages runs`() async throws {
    let examples = try await Self.all().filter(\.browses)
    #expect(examples.count > 35)
    try await Program.withFolder { folder in
      // One browser for all, as its start takes longer than everything else here.
      let text = try Self.program("pages", of: examples)
      try text.write(to: folder.appending(path: "all.lua"), atomically: true, encoding: .utf8)
      expectSuccess(try await Program.run(["run", "all.lua"], in: folder))
    }
  }
}
