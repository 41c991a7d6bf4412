@testable import Emulator
import HTTP
@testable import Host
@testable import System
import Testing

@testable import Journeys

@Suite(.timeLimit(.minutes(1))) struct LiveLogTests {
  private func read(_ log: LiveLog, after number: Int = 0) throws -> JSON {
    try JSON.parse(log.entries(after: number))
  }

  private func journey(_ name: String, _ outcome: JourneyOutcome) -> [RunEvent] {
    let place = EventSource(journey: "a.lua > \(name)", attempt: 1)
    return [
      RunEvent(
        at: 0, place: place,
        .journeyStart(JourneyStart(worker: 1, file: "a.lua", line: 1, name: [name]))),
      RunEvent(
        at: 1, place: place, .journeyResult(JourneyResult(outcome: outcome, attempts: 1))),
    ]
  }

  private func about(_ json: JSON) -> [String] {
    (json["entries"]?.array ?? []).compactMap { $0["about"]?.string }
  }

  @Test func `a journey has the events of its latest run only`() throws {
    let log = LiveLog()
    log.begin(["a.lua > one", "a.lua > two"])
    for event in journey("one", .failed) + journey("two", .passed) { log.add(event) }
    log.begin(["a.lua > one"])
    log.add(journey("one", .passed)[0])
    let entries = try #require(try read(log)["entries"]?.array)
    let runs = entries.compactMap { entry in
      entry["about"]?.string.map { "\($0) \(entry["run"]?.integer ?? 0)" }
    }
    #expect(runs == ["a.lua > two 1", "a.lua > two 1", "a.lua > one 2"])
  }

  @Test func `entries come after a number, in order`() throws {
    let log = LiveLog()
    log.begin(["a.lua > one"])
    let first = try #require(try read(log)["newest"]?.integer)
    for event in journey("one", .passed) { log.add(event) }
    let rest = try read(log, after: Int(first))
    #expect(about(rest) == ["a.lua > one", "a.lua > one"])
    #expect(rest["more"]?.bool == false)
    #expect(
      try read(log, after: Int(rest["newest"]?.integer ?? 0))["entries"]?.array?.isEmpty == true)
  }

  @Test func `a long answer comes in parts, and nothing is lost`() throws {
    let log = LiveLog()
    log.begin([])
    let text = String(repeating: "x", count: 1 << 20)
    for _ in 0..<10 { log.add(RunEvent(at: 0, .log(LogEvent(level: .print, text: text)))) }
    var (newest, found, parts) = (0, 0, 0)
    var hasMore = true
    while hasMore, parts < 20 {
      let part = try read(log, after: newest)
      found += about(part).count
      newest = Int(part["newest"]?.integer ?? 0)
      hasMore = part["more"]?.bool ?? false
      parts += 1
    }
    #expect(found == 10)
    #expect(parts > 1)
  }

  @Test func `the log does not grow when journeys run again`() throws {
    let log = LiveLog()
    for _ in 0..<500 {
      log.begin(["a.lua > one"])
      for event in journey("one", .passed) { log.add(event) }
      log.post("state", ["phase": "idle"])
    }
    #expect(try read(log)["entries"]?.array?.count == 4)
  }

  @Test func `what failed is what failed last`() {
    let log = LiveLog()
    log.begin(["a.lua > one"])
    for event in journey("one", .failed) { log.add(event) }
    log.add(
      RunEvent(
        at: 2,
        .fileEnd(
          FileEnd(
            file: "b.lua", worker: 1, duration: 1,
            failures: [Failure(kind: .error, message: "no")]))))
    #expect(log.failed.journeys == ["a.lua > one"])
    #expect(log.failed.files == ["b.lua"])
    for event in journey("one", .flaky) { log.add(event) }
    log.add(RunEvent(at: 3, .fileStart(FileStart(file: "b.lua", worker: 1))))
    #expect(log.failed.journeys.isEmpty)
    #expect(log.failed.files.isEmpty)
  }

  @Test func `a file that loads again loses its failure`() throws {
    let log = LiveLog()
    let failed = RunEvent(
      at: 2,
      .fileEnd(
        FileEnd(
          file: "b.lua", worker: 1, duration: 1, failures: [Failure(kind: .error, message: "no")])))
    log.begin([])
    log.add(failed)
    log.forget(files: ["a.lua", "b.lua"])
    #expect(log.failed.files.isEmpty)
    #expect(try about(read(log)).isEmpty)
    let messages = try #require(try read(log)["entries"]?.array).compactMap {
      $0["message"]?.string
    }
    #expect(messages == ["selected", "forgotten"])
    log.begin([])
    log.add(failed)
    #expect(try about(read(log)) == ["file b.lua"])
  }

  @Test func `a reader waits for news`() async {
    let log = LiveLog()
    log.begin([])
    await log.wait(after: 0)
    async let waiting: Void = log.wait(after: 1)
    log.post("state", [:])
    await waiting
    let reader = Task { await log.wait(after: 100) }
    // Again and again, because the wait may begin later.
    let waker = Task {
      while !Task.isCancelled {
        log.wake()
        await Task.yield()
      }
    }
    await reader.value
    waker.cancel()
  }
}

