import Foundation
import Host
import Synchronization
import Testing

@testable import luath

/// Which program shows long texts at a terminal, and what it receives.
@Suite(.timeLimit(.minutes(1))) struct PagerTests {
  private static func console(_ environment: [String: String], columns: Int? = 80) -> Console {
    var console = Console.live()
    console.environment = environment
    console.outputColumns = columns
    return console
  }

  /// What reaches standard output without the pager.
  private static func written(_ text: String, _ console: Console) -> String {
    let written = Mutex("")
    var console = console
    console.writeOutput = { text in written.withLock { $0 += text } }
    Pager(console).show(text, console)
    return written.withLock(\.self)
  }

  @Test func `the pager of the environment receives the text`() throws {
    let folder = try ScriptFolder()
    let file = folder.url.appending(path: "shown")
    let text = String(repeating: "a line\n", count: 20_000)
    let console = Self.console(["PAGER": "cat >\(file.path)"])
    #expect(Self.written(text, console) == "")
    #expect(try String(contentsOf: file, encoding: .utf8) == text)
  }

  @Test func `a pager that ends early ends nothing else`() {
    let text = String(repeating: "a line\n", count: 20_000)
    #expect(Self.written(text, Self.console(["PAGER": "true"])) == "")
  }

  @Test func `a pager that cannot be run leaves the text to the terminal`() {
    #expect(
      Self.written("text\n", Self.console(["PAGER": "/nowhere/pager 2>/dev/null"])) == "text\n")
  }

  @Test(arguments: [
    ["PAGER": ""], ["PAGER": " "], ["PAGER": "cat"], ["PATH": "/nowhere"],
    ["PAGER": "true", "TERM": "dumb"],
  ])
  func `without a pager the text goes to the terminal`(_ environment: [String: String]) {
    #expect(Self.written("text\n", Self.console(environment)) == "text\n")
  }

  @Test func `a pipe has no pager`() {
    #expect(Self.written("text\n", Self.console(["PAGER": "true"], columns: nil)) == "text\n")
  }

  @Test func `less is the pager where PATH has it`() throws {
    let folder = try ScriptFolder(["less": "#!/bin/sh\n"])
    chmod(folder.url.appending(path: "less").path, 0o755)
    let line = Pager(Self.console(["PATH": "/nowhere:\(folder.url.path)"])).line
    #expect(line == "LESS=${LESS-FRX}; export LESS; exec less")
  }
}
