@testable import Batch
@testable import HTTP
@testable import Host
@testable import System
import Glibc
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct BatchHookTests {
  typealias Ending = Result<(end: BatchEnd, status: Host.ExitStatus), BatchProblem>

  private static let facts: JSONObject = [
    "plan": "plan.ndjson", "run": 1, "kind": "run", "project": "demo-luath", "tenant": "eu-1",
  ]

  /// Calls `body` with hooks; returns the warnings.
  private func with(
    _ hooks: [BatchHook], _ body: (BatchHooks) async throws -> Void
  ) async throws -> [String] {
    let warnings = Mutex<[String]>([])
    let loop = try EventLoop.started()
    defer { loop.stop() }
    try await body(
      BatchHooks(
        hooks: hooks, facts: Self.facts, environment: ["PATH": "/usr/bin:/bin", "OWN": "kept"],
        loop: loop, warn: { message, _ in warnings.withLock { $0.append(message) } }))
    return warnings.withLock { $0 }
  }

  private static func end(
    _ rows: [RowState: Int64], _ code: ExitCode, _ change: (inout BatchEnd) -> Void = { _ in }
  ) -> Ending {
    var status = BatchStatus()
    status.tally.rows = rows
    var end = BatchEnd(status: status)
    change(&end)
    return .success((end, .code(code)))
  }

  @Test func `a command gets the event as JSON and in variables`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("start")
    let command =
      "cat >\(path); echo \"$LUATH_BATCH_EVENT $LUATH_BATCH_PLAN $LUATH_BATCH_RUN $LUATH_BATCH_TENANT $OWN $HOME\" >>\(path)"
    let warnings = try await with([try BatchHook(.start, command)]) { hooks in
      try await hooks.start()
      // There are no other hooks.
      await hooks.end(Self.end([.failed: 1], .failed))
    }
    #expect(warnings == [])
    let lines = String(decoding: try WholeFile.read(path), as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 2)
    let event = try JSON.parse(Array(lines[0].utf8))
    #expect(event["event"] == "start")
    #expect(event["plan"] == "plan.ndjson")
    #expect(event["run"] == 1)
    #expect(event["project"] == "demo-luath")
    #expect(lines[1] == "start plan.ndjson 1 eu-1 kept ")
  }

  /// A way to end, and what hooks of a failure and of the end then log.
  private struct Case {
    let ending: Ending
    let log: [String]

    init(_ ending: Ending, _ log: String...) {
      self.ending = ending
      self.log = log
    }
  }

  private static let cases: [Case] = [
    Case(end([.done: 3], .ok), "end  0 3 0 0"),
    Case(end([.done: 3, .waiting: 4], .interrupted), "end  130 3 0 4"),
    Case(end([.skipped: 3], .nothing), "end  5 0 0 0"),
    Case(
      end([.done: 1, .failed: 2, .halfDone: 1], .failed), "failure rowsFailed 1 1 3 0",
      "end rowsFailed 1 1 3 0"),
    Case(
      end([.done: 1, .refused: 2], .failed), "failure rowsRefused 1 1 0 0",
      "end rowsRefused 1 1 0 0"),
    Case(
      end([.failed: 21, .waiting: 9], .failed) { $0.spentErrors = true },
      "failure maxErrors 1 0 21 9", "end maxErrors 1 0 21 9"),
    Case(
      end([.waiting: 9], .unavailable) {
        $0.problem = BatchProblem(.unavailable, "the disk is full", hint: "")
      }, "failure problem 4 0 0 9", "end problem 4 0 0 9"),
    Case(
      .failure(BatchProblem(.notLoaded, "no script", hint: "")), "failure problem 3   ",
      "end problem 3   "),
  ]

  @Test(arguments: cases.indices) func `a failed run is reported once, and each end`(
    _ index: Int
  ) async throws {
    let scratch = try Scratch()
    let command =
      "echo \"$LUATH_BATCH_EVENT $LUATH_BATCH_REASON $LUATH_BATCH_EXIT_CODE $LUATH_BATCH_DONE "
      + "$LUATH_BATCH_FAILED $LUATH_BATCH_LEFT\" >>\(scratch.path("log"))"
    let warnings = try await with([
      try BatchHook(.failure, command), try BatchHook(.end, command),
    ]) { hooks in
      try await hooks.start()
      await hooks.end(Self.cases[index].ending)
    }
    #expect(warnings == [])
    let log = String(decoding: try WholeFile.read(scratch.path("log")), as: UTF8.self)
    #expect(log.split(separator: "\n").map(String.init) == Self.cases[index].log)
  }

  @Test func `an address receives the event, and a status that is not 2xx is a failure`()
    async throws
  {
    let events = Mutex<[JSON]>([])
    let answer: @Sendable (HTTPRequest) -> Answer = { request in
      let json = (try? request.json()) ?? .null
      events.withLock { $0.append(json) }
      #expect(request.method == "POST")
      #expect(request.headers["Content-Type"] == "application/json")
      return .now(ServerResponse(status: json["event"] == "failure" ? 500 : 204))
    }
    try await TestServer.run(answer) { url in
      let hooks = try BatchHook.Event.allCases.map { try BatchHook($0, "\(url.origin)/token-123") }
      let warnings = try await with(hooks) { hooks in
        try await hooks.start()
        await hooks.end(Self.end([.failed: 2], .failed))
      }
      // The path of an address may be a secret.
      #expect(
        warnings == ["--on-failure at \(url.origin) failed: it responds with the status 500"])
      #expect(events.withLock { $0.map { $0["event"] } } == ["start", "failure", "end"])
      #expect(events.withLock { $0.last?["message"] } == "2 rows failed")
      #expect(events.withLock { $0.last?["rows"]?["failed"] } == 2)
    }
  }

  @Test func `a failing hook of the start stops the run, and the others only warn`() async throws {
    let hooks = [
      try BatchHook(.start, "exit 3"), try BatchHook(.failure, "kill -9 $$"),
      try BatchHook(.end, "exit 7"),
    ]
    let warnings = try await with(hooks) { hooks in
      let error = await #expect(throws: BatchProblem.self) { try await hooks.start() }
      #expect(error?.message == "the command of --on-start failed: it exits with 3")
      await hooks.end(.failure(try #require(error)))
    }
    #expect(
      warnings == [
        "the command of --on-failure failed: it exits with 137",
        "the command of --on-end failed: it exits with 7",
      ])
  }

  @Test func `a command that takes too long is killed with what it has started`() async throws {
    let scratch = try Scratch()
    let path = scratch.path("pid")
    var hook = try BatchHook(.end, "sleep 1000 & echo $! >\(path); wait")
    hook.limit = .seconds(3)
    let warnings = try await with([hook]) { await $0.end(Self.end([.done: 1], .ok)) }
    #expect(
      warnings == ["the command of --on-end failed: it did not end within 3 s and was killed"])
    let text = String(decoding: try WholeFile.read(path), as: UTF8.self)
    let process = try #require(Int32(text.dropLast()))
    while kill(process, 0) == 0 { await Task.yield() }
  }

  @Test(arguments: ["", "  ", "http://", "https://ada:secret@hooks.example/"])
  func `a hook that is neither command nor address is refused`(_ text: String) {
    #expect(throws: UsageError.self) { try BatchHook(.start, text) }
  }
}
