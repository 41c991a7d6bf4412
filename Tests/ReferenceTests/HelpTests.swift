import Foundation
@testable import Host
@testable import Reference
@testable import luath
import Testing

/// The help of the commands, and their pages of the manual.
@Suite struct HelpTests {
  private static let commands = Commands.all.flatMap { $0.parts.isEmpty ? [$0] : $0.parts }

  @Test func `every option with a value says its default, or that it is required`() {
    for command in Self.commands.map(\.description) {
      for option in command.options where option.value != nil {
        let isRequired = option.summary.hasPrefix("required: ")
        #expect(
          (option.standard == nil) == isRequired, "luath \(command.name) --\(option.name)")
      }
      for option in command.options {
        #expect(!option.summary.isEmpty && !option.summary.hasSuffix("."), "--\(option.name)")
        #expect(!option.help.contains("as for luath"), "luath \(command.name) --\(option.name)")
        if option.value == "TIME", option.name != "clock" {
          #expect(
            option.help.contains("0s") || option.help.contains("30s"), "--\(option.name): a unit")
        }
        if option.value == "SIZE" { #expect(option.help.contains("M"), "--\(option.name): a unit") }
      }
    }
  }

  @Test(arguments: [60, 80, 100])
  func `help is wrapped at words`(_ columns: Int) {
    for command in Commands.all + Self.commands {
      for line in command.help(HelpStyle(columns: columns)).split(separator: "\n") {
        // Examples are lines to copy, and a word may be long.
        let isExample = command.description.examples.contains { line == "  \($0)" }
        let isWord = line.split(separator: " ").contains { $0.count > columns / 2 }
        #expect(
          line.count <= columns || isExample || isWord, "\(command.description.name): \(line)")
      }
    }
  }

  @Test func `help shows the exit codes of its command, and no other`() throws {
    let page = try String(
      contentsOf: Program.root.appending(path: "docs/exit-codes.md"), encoding: .utf8)
    for command in Self.commands {
      let name = command.description.name
      let codes = command.description.allExits.map(\.code.rawValue)
      #expect(codes.starts(with: [0]) && codes.contains(2), "\(name)")
      guard let start = page.range(of: "\n## `luath \(name)`\n") else { continue }
      let section = page[start.upperBound...].split(separator: "\n").prefix { !$0.hasPrefix("## ") }
      let listed = section.compactMap { line in
        line.hasPrefix("| ") ? Int32(line.dropFirst(2).prefix { $0.isNumber }) : nil
      }
      // The page says at its beginning that every command exits with 2, 4 and 8.
      #expect(Set(codes).subtracting([2, 4, 8]) == Set(listed).subtracting([2, 4, 8]), "\(name)")
    }
  }

  @Test func `the exit codes of recorded sessions are those of the help`() throws {
    let folder = Program.root.appending(path: "Tests/CommandTests/Sessions")
    var count = 0
    for file in try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    {
      var line = ""
      let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
      for part in text.split(separator: "\n") {
        if part.hasPrefix("$ ") { line = String(part.dropFirst(2)) }
        guard part.hasPrefix("= "), let code = Int32(part.dropFirst(2)) else { continue }
        let words = line.split(separator: " ").map(String.init)
        guard words.first == "luath", !line.contains(where: { "|;&".contains($0) }) else {
          continue
        }
        let named = Self.commands.map(\.description).first { description in
          let name = description.name.split(separator: " ").map(String.init)
          return Array(words.dropFirst().prefix(name.count)) == name
        }
        // A script ends with any code it likes.
        guard let named, !["run", "repl"].contains(named.name) else { continue }
        #expect(
          named.allExits.contains { $0.code.rawValue == code },
          "\(file.lastPathComponent): \(line) exits with \(code)")
        count += 1
      }
    }
    #expect(count > 50)
  }

  /// Files in examples that the commands themselves write, or that stand for those of the user.
  private static let made: Set<String> = [
    "rows.plan.ndjson", "differences.html", "junit.xml", "load.html", "load.xml", "run.html",
    "tasks.ndjson",
    "failed.csv", "refused.csv", "all.ndjson", "events.ndjson", "gone.ndjson", "all.har", "all.tap",
    "ada.json", "base.json",
    "shard-1.ndjson", "shard-2.ndjson", "accounts.db", "approver.pem", "users.json",
    "users.lua", "./mine.lua", ".luath/tests.json",
  ]

  @Test func `the files of examples are those of luath init, or are made by the commands`() throws {
    let templates = Set(
      ProjectTemplate.allCases.flatMap { $0.files(guide: "LUATH.md").map(\.path) })
    var count = 0
    for command in Commands.all + Self.commands {
      for example in command.description.examples {
        let words = example.split { " =:,'".contains($0) }.map(String.init)
        for word in words where word.contains(".") {
          let isFile = [
            "lua", "csv", "ndjson", "json", "html", "xml", "pem", "har", "tap", "db", "gz",
          ]
          .contains(URL(fileURLWithPath: word).pathExtension)
          guard isFile else { continue }
          let folder = word.hasSuffix("*.lua") ? String(word.dropLast("*.lua".count)) : nil
          #expect(
            Self.made.contains(word) || templates.contains(word)
              || folder.map { start in templates.contains { $0.hasPrefix(start) } } == true,
            "\(example): \(word)")
          count += 1
        }
      }
    }
    #expect(count > 40)
  }

  @Test func `the targets of examples are those of luath init; the batch's need no change of it`()
    throws
  {
    let files = ProjectTemplate.allCases.flatMap { $0.files(guide: "LUATH.md") }
    let lines = files.filter { $0.path == "luath.lua" }.flatMap { $0.text.split(separator: "\n") }
    var count = 0
    for command in Self.commands {
      for example in command.description.examples {
        for match in example.matches(of: /--target ([a-z]+)(?: |$)/) {
          let isWritten = lines.contains { line in
            line.contains(" \(match.output.1) = {")
              && (!line.contains("-- ") || !command.description.name.hasPrefix("batch"))
          }
          #expect(isWritten, "\(example)")
          count += 1
        }
      }
    }
    #expect(count > 10)
  }

  @Test func `the help of an option names options of its command only`() {
    for command in Self.commands {
      let known = Set(command.description.options.map(\.name))
      for option in command.description.options {
        for match in option.help.matches(of: /(luath [a-z ]+)?--([a-z][a-z-]+)/)
        where match.output.1 == nil {
          #expect(
            known.contains(String(match.output.2)),
            "luath \(command.description.name) --\(option.name) names --\(match.output.2)")
        }
      }
    }
  }

  @Test func `examples are lines that the commands accept`() {
    for command in Self.commands {
      for example in command.description.examples {
        guard let start = example.range(of: "luath \(command.description.name)") else {
          Issue.record("\(example) does not call luath \(command.description.name)")
          continue
        }
        // Quotes around one word, as in 'p95<300ms', keep it one.
        var words: [String] = []
        var quote: Character?
        var word: String?
        for character in example[start.upperBound...] {
          if character == quote {
            quote = nil
          } else if quote == nil, character == "'" || character == "\"" {
            (quote, word) = (character, word ?? "")
          } else if character == " ", quote == nil {
            if let word { words.append(word) }
            word = nil
          } else {
            word = (word ?? "") + String(character)
          }
        }
        if let word { words.append(word) }
        #expect(throws: Never.self, "\(example)") {
          _ = try ParsedArguments(words, command.description)
        }
      }
    }
  }

  @Test func `the manual lists every environment variable of its page, and files`() async throws {
    let files = try await GeneratedFiles.all()
    let page = try #require(files["man/man1/luath.1"])
    let names = Catalogue.environmentVariables.flatMap { $0.names.split(separator: ", ") }
    #expect(names.count > 30)
    for name in names { #expect(page.contains(ManualText.escaped(String(name))), "\(name)") }
    for name in ["luath.lua", "tests.json", "PLAN.journal", "init.lua", "history"] {
      #expect(page.contains(name), "\(name)")
    }
  }

  @Test func `help, reference and errors of modules use plain words`() async throws {
    let list = try String(
      contentsOf: Program.root.appending(path: "Tests/words-to-change.txt"), encoding: .utf8)
    let rows = list.split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
      $0.split(separator: "\t").map(String.init)
    }
    #expect(rows.count > 15)
    let catalogue = try await Catalogue.whole
    let help = (Commands.all + Self.commands).map { $0.help(HelpStyle(columns: 100)) }
    let errors = ModuleError.all.map { "\($0.place)\n\($0.meaning)\n\($0.advice)" }
    // Examples are code, and so is what stands between backticks.
    let reference = catalogue.markdown.replacingOccurrences(
      of: "(?s)```.*?```|`[^`\n]*`", with: "`", options: .regularExpression)
    for text in help + errors + [reference] {
      for row in rows {
        let words = try NSRegularExpression(pattern: row[0], options: .caseInsensitive)
        for match in words.matches(in: text, range: NSRange(text.startIndex..., in: text)) {
          guard let found = Range(match.range, in: text) else { continue }
          let line = text[text.lineRange(for: found)]
          Issue.record("write \(row[1]) instead of “\(text[found])”: \(line)")
        }
      }
    }
  }

  @Test func `the reference lists the modules of the library that scripts may require`() {
    let names = LibraryPart.all.map(\.module).filter { $0 != "luath.spec" }
    #expect(names.sorted() == Surface.libraryModules.sorted())
  }
}
