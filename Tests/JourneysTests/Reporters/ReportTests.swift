@testable import System
import Foundation
import Testing

@testable import Journeys

@Suite struct ReportTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "Golden")

  /// Compares with `Golden/NAME`; `LUATH_RECORD=1` writes the file, and fails.
  private func expect(_ text: String, is name: String) throws {
    let file = Self.folder.appending(path: name)
    if ProcessInfo.processInfo.environment["LUATH_RECORD"] == "1" {
      try text.write(to: file, atomically: true, encoding: .utf8)
      Issue.record("\(name) was recorded")
      return
    }
    #expect(text == (try String(contentsOf: file, encoding: .utf8)), "\(name)")
  }

  @Test(arguments: ReportKind.allCases.filter { $0 != .html && $0 != .allure })
  func `the report of a run is as kept`(_ kind: ReportKind) throws {
    try expect(try SampleRun.report(kind), is: "\(kind.rawValue).txt")
  }

  @Test func `a terminal gets colours and a line of progress that is gone at the end`() throws {
    let text = try SampleRun.report(.pretty, columns: 60)
    try expect(text, is: "pretty-terminal.txt")
    #expect(text.contains("\u{1B}[31m"))
    #expect(text.contains("\r\u{1B}[K[2/7] 1 failed"))
    // What was drawn last is taken away before the summary.
    let last = try #require(text.range(of: "\u{1B}[K", options: .backwards))
    #expect(!text[last.upperBound...].contains("/7]"))
  }

  @Test func `a terminal names ten files of evidence, failed pages first, and what was left out`() {
    func made(_ name: String, isFailure: Bool = false) -> AttachmentEvent {
      AttachmentEvent(
        name: name, type: "text/plain", size: 1, content: .leftOut,
        note: "left out: too large", isFailure: isFailure)
    }
    let text = FailureText(style: TextStyle(columns: nil, environment: [:]))
    var all = (1...12).map { made("n\($0)") }
    all[1].note = nil
    all[1].content = .text("x")
    let lines = text.lines(all + [made("failed", isFailure: true)])
    #expect(lines.count == 11 && lines.last == "  … and 2 more attachments")
    #expect(lines.first?.hasSuffix("failed: left out: too large") == true, "\(lines)")
    #expect(!lines.contains { $0.contains("n2:") })
    let long = text.lines([made(String(repeating: "n", count: 400))])
    #expect(long.first.map { $0.count < 120 } == true, "\(long)")
  }

  @Test func `a very long message is cut in TAP`() throws {
    let long = Failure(kind: .error, message: String(repeating: "é", count: 300_000))
    var events = SampleRun.events
    events[events.count - 2] = RunEvent(
      at: 1, .fileEnd(.init(file: "b.lua", worker: 1, duration: 1, failures: [long])))
    let text = try SampleRun.report(.tap, events)
    #expect(text.utf8.count < 20_000)
    #expect(text.contains("éé… (296000 more characters)"))
  }

  @Test func `the line of progress names what has run longest`() {
    func event(_ name: String, _ kind: RunEvent.Kind) -> RunEvent {
      RunEvent(at: 0, place: .init(journey: name, attempt: 1), kind)
    }
    func start(_ name: String) -> RunEvent {
      event(name, .journeyStart(.init(worker: 1, file: "a", line: 1, name: [name])))
    }
    func result(_ name: String) -> [RunEvent] {
      [
        event(name, .journeyEnd(.init(status: .passed, duration: 1))),
        event(name, .journeyResult(.init(outcome: .passed, attempts: 1))),
      ]
    }
    var line = ProgressLine(columns: 40)
    var shown: [String] = []
    let events =
      [RunEvent(at: 0, .runStart(SampleRun.start)), start("slow"), start("other")]
      + result("other") + [event("slow", .stepStart(.init(name: "wait")))] + result("slow")
    for event in events + [start("next")] {
      shown.append(String((line.take(event) ?? "").dropFirst(4)))
    }
    #expect(
      shown == [
        "[0/7]", "[0/7]  slow", "[0/7]  slow", "[0/7]  slow", "[1/7]  slow", "[1/7]  wait",
        "[1/7]", "[2/7]", "[2/7]  next",
      ])
  }

  @Test(arguments: [ReportKind.pretty, .dot])
  func `no line of a failure is a command of GitHub Actions`(_ kind: ReportKind) throws {
    let command = "::error::x"
    var failure = Failure(
      kind: .assertion, message: "a\n\(command)", hint: "a\n\(command)", source: command,
      expected: "a\n \(command)", traceback: [command, "b"])
    var events = SampleRun.events
    for diff in [[], ["  \(command)", "- a"]] {
      failure.diff = diff
      events[events.count - 2] = RunEvent(
        at: 1, .fileEnd(.init(file: "b.lua", worker: 1, duration: 1, failures: [failure])))
      let lines = try SampleRun.report(kind, events).split(separator: "\n")
      #expect(lines.contains { $0.hasSuffix("| \(command)") })
      #expect(!lines.contains { $0.drop { $0 == " " }.hasPrefix("::") })
    }
  }

  @Test(arguments: [ReportKind.pretty, .dot, .tap, .github])
  func `nothing in a line is a command of the older kind`(_ kind: ReportKind) throws {
    let command = "##[error]x"
    let failure = Failure(
      kind: .assertion, message: "a\nb \(command)", source: command, diff: ["  \(command)", "- a"],
      traceback: [command, "b"])
    var events = SampleRun.events
    events[1] = RunEvent(at: 1, .log(.init(level: .print, text: "\(command)\n ::error::x")))
    events[events.count - 2] = RunEvent(
      at: 1, .fileEnd(.init(file: "b.lua", worker: 1, duration: 1, failures: [failure])))
    let text = try SampleRun.report(kind, events)
    #expect(text.contains("## [error]x") || text.contains("\\#\\#[error]x"))
    #expect(!text.contains("##["))
    #expect(!text.contains("\n ::error::x"))
  }

  @Test(arguments: [["NO_COLOR": "1"], ["TERM": "dumb"]])
  func `who wants no colours gets none`(_ environment: [String: String]) throws {
    let text = try SampleRun.report(.pretty, environment: environment, columns: 60)
    #expect(!text.contains("\u{1B}[3"))
    #expect(text.contains("\u{1B}[K") == (environment["TERM"] == nil))
  }

  @Test(arguments: [ReportKind.pretty, .dot, .tap, .github])
  func `control characters of a script do not reach the terminal`(_ kind: ReportKind) throws {
    #expect(!(try SampleRun.report(kind).contains("\u{1B}")))
  }

  @Test func `files side by side do not mix`() throws {
    func journey(_ file: String, _ at: Double, _ kind: RunEvent.Kind) -> RunEvent {
      RunEvent(at: at, place: .init(journey: "\(file) > j", attempt: 1), kind)
    }
    var start = SampleRun.start
    start.jobs = 2
    func run(_ file: String, _ at: Double) -> [RunEvent] {
      [
        journey(file, at, .journeyStart(.init(worker: 1, file: file, line: 1, name: ["\(at)"]))),
        journey(file, at, .journeyEnd(.init(status: .passed, duration: 1))),
        journey(file, at, .journeyResult(.init(outcome: .passed, attempts: 1))),
      ]
    }
    let events =
      [
        RunEvent(at: 0, .runStart(start)), RunEvent(at: 0, .fileStart(.init(file: "a", worker: 1))),
        RunEvent(at: 0, .fileStart(.init(file: "b", worker: 2))),
      ] + run("a", 1) + run("b", 2) + run("a", 3)
      + [
        RunEvent(at: 4, .fileEnd(.init(file: "b", worker: 2, duration: 1))),
        RunEvent(at: 5, .fileEnd(.init(file: "a", worker: 1, duration: 1))),
        RunEvent(at: 6, .runEnd(.init(duration: 6, counts: [.passed: 3], exit: 0))),
      ]
    let text = try SampleRun.report(.pretty, events)
    let lines = text.split(separator: "\n").dropFirst().dropLast()
    #expect(lines == ["b", "  ✓ 2.0  1.0 ms", "a", "  ✓ 1.0  1.0 ms", "  ✓ 3.0  1.0 ms"])
  }

  @Test func `under a harness of Perl's the version is one it takes`() throws {
    #expect(try SampleRun.report(.tap).hasPrefix("TAP version 14\n"))
    #expect(
      try SampleRun.report(.tap, environment: ["HARNESS_ACTIVE": "1"]).hasPrefix("TAP version 13\n")
    )
    #expect(try SampleRun.report(.tap13).hasPrefix("TAP version 13\n"))
  }

  @Test func `the page holds every event`() throws {
    let page = try SampleRun.report(.html)
    let data = try #require(page.firstRange(of: "{\"events\":["))
    let end = try #require(page[data.upperBound...].firstRange(of: "\n]}"))
    let json = try JSON.parse(String(page[data.lowerBound..<end.upperBound]))
    #expect(json["events"]?.array == SampleRun.events.map(\.json))
    #expect(page.hasSuffix("</html>\n"))
  }

  @Test func `an archive counts phases as HAR has it`() throws {
    let har = try JSON.parse(try SampleRun.report(.har))
    let entries = try #require(har["log"]?["entries"]?.array)
    #expect(entries.count == 2)
    let timings = try #require(entries[0]["timings"])
    #expect(timings["connect"]?.number == 0.7)
    #expect(timings["ssl"]?.number == 0.4)
    #expect(entries[0]["time"]?.number == 0.1 + 0.2 + 0.7 + 0.5 + 1.5 + 0.25)
    #expect(entries[1]["timings"]?["dns"]?.number == -1)
    #expect(entries[1]["response"]?["status"]?.integer == 0)
    #expect(entries[0]["request"]?["queryString"]?[1]?["value"]?.string == "b c")
    let pages = try #require(har["log"]?["pages"]?.array)
    #expect(Set(pages.compactMap { $0["id"]?.string }).count == pages.count)
    #expect(pages.contains { $0["id"] == entries[0]["pageref"] })
  }

  @Test func `attachments are files beside a JUnit report, and lines of its test cases`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "luath-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let report = "\(folder.path)/deep/junit.xml"
    let sink = ReportKind.junit.sink(
      ReportOutput(path: report, name: "deep/junit.xml"),
      ReportSurroundings(environment: [:], columns: nil, folder: "/") { _ in 0 })
    for event in SampleRun.events { sink.take(event) }
    try sink.end()
    let text = try String(contentsOfFile: report, encoding: .utf8)
    #expect(text.contains("[[ATTACHMENT|deep/junit-attachments/0001-failed__1_.png]]\n"))
    #expect(text.contains("[[ATTACHMENT|deep/junit-attachments/0002-dump.txt]]<"))
    let files = "\(folder.path)/deep/junit-attachments"
    #expect(
      FileManager.default.contents(atPath: "\(files)/0001-failed__1_.png")
        == Data([0x89, 0x50, 0x4E, 0x47]))
    #expect(FileManager.default.contents(atPath: "\(files)/0002-dump.txt") == Data("abc…".utf8))
  }

  @Test func `an Allure folder keeps the files of others and has one result for each attempt`()
    throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for name in ["pytest-result.json", "luath-old-result.json"] {
      try "{}".write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
    }
    let sink = AllureSink(ReportOutput(path: folder.path, name: "allure"))
    for event in SampleRun.events { sink.take(event) }
    try sink.end()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.contains("pytest-result.json"))
    #expect(!names.contains("luath-old-result.json"))
    var results: [String: [JSON]] = [:]
    for name in names where name.hasPrefix("luath-") && name.hasSuffix("-result.json") {
      let bytes = try Data(contentsOf: folder.appending(path: name))
      let result = try JSON.parse(Array(bytes))
      results[result["name"]?.string ?? "", default: []].append(result)
      for attachment in result["attachments"]?.array ?? [] {
        #expect(names.contains(attachment["source"]?.string ?? ""))
      }
    }
    #expect(
      results.mapValues(\.count) == [
        "link > keeps # uid": 1, "fails": 2, "wavers": 2, "left out": 1, "to come": 1,
        "cut short": 1, "(the file)": 1, "link > never # came": 1,
      ])
    // Allure takes results of one test for retries if they share this.
    #expect(Set((results["fails"] ?? []).map { $0["historyId"]?.string }).count == 1)
    #expect(Set((results["fails"] ?? []).map { $0["uuid"]?.string }).count == 2)
    let steps = results["link > keeps # uid"]?[0]["steps"]?.array ?? []
    #expect(steps.map { $0["name"]?.string } == ["sign in"])
    #expect(steps.first?["steps"]?.array?.first?["name"]?.string == "consent")
    let exchanges = (results["fails"] ?? []).flatMap { $0["attachments"]?.array ?? [] }.filter {
      $0["type"]?.string == "application/vnd.allure.http+json"
    }
    #expect(
      exchanges.map { $0["name"]?.string } == ["accounts:signUp", "GET https://idp.example/"])
  }

  @Test func `the summary of a job is appended to what GitHub names`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    try "before\n".write(to: file, atomically: true, encoding: .utf8)
    let variables = ["GITHUB_STEP_SUMMARY": file.path]
    let annotations = try SampleRun.report(.github, environment: variables)
    #expect(annotations == (try SampleRun.report(.github)))
    #expect(
      try String(contentsOf: file, encoding: .utf8) == "before\n" + SampleRun.report(.markdown))
  }

  @Test func `a summary stays below the limit of GitHub and counts what it leaves out`() throws {
    let long = Failure(kind: .error, message: String(repeating: "`- ", count: 100_000))
    var events = [RunEvent(at: 0, .runStart(SampleRun.start))]
    for index in 0..<2000 {
      let place = EventSource(
        journey: "a.lua > \(index)" + String(repeating: "|", count: 400), attempt: 1)
      guard index < 10 else {
        let passed = RunEvent.Kind.journeyResult(.init(outcome: .passed, attempts: 1))
        events.append(RunEvent(at: 2, place: place, passed))
        continue
      }
      events += [
        RunEvent(
          at: 1, place: place,
          .journeyStart(.init(worker: 1, file: "a.lua", line: index, name: ["\(index)"]))),
        RunEvent(
          at: 2, place: place, .journeyEnd(.init(status: .failed, duration: 1, failures: [long]))),
        RunEvent(at: 2, place: place, .journeyResult(.init(outcome: .failed, attempts: 1))),
      ]
    }
    events.append(RunEvent(at: 3, .runEnd(.init(duration: 3, counts: [.failed: 10], exit: 1))))
    let text = try SampleRun.report(.markdown, events)
    #expect(text.utf8.count < 1 << 20)
    #expect(text.contains(" more failures are not shown"))
    #expect(text.contains(" more are not shown."))
  }

  @Test(arguments: [
    ("it's [1] | 2", "it|'s |[1|] || 2"), ("a\r\nb\tc", "a|r|nb|0x0009c"),
    ("é 🙂", "|0x00E9 |0xD83D|0xDE42"),
  ])
  func `values of TeamCity's messages are escaped`(_ text: String, _ escaped: String) {
    #expect(TeamCitySink.escaped(text) == escaped)
  }
}