@Suite(.timeLimit(.minutes(1))) struct LiveSelectionTests {
  @Test(arguments: [
    (#"{"select":"all"}"#, LiveSelection.all), (#"{"select":"failed"}"#, .failed),
    (#"{"select":"changed"}"#, .changed),
    (#"{"select":"journeys","journeys":["a > b"]}"#, .journeys(["a > b"], files: [])),
    (#"{"select":"journeys","files":["a.lua"]}"#, .journeys([], files: ["a.lua"])),
    (#"{"select":"file","file":"a.lua"}"#, .file("a.lua")),
  ])
  func `a selection is read`(text: String, selection: LiveSelection) throws {
    #expect(LiveSelection(try JSON.parse(text)) == selection)
  }

  @Test(arguments: [
    "null", "[]", "{}", #"{"select":"some"}"#, #"{"select":"journeys"}"#,
    #"{"select":"journeys","journeys":[]}"#, #"{"select":"journeys","journeys":[1]}"#,
    #"{"select":"file"}"#,
  ])
  func `what selects nothing is refused`(text: String) throws {
    #expect(LiveSelection(try JSON.parse(text)) == nil)
  }

  @Test(arguments: [
    ("a > b", "a > b"), ("a > b (run 2)", "a > b"), ("a > b (run two)", "a > b (run two)"),
    ("a > (run 2)", "a >"), ("a > b (run 2) c", "a > b (run 2) c"), ("", ""),
  ])
  func `the number of a repetition is no part of the record's id`(id: String, plain: String) {
    #expect(PlannedJourney.withoutRepetition(id) == plain)
  }
}

@Suite(.timeLimit(.minutes(1))) struct LiveControlTests {
  @Test func `one run at a time`() {
    let control = LiveControl(LiveLog())
    #expect(control.run(.all))
    #expect(!control.run(.failed))
    #expect(!control.begin())
    control.end(exit: 1)
    #expect(control.begin())
  }

  @Test func `a view of a finished run runs nothing`() {
    let control = LiveControl(LiveLog(), isFinished: true)
    #expect(!control.canRun)
    #expect(!control.run(.all))
  }
}

@Suite(.timeLimit(.minutes(1))) struct KeptProjectsTests {
  private func address(_ projects: KeptProjects, _ name: String) async throws -> String {
    try #require(await projects.address(of: name))
  }

  @Test func `a project stays alive when the next journey begins, and when the run ends`()
    async throws
  {
    let projects = KeptProjects(LiveLog())
    let emulator = try Emulator()
    let port = try await emulator.start()
    await projects.renew(emulator, for: "one", chance: 1)
    #expect(try await address(projects, "one").contains(":\(port)/"))
    await projects.renew(emulator, for: "two", chance: 2)
    #expect(try await address(projects, "two").contains(":\(port)/"))
    let first = try await address(projects, "one")
    #expect(!first.contains(":\(port)/"))
    await projects.leave(emulator)
    #expect(try await address(projects, "one") == first)
    #expect(try await address(projects, "two").contains(":\(port)/"))
    await projects.stop()
    #expect(await projects.address(of: "one") == nil)
  }

  @Test func `a journey that runs again has one project, and old ones are dropped`() async throws {
    let projects = KeptProjects(LiveLog())
    let emulator = try Emulator()
    _ = try await emulator.start()
    for number in 0..<(KeptProjects.most + 5) {
      await projects.renew(emulator, for: "\(number)", chance: 0)
      await projects.renew(emulator, for: "\(number)", chance: 1)
    }
    #expect(await projects.address(of: "4") == nil)
    #expect(await projects.address(of: "5") != nil)
    await projects.leave(emulator)
    await projects.stop()
  }
}
