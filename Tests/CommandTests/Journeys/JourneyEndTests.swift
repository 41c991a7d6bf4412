import Foundation
import Testing

/// What ends `luath test` from outside lets journeys clean up and reports be whole.
@Suite(.timeLimit(.minutes(2))) struct JourneyEndTests {
  private func started() async throws -> (Luath, ScriptFolder) {
    let folder = try ScriptFolder(["a_journey.lua": luaProgram("JourneyEnd/waits")])
    let luath = try Luath(
      ["test", "--report", "pretty", "--report", "json:events.ndjson", "a_journey.lua"],
      in: folder.url)
    _ = try #require(await luath.line(with: "waiting"))
    return (luath, folder)
  }

  private func text(_ name: String, in folder: ScriptFolder) throws -> String {
    try String(contentsOf: folder.url.appending(path: name), encoding: .utf8)
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a signal ends the journey at hand, which cleans up`(_ signal: Int32) async throws {
    let (luath, folder) = try await started()
    luath.send(signal)
    let ending = await luath.ending()
    #expect(ending.code == 130)
    #expect(try text("notes.txt", in: folder) == "cleaned\n")
    let events = try text("events.ndjson", in: folder)
    #expect(events.contains(#""status":"interrupted""#))
    #expect(events.split(separator: "\n").last?.contains(#""wasInterrupted":true"#) == true)
  }

  @Test func `what failed before the process was killed is known to --last-failed`() async throws {
    let folder = try ScriptFolder([
      "a_journey.lua": luaProgram("JourneyEnd/killed")
    ])
    let luath = try Luath(["test", "--report", "pretty", "a_journey.lua"], in: folder.url)
    _ = try #require(await luath.line(with: "kept"))
    luath.send(SIGKILL)
    _ = await luath.ending()
    let again = try await Luath(["test", "--last-failed", "--list"], in: folder.url).ending()
    #expect(again.output == "a_journey.lua:3: fails\n")
  }

  @Test func `a journey that nothing can stop ends the run, and the reports are whole`()
    async throws
  {
    let folder = try ScriptFolder([
      "a_journey.lua": """
      local journey = require "luath.journey"
      journey("first", function() end)
      journey("stuck", { timeout = 0.1 }, function() (("a"):rep(60)):find(("a*"):rep(28) .. "c") end)
      """
    ])
    let ending = try await Luath(
      ["test", "--report", "json:events.ndjson", "a_journey.lua"],
      in: folder.url
    ).ending()
    #expect(ending.code == 6)
    #expect(ending.errors.contains("a function of C"))
    let last = try text("events.ndjson", in: folder).split(separator: "\n").last ?? ""
    #expect(last.contains(#""passed":1,"failed":1"#))
    let again = try await Luath(["test", "--last-failed", "--list"], in: folder.url).ending()
    #expect(again.output == "a_journey.lua:3: stuck\n")
  }

  @Test func `faults by chance strike each journey anew, and a retry too`() async throws {
    let folder = try ScriptFolder([
      "a_journey.lua": luaProgram("JourneyEnd/faults")
    ])
    let arguments = ["test", "--fault", "503=30%", "--seed", "1", "a_journey.lua"]
    let once = try await Luath(arguments, in: folder.url).ending()
    #expect(once.output.contains(/\n[1-9]\d? passed, [1-9]\d? failed/), "\(once.output)")
    let again = try await Luath(arguments + ["--retries", "9"], in: folder.url).ending()
    #expect(again.output.contains(/\n[1-9]\d? passed, [1-9]\d? flaky/), "\(again.output)")
  }

  @Test func `journeys go on when nobody reads of them any more`() async throws {
    let (luath, folder) = try await started()
    luath.closeOutput()
    try Data().write(to: folder.url.appending(path: "go.txt"))
    let ending = await luath.ending()
    #expect(ending.code < 128)
    #expect(try text("notes.txt", in: folder) == "cleaned\nnext\n")
    let events = try text("events.ndjson", in: folder)
    #expect(events.split(separator: "\n").last?.contains(#""passed":2"#) == true)
  }
}
