import Foundation
import Testing

/// What fails in a journey is told, wherever and however it ends.
@Suite(.timeLimit(.minutes(5)))
struct JourneyFailureTests {
  @Test func `soft checks of hooks, deferred functions and fixtures fail the journey`()
    async throws
  {
    let folder = try JourneyFolder(program: "JourneyFailure/soft-checks")
    let ending = try await folder.test()
    #expect(ending.code == 1, "\(ending.output)\(ending.errors)")
    for words in ["afterEach", "fixture's defer", "defer", "afterAll 1", "afterAll 2", "wide"] {
      #expect(ending.output.contains(" \(words): expected 2, got 1"), "\(ending.output)")
    }
  }

  @Test func `soft failures stay when a journey is stopped`() async throws {
    let folder = try JourneyFolder(program: "JourneyFailure/soft-and-stopped")
    let ending = try await folder.test()
    #expect(ending.output.contains("0 passed, 3 failed"), "\(ending.output)\(ending.errors)")
    #expect(ending.output.ranges(of: " soft: expected 2, got 1").count == 3, "\(ending.output)")
  }

  @Test func `an interrupted journey keeps what its checks found`() async throws {
    let folder = try JourneyFolder(program: "JourneyFailure/soft-and-interrupted")
    let luath = try folder.start()
    #expect(await luath.line(with: "ready") != nil)
    luath.send(SIGINT)
    let ending = await luath.ending()
    #expect(ending.code == 130)
    #expect(ending.output.contains("it was interrupted"), "\(ending.output)")
    #expect(ending.output.contains(" soft: expected 2, got 1"), "\(ending.output)")
  }

  @Test(arguments: ["task.sleep(100)", "while true do end"])
  func `interrupted hooks say so, and fixtures are taken down`(_ waits: String) async throws {
    let folder = try JourneyFolder(program: "JourneyFailure/interrupted-hooks", ["WAITS": waits])
    let luath = try folder.start()
    #expect(await luath.line(with: "ready") != nil)
    luath.send(SIGINT)
    let ending = await luath.ending()
    #expect(ending.code == 130)
    #expect(folder.log == ["run down"])
    #expect(ending.output.contains("afterAll was interrupted"), "\(ending.output)")
  }

