@testable import HTTP
@testable import System
import Testing

@testable import Journeys

@Suite(.timeLimit(.minutes(1))) struct LoadReportTests {
  private func report(
    rate: Double? = nil, thresholds: [String] = [], _ fill: (inout LoadTally) -> Void
  ) throws -> LoadReport {
    var tally = LoadTally()
    fill(&tally)
    return LoadReport(
      LoadReport.Setup(
        luath: "1", started: "2026-01-01T00:00:00Z",
        target: RunStart.Target(name: "emulator", projectID: "demo-luath", isEmulated: true),
        files: ["a.lua"], vus: 2,
        rate: rate, model: rate == nil ? .closed : .open, seed: 5, planned: 2000),
      tally, duration: 2000, wasInterrupted: false,
      thresholds: try thresholds.map { text throws in try Threshold(text) })
  }

  private static let journey = LoadSubject(journey: "a", file: "a.lua", line: 3)

  private func fill(_ tally: inout LoadTally) {
    for number in 0..<100 {
      let now = Double(number) * 20
      tally.begin(at: now)
      tally.request("signUp", at: now + 5, duration: 5, failed: false)
      tally.step("sign up", of: Self.journey, duration: 6, failed: false)
      tally.end(
        Self.journey, at: now + 7, duration: 7, lateness: 30,
        error: number < 5 ? "values differ" : nil)
    }
  }

  @Test func `what a late user waited counts once, in the journey`() throws {
    let json = try report(rate: 50, fill).json
    let groups = try #require(json["groups"]?.array)
    #expect(groups.map { $0["kind"]?.string } == ["journey", "step", "endpoint"])
    #expect(groups.map { $0["latency"]?["max"]?.number } == [37, 6, 5])
    #expect(groups.map { $0["service"]?["max"]?.number } == [7, 6, 5])
    #expect(groups[0]["failed"]?.integer == 5)
    #expect(groups[1]["journey"]?.string == "a")
    #expect(json["journeys"]?["startDelay"]?["p99"]?.number == 30)
    #expect(json["requests"]?["latency"]?["max"]?.number == 5)
    #expect(json["model"]?.string == "open")
    #expect(json["journeys"]?["perSecond"]?.number == 50)
    #expect(json["errors"]?[0]?["count"]?.integer == 5)
    let bars = try #require(groups[2]["bars"]?.array)
    #expect(bars.reduce(0) { $0 + ($1[1]?.integer ?? 0) } == 100)
  }

  @Test func `what fails at the end of a file counts as an error`() throws {
    func report(_ limits: [String]) throws -> LoadReport {
      try self.report(thresholds: limits) { tally in
        tally.begin(at: 0)
        tally.end(Self.journey, at: 1, duration: 1, lateness: 0, error: nil)
        tally.end("a.lua", failedWith: "afterAll: no")
      }
    }
    #expect(try !report([]).isGood && report([]).failed == 1)
    #expect(try !report(["errors<1%"]).isGood && report(["errors<=100%"]).isGood)
    #expect(try report([]).json["errors"]?[0]?["message"]?.string == "afterAll: no")
  }

  @Test func `each second has its own figures, also after it was closed`() throws {
    let report = try report { tally in
      for second in 0..<5 {
        for _ in 0...second {
          tally.begin(at: Double(second) * 1000)
          tally.request(
            "x", at: Double(second) * 1000 + 1, duration: Double(second + 1),
            failed: second == 3)
        }
      }
    }
    let timeline = try #require(report.json["timeline"]?.array)
    #expect(timeline.map { $0["requests"]?.integer } == [1, 2, 3, 4, 5])
    #expect(timeline.map { $0["max"]?.number } == [1, 2, 3, 4, 5])
    #expect(timeline.map { $0["failedRequests"]?.integer } == [0, 0, 0, 4, 0])
    #expect(timeline.map { $0["active"]?.integer } == [1, 3, 6, 10, 15])
    #expect(report.tally.seconds[0].histogram.count == 0)
  }

  @Test(
    arguments: [
      ("p95<37.5ms", true), ("p95<36ms", false), ("errors<=5%", true), ("errors<5%", false),
      ("rate>=50", true), ("rate>50", false), ("signUp:p99<6ms", true), ("signUp:p99<4ms", false),
      ("startDelay:p50>29ms", true), ("startDelay:max<=29ms", false), ("sign up:mean<7ms", true),
      ("requests:errors<=0%", true), ("nothing:p95<1s", false),
      ("nothing:p95>0s", false),
    ])
  func `a threshold is judged by its figure`(text: String, isMet: Bool) throws {
    let verdict = try #require(try report(thresholds: [text], fill).verdicts.first)
    #expect(verdict.isMet == isMet)
  }

  @Test func `what never began counts as errors, and with what it waited`() throws {
    let limits = [
      "errors<=50%", "errors<50%", "dropped>=47%", "dropped>48%", "p50<37.5ms", "p90<1s",
    ]
    let report = try report(rate: 50, thresholds: limits) { tally in
      fill(&tally)
      tally.drop(90, waited: 1500)
    }
    #expect(report.verdicts.map(\.isMet) == [true, false, true, false, true, false])
    #expect(report.dropped == 90)
    #expect(report.ended == 100)
    #expect(report.json["journeys"]?["dropped"]?.integer == 90)
    #expect(report.json["journeys"]?["latency"]?["max"]?.number == 1500)
    #expect(report.text.contains("90 were due and never began"))
  }

  @Test func `a journey of the warm-up or one that was interrupted has no figures`() throws {
    let report = try report { tally in
      tally.begin(at: nil)
      tally.begin(at: 100)
      tally.begin(at: 200)
      tally.leave(wasInterrupted: false)
      tally.leave(wasInterrupted: true)
      tally.end(Self.journey, at: 300, duration: 200, lateness: 0, error: nil)
    }
    #expect(report.tally.active == 0)
    #expect(report.json["journeys"]?["begun"]?.integer == 2)
    #expect(report.json["journeys"]?["ended"]?.integer == 1)
    #expect(report.json["journeys"]?["interrupted"]?.integer == 1)
    #expect(report.json["timeline"]?[0]?["active"]?.integer == 0)
    #expect(report.text.contains("1 were interrupted"))
  }

  @Test func `a run that a missed limit ended has failed, whatever its last figures are`() throws {
    var report = try report(thresholds: ["errors<=100%"], fill)
    #expect(report.isGood)
    report.abortedBy = try Threshold("errors<1%")
    #expect(!report.isGood)
    #expect(report.json["abortedBy"]?.string == "errors<1%")
    #expect(report.text.contains("ended early, because the limit errors<1% was missed\n"))
  }

  @Test func `the phases of requests have figures, and connecting only where it happened`() throws {
    let report = try report(thresholds: ["requests.blocked:max<=2ms", "requests.wait:max<1ms"]) {
      tally in
      var timings = HTTPTimings(blocked: 2000, wait: 5000, receive: 1000)
      tally.request("x", at: 0, duration: 8, failed: false, timings: timings)
      timings.nameLookup = 1000
      timings.connect = 3000
      timings.blocked = nil
      tally.request("x", at: 0, duration: 10, failed: false, timings: timings)
      tally.request("x", at: 0, duration: 1, failed: true)
    }
    let phases = try #require(report.json["requests"]?["phases"])
    #expect(phases["blocked"]?["max"]?.number == 2 && phases["blocked"]?["min"]?.number == 0)
    #expect(phases["connect"]?["min"]?.number == 4 && phases["wait"]?["mean"]?.number == 5)
    #expect(phases["receive"]?["p99"]?.number == 1)
    #expect(report.verdicts.map(\.isMet) == [true, false])
    #expect(report.text.contains("waited for a connection for"))
  }

  @Test func `the text shows as many rows as a person reads`() throws {
    let report = try report { tally in
      for number in 0..<50 {
        for _ in 0..<(number == 49 ? 2 : 1) {
          tally.request("GET /\(number)", at: 0, duration: 1, failed: false)
        }
      }
    }
    #expect(report.text.contains("and 20 other endpoints; --report has them all\n"))
    #expect(report.text.contains("GET /28 "))
    #expect(!report.text.contains("GET /29 "))
    #expect(report.text.contains("GET /49 "))
  }

  @Test func `the text says what happened`() throws {
    let text = try report(thresholds: ["p95<300ms", "nothing:p95<1s"], fill).text
    #expect(text.contains("journeys  100 ended, 5 failed, 50.0 a second\n"))
    #expect(text.contains("requests  100 ended, 0 failed, 50.0 a second\n"))
    #expect(text.contains("  5 x values differ\n"))
    #expect(text.contains("  met     p95<300ms: 37.0ms\n"))
    #expect(text.contains("  missed  nothing:p95<1s: nothing of this name was seen\n"))
  }

  /// The tests of a report: id, how it ended, and the message of its failure.
  private func tests(_ report: LoadReport) -> [[String]] {
    report.events(exit: 1).compactMap { event in
      guard case .journeyEnd(let end) = event.kind else { return nil }
      return [event.place?.journey ?? "", end.status.rawValue]
        + end.failures.map { "\($0.file ?? ""):\($0.line ?? 0): \($0.message)" }
    }
  }

  @Test func `as tests, journeys have their own files and failures`() throws {
    let made = try report(thresholds: ["p95<1us"]) { tally in
      for (file, error) in [("a.lua", nil), ("b.lua", "one"), ("b.lua", "two")] {
        tally.begin(at: 0)
        tally.end(
          LoadSubject(journey: "same", file: file, line: 7), at: 1, duration: 1, lateness: 0,
          error: error)
      }
      tally.end("b.lua", failedWith: "afterAll: no")
    }
    #expect(
      tests(made) == [
        ["a.lua > threshold p95<1us", "failed", "a.lua:0: missed p95<1us: 1.00ms"],
        ["a.lua > same", "passed"],
        ["b.lua > same", "failed", "b.lua:7: 2 of 2 failed:\n1 x one\n1 x two"],
        ["b.lua > the end of the file", "failed", "b.lua:0: 1 failed:\n1 x afterAll: no"],
      ])
    #expect(made.text.contains("\n  a.lua > same") || made.text.contains("\na.lua > same "))
    #expect(made.json["groups"]?[1]?["file"]?.string == "b.lua")
  }

  @Test func `as tests, failures within a limit pass, and an interrupted run does not`() throws {
    let allowed = try report(thresholds: ["errors<=5%"], fill)
    #expect(tests(allowed).map { $0[1] } == ["passed", "passed"])
    let stopped = LoadReport(
      allowed.setup, allowed.tally, duration: 1, wasInterrupted: true, thresholds: [])
    #expect(tests(stopped).last == ["a.lua > the whole duration", "interrupted"])
  }

  @Test func `a run in which nothing happened is a report as well`() throws {
    let report = try report(thresholds: ["p95<300ms"]) { _ in }
    #expect(report.json["groups"]?.array?.isEmpty == true)
    #expect(report.text.contains("0 ended"))
  }

  @Test func `names made from data do not fill the memory`() throws {
    let report = try report { tally in
      for number in 0..<5000 {
        tally.begin(at: 0)
        tally.end(
          LoadSubject(.journey, "journey \(number)"), at: 1, duration: 1, lateness: 0,
          error: "error \(number)")
      }
    }
    #expect(report.groups.count <= 1001)
    #expect(report.errors.count <= 101)
    #expect(report.errors.reduce(0) { $0 + $1.value } == 5000)
    #expect(report.groups.reduce(0) { $0 + (report.tally.figures[$1]?.count ?? 0) } == 5000)
  }
}
