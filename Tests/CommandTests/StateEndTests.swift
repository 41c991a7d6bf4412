import Foundation
import Testing

/// What finalizers may do while their Lua state ends, in every command that has one.
@Suite(.timeLimit(.minutes(3))) struct StateEndTests {
  private static let noted = [
    "all false", "close false", "coroutine false", "race false", "sleep false", "spawn false",
    "suspended false", "timeout false",
  ]
  private static let notedOfListeners = ["listen true", "signOut true"]

  private func notes(_ folder: ScriptFolder) throws -> [String] {
    let text = try String(contentsOf: folder.url.appending(path: "notes.txt"), encoding: .utf8)
    // A file of journeys may be loaded more than once.
    return Set(text.split(separator: "\n").map(String.init)).sorted()
  }

  private func run(
    _ arguments: [String], _ files: [String: String], input: String? = nil
  ) async throws -> (ending: Luath.Ending, folder: ScriptFolder) {
    let folder = try ScriptFolder(["ends.lua": luaProgram("StateEnd/ends")].merging(files) { $1 })
    let pipe = input.map { _ in Pipe() }
    let luath = try Luath(arguments, in: folder.url, input: pipe)
    if let pipe, let input {
      try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
      try pipe.fileHandleForWriting.close()
    }
    return (await luath.ending(), folder)
  }

  @Test(arguments: [
    ("", 0), ("error 'no'", 1), ("os.exit(3)", 3), ("while true do end", 130),
    ("require 'luath.task'.sleep(3600)", 130),
  ])
  func `a script's finalizers start nothing`(_ last: String, _ code: Int32) async throws {
    let folder = try ScriptFolder([
      "ends.lua": luaProgram("StateEnd/ends"),
      "script.lua": "require 'ends'.listen() io.write 'ready\\n' io.flush()\n" + last,
    ])
    let luath = try Luath(["run", "script.lua"], in: folder.url)
    _ = try #require(await luath.line(with: "ready"))
    if code == 130 { luath.send(SIGINT) }
    let ending = await luath.ending()
    #expect(ending.code == code, "\(ending.errors)")
    #expect(!ending.errors.contains("closed state"))
    let all = (Self.noted + Self.notedOfListeners).sorted()
    if code == 0 || code == 1 {
      #expect(try notes(folder) == all)
    } else {
      // In a state that was stopped, host functions return at once and do nothing, so their calls succeed.
      #expect(try notes(folder).map(Self.name) == all.map(Self.name))
    }
  }

  private static func name(_ note: String) -> Substring? { note.split(separator: " ").first }

  @Test func `a journey file's finalizers start nothing, and the next file runs`() async throws {
    let (ending, folder) = try await run(
      ["test", "--report", "json:events.ndjson", "a_journey.lua", "b_journey.lua"],
      [
        "a_journey.lua": """
        local journey = require "luath.journey"
        local ends = require "ends"
        journey("first", function() ends.listen() end)
        """,
        "b_journey.lua": "require 'luath.journey'('second', function() end)",
      ])
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)")
    #expect(!ending.errors.contains("closed state"))
    #expect(try notes(folder) == (Self.noted + Self.notedOfListeners).sorted())
    let events = try String(
      contentsOf: folder.url.appending(path: "events.ndjson"), encoding: .utf8)
    #expect(events.split(separator: "\n").last?.contains(#""event":"run.end""#) == true)
    #expect(events.contains(#""name":["second"]"#))
  }

  @Test func `a session's finalizers start nothing`() async throws {
    let (ending, folder) = try await run(
      ["repl"], [:], input: "ends = require 'ends'\nends.listen()\n.reset\n1 + 1\n.quit\n")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.output.contains("2"))
    #expect(!ending.errors.contains("closed state"))
    #expect(try notes(folder) == (Self.noted + Self.notedOfListeners).sorted())
  }

  @Test func `a batch script's finalizers start nothing, and its tasks are dropped`() async throws {
    let (ending, folder) = try await run(
      [
        "batch", "plan", "batch.lua", "--in", "rows.csv", "-o", "plan.ndjson", "--accounts",
        "users.json", "--target", "emulator",
      ],
      [
        "batch.lua": luaProgram("StateEnd/batch"),
        "rows.csv": "uid\nu1\n", "users.json": #"{"users":[{"localId":"u1"}]}"#,
      ])
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(!ending.errors.contains("closed state"))
    #expect(try notes(folder) == Self.noted)
  }

  @Test func `a project file can have no finalizers`() async throws {
    let (ending, _) = try await run(
      ["run", "script.lua"],
      [
        "luath.lua": "setmetatable({}, { __gc = function() end }) return {}",
        "script.lua": "print 'reached'",
      ])
    #expect(ending.output.isEmpty)
    #expect(
      ending.errors.contains("luath.lua:1: attempt to call a nil value (global 'setmetatable')"))
  }
}
