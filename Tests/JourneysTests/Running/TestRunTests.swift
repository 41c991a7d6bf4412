@testable import Journeys
import Testing

@Suite(.timeLimit(.minutes(2))) struct TestRunTests {
  private static let head = """
    local Auth = require "luath.auth"
    local emulator = require "luath.emulator"
    local journey = require "luath.journey"
    local runner = require "luath.runner"
    local task = require "luath.task"
    local auth = Auth.auth()
    local function log(text) runner.emit("log", { text = text }) end

    """

  private func ends(
    _ body: String, _ change: (inout RunSettings) -> Void = { _ in }
  ) async throws -> [(name: String, end: JourneyEnd)] {
    var run = JourneyRun()
    change(&run.settings)
    return try await run.ends(Self.head + body)
  }

  @Test func `each journey finds a project where nothing has happened`() async throws {
    let ends = try await ends(
      luaProgram("TestRun/fresh-project"))
    #expect(ends.map(\.name) == ["first", "second"])
    for (_, end) in ends { #expect(end.status == .passed, "\(end.failures)") }
  }

  // The thread sanitizer holds signals back while a thread is inside Lua, and stopping it needs one.
  @Test(.disabled(if: isUnderThreadSanitizer))
  func `a journey that computes without end is stopped, and cleaned up after`() async throws {
    let run = JourneyRun()
    let text = try Self.head + luaProgram("TestRun/endless")
    let (events, exit) = try await run.events(text)
    #expect(events.logged == ["up", "cleaned", "down", "up", "down"])
    let ends = events.compactMap {
      if case .journeyEnd(let end) = $0.kind { end } else { nil as JourneyEnd? }
    }
    #expect(ends.map(\.status) == [.failed, .passed])
    #expect(ends[0].failures.map(\.kind) == [.timeout])
    #expect(ends[0].failures[0].line == 16)
    #expect(exit == 1)
  }

  @Test func `a journey that waits too long is cancelled where it waits`() async throws {
    let ends = try await ends(
      """
      journey("waits", { timeout = 0.05 }, function(j) task.sleep(1000) end)
      journey("goes on", function(j) end)
      """)
    #expect(ends.map(\.end.status) == [.failed, .passed])
    #expect(ends[0].end.failures.map(\.kind) == [.timeout])
    #expect(ends[0].end.failures[0].line == 8)
  }

  @Test func `os.exit ends its journey only`() async throws {
    let ends = try await ends(
      """
      journey("exits", function() os.exit(0) end)
      journey("goes on", function() end)
      """)
    #expect(ends.map(\.end.status) == [.failed, .passed])
    #expect(ends[0].end.failures.map(\.message) == ["the journey called os.exit(0)"])
  }

  @Test func `a task that fails unseen fails its journey`() async throws {
    let ends = try await ends(
      luaProgram("TestRun/unseen-task"))
    #expect(ends.map(\.end.status) == [.passed, .failed])
    #expect(ends[1].end.failures.map(\.message) == ["unseen"])
    #expect(ends[1].end.failures.map(\.kind) == [.task])
  }

  @Test func `a failed journey is tried again, and is flaky when it passes then`() async throws {
    var run = JourneyRun()
    run.settings.retries = 2
    let (events, exit) = try await run.events(
      Self.head + luaProgram("TestRun/flaky"))
    let results = events.compactMap {
      if case .journeyResult(let result) = $0.kind { result } else { nil as JourneyResult? }
    }
    #expect(results.map(\.outcome) == [.flaky, .failed])
    #expect(results.map(\.attempts) == [2, 3])
    #expect(exit == 1)
  }

  @Test func `an interrupt ends the journey at hand in good order, and no other begins`()
    async throws
  {
    let (events, exit) = try await JourneyRun().events(
      Self.head + luaProgram("TestRun/interrupted")
    ) { run, event in
      if case .log(let log) = event.kind, log.text == "waiting" { run.interrupt() }
    }
    #expect(events.logged == ["waiting", "cleaned"])
    let started = events.count { if case .journeyStart = $0.kind { true } else { false } }
    #expect(started == 1)
    guard case .runEnd(let end)? = events.last?.kind else {
      Issue.record("the run has no end")
      return
    }
    #expect(end.counts == [.interrupted: 1])
    #expect(exit == 130)
  }

  @Test func `of a long text a report has a million bytes, and no half of a secret`() async throws {
    let text = try Self.head + luaProgram("TestRun/long-text")
    let (events, exit) = try await JourneyRun().events(text)
    #expect(exit == 0 && events.logged.count == 4)
    for line in events.logged {
      #expect(line.utf8.count < 1 << 20 + 100)
      #expect(!line.contains("a secret"))
      #expect(line.hasSuffix(" bytes left out)"), "\(line.suffix(60))")
    }
  }

  @Test func `bytes that are no text hide no failure and no journey`() async throws {
    let ends = try await ends(
      luaProgram("TestRun/bytes"))
    #expect(ends.map(\.name) == [#"M\xFCller"#, "value", "words", "code", "deferred", "said"])
    #expect(ends.dropLast().allSatisfy { $0.end.status == .failed && !$0.end.failures.isEmpty })
    #expect(ends[0].end.failures[0].message == #"a\xFF b"#)
    #expect(ends.last?.end.status == .passed)
  }

  @Test func `a file that does not load is told, and its run fails`() async throws {
    let (events, exit) = try await JourneyRun().events("journey(")
    let failures = events.flatMap {
      if case .fileEnd(let end) = $0.kind { end.failures } else { [] as [Failure] }
    }
    #expect(failures.count == 1)
    #expect(failures[0].line == 1)
    #expect(exit == 3)
  }
}