  @Test func `what spins at the end of a run's fixture is named, and the rest runs`() async throws {
    let folder = try JourneyFolder(program: "JourneyFailure/spinning-fixture")
    let ending = try await folder.test()
    #expect(ending.code == 1)
    #expect(folder.log == ["run down"])
    #expect(
      ending.output.contains(
        #/fixture 'run': the journey computed without end, [^\n]* after its time limit of [0-9.]+ s\n/#
      ),
      "\(ending.output)")
  }

  @Test func `what fails of a journey's fixture names the fixture, within its time`() async throws {
    let folder = try JourneyFolder(program: "JourneyFailure/failing-fixture")
    let ending = try await folder.test()
    for words in [
      "fixture 'house': expected 2, got 1", "fixture 'own': the fixture uses itself",
      "fixture 'run': a fixture of the run can only be data",
    ] {
      #expect(ending.output.contains(words), "\(ending.output)")
    }
    #expect(ending.output.contains(/fixture 'house': defer of \S+:10: boom/), "\(ending.output)")
    let late = #/fixture 'house': defer of \S+:9: [^\n]* did not end within 0.2 seconds/#
    #expect(ending.output.contains(late), "\(ending.output)")
  }

  @Test func `an interrupted afterEach interrupts its journey`() async throws {
    let folder = try JourneyFolder(program: "JourneyFailure/interrupted-after-each")
    let luath = try folder.start()
    #expect(await luath.line(with: "ready") != nil)
    luath.send(SIGINT)
    let ending = await luath.ending()
    #expect(ending.output.contains("afterEach was interrupted"), "\(ending.output)")
    #expect(ending.output.contains("0 passed, 1 interrupted"), "\(ending.output)")
  }

  @Test func `too much memory is told as that`() async throws {
    let folder = try JourneyFolder(program: "JourneyFailure/memory")
    let ending = try await folder.test("--memory", "64M")
    #expect(ending.output.contains("0 passed, 2 failed"), "\(ending.output)\(ending.errors)")
    #expect(
      ending.output.ranges(of: "the journey took more memory than --memory 64M allows").count == 2,
      "\(ending.output)")
    // Many small requests are stopped at their line; one that fails at once only has the journey's.
    let failures = ending.output.matches(
      of:
        #/\n +\S+\.lua:\d+: the journey took more memory than --memory 64M allows\n +\d+ \| for i /#
    )
    #expect(!failures.isEmpty, "\(ending.output)")
    #expect(folder.log == ["down"])
  }

  @Test func `a table without a message is shown whole, with what to raise instead`() async throws {
    let folder = try JourneyFolder(program: "JourneyFailure/mute-tables")
    let ending = try await folder.test()
    for table in ["{ code = 5 }", "{ code = \"full\" }", "{}"] {
      #expect(
        ending.output.contains(": \(table)\n"),
        "\(ending.output)")
    }
    #expect(!ending.output.contains(": 5: "), "\(ending.output)")
    let hint =
      "hint: the error is a table without a message: raise a text, or a table with a message"
    #expect(ending.output.ranges(of: hint).count == 3, "\(ending.output)")
    #expect(ending.output.contains(": 7: seven\n"), "\(ending.output)")
  }

  @Test func `failures in tasks keep their steps and values`() async throws {
    let folder = try JourneyFolder(program: "JourneyFailure/tasks")
    let ending = try await folder.test()
    #expect(ending.output.contains("step: outer > left"), "\(ending.output)\(ending.errors)")
    #expect(ending.output.contains("step: inner"))
    #expect(ending.output.contains(/- +\[2\] = 3,/))
  }

  @Test func `a wide fixture's soft failures fail every journey that uses it`() async throws {
    let folder = try JourneyFolder(program: "JourneyFailure/wide-fixtures")
    let ending = try await folder.test()
    #expect(ending.output.contains("0 passed, 6 failed"), "\(ending.output)\(ending.errors)")
    for words in ["file is soft", "run is soft", "block is soft"] {
      #expect(ending.output.ranges(of: "\(words): expected 2").count == 2, "\(ending.output)")
    }
    #expect(folder.log == ["first", "second"])
  }

  @Test func `soft raises goes on when a check inside it fails`() async throws {
    let folder = try JourneyFolder(program: "JourneyFailure/soft-raises")
    let ending = try await folder.test()
    #expect(ending.output.contains("expected 2, got 1"), "\(ending.output)\(ending.errors)")
    #expect(folder.log == ["goes on"])
  }

  @Test func `functions of Lua's library that were replaced do not change what is told`()
    async throws
  {
    let break_ = """
      string.rep = function() return "q" end
      string.format = function() return "FMT" end
      table.concat = function() return "CC" end
      """
    let folder = try JourneyFolder([
      "one_journey.lua": luaProgram("JourneyFailure/replaced-library", ["BREAK": break_]),
      "two_spec.lua": luaProgram("JourneyFailure/replaced-library-spec", ["BREAK": break_]),
    ])
    let ending = try await folder.test()
    #expect(ending.output.contains("2 passed, 2 failed"), "\(ending.output)\(ending.errors)")
    #expect(ending.output.contains(".a.b[2] differs: expected 3, got 2"))
    #expect(ending.output.contains(/-       \[2\] = 3,/))
    #expect(ending.output.contains("mine: boom"))
    #expect(ending.output.contains("step: a step"))
    #expect(ending.output.contains("*[a] = 2"))
    #expect(folder.log == ["FMT", "1"])
  }

  @Test func `beforeAll can skip the journeys of its block`() async throws {
    let folder = try JourneyFolder(program: "JourneyFailure/skipping-before-all")
    let ending = try await folder.test()
    #expect(ending.output.contains("one (skipped: not today)"), "\(ending.output)")
    #expect(ending.output.contains("two (skipped: not today)"), "\(ending.output)")
    #expect(ending.output.contains("beforeAll has no 'defer'"), "\(ending.output)")
    #expect(
      ending.output.contains("0 passed, 1 failed, 2 skipped, 1 pending"), "\(ending.output)")
    #expect(folder.log.isEmpty)
  }

  @Test func `what is raised or given wrongly is told with the line of the journey`()
    async throws
  {
    let folder = try JourneyFolder([
      "one_journey.lua": """
      journey("defers", function(j) j:defer(function() error { code = 3 } end) end)
      journey("nil", function(j) j:secret(nil) end)
      journey("number", function(j) j:secret(12345678) end)
      """
    ])
    let ending = try await folder.test()
    #expect(ending.output.contains("{ code = 3 }\n"), "\(ending.output)\(ending.errors)")
    for kind in ["nil", "number"] {
      let words = #"one_journey.lua:\d+: bad argument #1 to 'secret' \(a text expected, got "#
      #expect(ending.output.contains(try Regex(words + kind)), "\(ending.output)")
    }
  }
}
