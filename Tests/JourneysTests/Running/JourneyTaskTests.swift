@testable import Journeys
import Testing

/// Tasks that nobody awaits belong to the journey, its hooks and fixtures, or the file.
@Suite(.timeLimit(.minutes(2))) struct JourneyTaskTests {
  private static let head = """
    local expect = require "luath.expect"
    local journey = require "luath.journey"
    local runner = require "luath.runner"
    local task = require "luath.task"
    local function log(text) runner.emit("log", { text = text }) end

    """
  /// How many lines stand before a test's own text.
  private static let before = 5

  private func ends(
    _ body: String, _ change: (inout RunSettings) -> Void = { _ in }
  ) async throws -> [(name: String, end: JourneyEnd)] {
    var run = JourneyRun()
    change(&run.settings)
    return try await run.ends(Self.head + body)
  }

  private func events(_ body: String) async throws -> [RunEvent] {
    try await JourneyRun().events(Self.head + body).events
  }

  @Test func `a journey awaits the tasks of its function before its hooks`() async throws {
    let events = try await events(
      luaProgram("JourneyTask/awaited"))
    #expect(events.logged == ["returned", "kept", "afterEach", "fixture down"])
  }

  @Test func `a check that fails in a task fails the journey at its line`() async throws {
    let ends = try await ends(
      luaProgram("JourneyTask/failing-checks"))
    for (name, end) in ends {
      #expect(end.status == .failed, "\(name)")
      #expect(end.failures.count == 1, "\(name): \(end.failures)")
    }
    #expect(
      ends.compactMap(\.end.failures.first?.line) == [2, 6, 10, 13, 17].map { $0 + Self.before })
    #expect(ends.map(\.end.failures.first?.kind) == [.task, .task, .assertion, .task, .task])
    #expect(ends.last?.end.failures.first?.steps == ["late"])
  }

  @Test func `a task that does not end is reported at the line that spawned it`() async throws {
    let events = try await events(
      luaProgram("JourneyTask/without-end"))
    let ends = events.compactMap { if case .journeyEnd(let end) = $0.kind { end } else { nil } }
    #expect(ends.map(\.status) == [.failed, .passed])
    let failures = ends[0].failures
    let messages = Dictionary(
      failures.map { ($0.line ?? 0, $0.message) }, uniquingKeysWith: { one, _ in one })
    #expect(
      messages == [
        3 + Self.before: "3 tasks of this line did not end within 0.05 s",
        5 + Self.before: "a task did not end within 0.05 s",
      ])
    #expect(failures.map(\.kind) == [.task, .task])
    #expect(events.logged == ["cancelled true"])
  }

  // The thread sanitizer holds signals back while a thread is inside Lua, and stopping it needs one.
  @Test(.disabled(if: isUnderThreadSanitizer))
  func `a task that computes without end is stopped, and named by its own line`() async throws {
    let ends = try await ends(
      luaProgram("JourneyTask/endless"))
    #expect(ends.map(\.end.status) == [.failed, .passed])
    // Not line 3, whose last instruction stands before the loop.
    #expect(ends[0].end.failures.map(\.line) == [4 + Self.before])
  }

  @Test func `tasks of hooks and fixtures go on until these have ended`() async throws {
    let events = try await events(
      luaProgram("JourneyTask/hooks"))
    let ends = events.compactMap { if case .journeyEnd(let end) = $0.kind { end } else { nil } }
    for end in ends { #expect(end.status == .passed, "\(end.failures)") }
    #expect(
      events.logged == ["stopped", "after afterEach", "after afterEach", "server down"])
  }

  @Test(arguments: [
    "journey.afterEach(function() SPAWN end)",
    "journey.beforeEach(function() SPAWN end)",
    "journey.beforeEach(function(j) j:defer(function() SPAWN end) end)",
    "journey.fixture('f', { automatic = true }, function() SPAWN end)",
  ])
  func `a task of a hook or fixture fails its journey`(_ hook: String) async throws {
    let spawn = "task.spawn(function() task.sleep(0) expect.equal(1, 2) end)"
    let ends = try await ends(
      hook.replacing("SPAWN", with: spawn) + "\njourney('one', function() end)")
    #expect(ends.map(\.end.status) == [.failed])
    #expect(ends[0].end.failures.map(\.message) == ["expected 2, got 1"])
    #expect(ends[0].end.failures.map(\.line) == [1 + Self.before])
  }

  @Test(arguments: [
    "SPAWN",
    "journey.beforeAll(function() SPAWN end)",
    "journey.afterAll(function() SPAWN end)",
    "journey.fixture('f', { automatic = true, scope = 'file' }, function() SPAWN end)",
    """
    journey.fixture('f', { automatic = true, scope = 'run' }, function(f) \
    f:defer(function() end) SPAWN end)
    """,
  ])
  func `a task that outlasts the journeys fails the file`(_ hook: String) async throws {
    let spawn = """
      task.spawn(function() while not ended do task.sleep(0) end expect.equal(1, 2) end)
      """
    let text =
      hook.replacing("SPAWN", with: spawn) + """

        journey('one', function() end)
        journey.afterAll(function() _G.ended = true end)
        """
    let events = try await events(text)
    let files = events.compactMap { if case .fileEnd(let end) = $0.kind { end } else { nil } }
    let ends = events.compactMap { if case .journeyEnd(let end) = $0.kind { end } else { nil } }
    #expect(ends.map(\.status) == [.passed], "\(ends)")
    #expect(files.map { $0.failures.map(\.message) } == [["expected 2, got 1"]])
  }

  @Test(arguments: [
    "SPAWN", "journey.beforeAll(function() SPAWN end)",
    "journey.fixture('f', { automatic = true, scope = 'file' }, function() SPAWN end)",
  ])
  func `a task of the file fails the file, and not the journey that runs`(_ hook: String)
    async throws
  {
    let spawn = "task.spawn(function() task.sleep(0) expect.equal(1, 2) end)"
    let text =
      hook.replacing("SPAWN", with: spawn) + """

        journey('one', { retries = 1 }, function() for _ = 1, 20 do task.sleep(0) end end)
        journey('two', function() task.sleep(0) end)
        """
    let events = try await events(text)
    let files = events.compactMap { if case .fileEnd(let end) = $0.kind { end } else { nil } }
    let ends = events.compactMap { if case .journeyEnd(let end) = $0.kind { end } else { nil } }
    #expect(ends.map(\.status) == [.passed, .passed], "\(ends)")
    #expect(files.map { $0.failures.map(\.message) } == [["expected 2, got 1"]])
  }
}
