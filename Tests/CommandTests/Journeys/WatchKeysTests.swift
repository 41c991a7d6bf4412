import Foundation
import Testing

/// The keys of `luath test --watch`, at a pseudo-terminal.
@Suite(.timeLimit(.minutes(3))) struct WatchKeysTests {
  private static let prompt = "q to quit"
  private static let files = [
    "a_journey.lua": """
    local journey = require "luath.journey"
    journey("good one", function() end)
    journey("good two", function() end)
    journey("bad one", function()
      local file = io.open("fixed")
      assert(file, "still broken")
      file:close()
    end)
    """
  ]

  private func start(_ options: [String] = []) throws -> (TerminalProcess, ScriptFolder) {
    let folder = try ScriptFolder(Self.files)
    let process = try TerminalProcess(["test", "--watch"] + options, in: folder.url)
    return (process, folder)
  }

  @Test func `Enter runs all, f the failed ones, q ends with the status of the last run`()
    async throws
  {
    let (watch, folder) = try start()
    let first = try #require(await watch.wait(for: Self.prompt), "\(watch.text)")
    #expect(first.contains("2 passed, 1 failed") && first.contains("press Enter to run all"))
    #expect(first.contains("u to update snapshots"))
    watch.type("f")
    let failed = try #require(await watch.wait(for: Self.prompt), "\(watch.text)")
    #expect(failed.contains("1 journey in 1 file") && failed.contains("0 passed, 1 failed"))
    // Other keys do nothing.
    watch.type("xyz\u{1B}[A\n")
    let all = try #require(await watch.wait(for: Self.prompt), "\(watch.text)")
    #expect(all.contains("2 passed, 1 failed"))
    try folder.add("fixed", [])
    watch.type("f")
    let fixed = try #require(await watch.wait(for: Self.prompt), "\(watch.text)")
    #expect(fixed.contains("1 passed in"))
    watch.type("f")
    await watch.wait(for: "no journey failed when it ran last")
    await watch.wait(for: Self.prompt)
    watch.type("\n")
    await watch.wait(for: "3 passed")
    await watch.wait(for: Self.prompt)
    watch.type("q")
    #expect(await watch.end() == 0, "\(watch.text)")
    #expect(watch.hasUsualModes)
    // The keys themselves are not shown.
    #expect(!watch.text.contains("xyz"))
  }

  @Test func `p asks for a name, which holds until it is empty, also when a file changes`()
    async throws
  {
    let (watch, folder) = try start()
    await watch.wait(for: Self.prompt)
    watch.type("p")
    await watch.wait(for: "empty for all journeys: ")
    watch.type("good\n")
    let named = try #require(await watch.wait(for: Self.prompt), "\(watch.text)")
    #expect(named.contains("2 passed in") && named.contains("run those named good"))
    let text = try #require(Self.files["a_journey.lua"])
    try folder.add(
      "a_journey.lua", Array((text + "\njourney(\"good three\", function() end)").utf8))
    let changed = try #require(await watch.wait(for: Self.prompt), "\(watch.text)")
    #expect(changed.contains("a_journey.lua changed") && changed.contains("3 passed in"))
    watch.type("p")
    await watch.wait(for: "empty for all journeys: ")
    watch.type("nothing like it\n")
    await watch.wait(for: "was selected")
    await watch.wait(for: Self.prompt)
    watch.type("p")
    await watch.wait(for: "empty for all journeys: ")
    watch.type("\n")
    await watch.wait(for: "3 passed, 1 failed")
    await watch.wait(for: Self.prompt)
    watch.type("q")
    #expect(await watch.end() == 1, "\(watch.text)")
  }

  @Test(arguments: ["\u{3}", "\u{4}", "\u{1C}"])
  func `Ctrl-C, Ctrl-D and Ctrl-backslash end it with the terminal as it was`(key: String)
    async throws
  {
    let (watch, folder) = try start()
    await watch.wait(for: Self.prompt)
    #expect(!watch.hasUsualModes)
    watch.type(key)
    #expect(await watch.end() == 1, "\(watch.text)")
    #expect(watch.hasUsualModes)
    withExtendedLifetime(folder) {}
  }

  @Test func `Ctrl-C at the question for a name ends it`() async throws {
    let (watch, folder) = try start(["--name", "good"])
    await watch.wait(for: Self.prompt)
    watch.type("p")
    await watch.wait(for: "empty for all journeys: ")
    #expect(watch.hasUsualModes)
    watch.type("\u{3}")
    #expect(await watch.end() == 0, "\(watch.text)")
    withExtendedLifetime(folder) {}
  }
}
