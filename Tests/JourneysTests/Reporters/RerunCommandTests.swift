import System
import Testing

@testable import Journeys

/// The commands that run failures again.
@Suite struct RerunCommandTests {
  private func record(
    _ name: [String], file: String = "a_journey.lua", sharesLine: Bool = false
  ) -> JourneyRecord {
    var record = JourneyRecord(([file] + name).joined(separator: " > "))
    record.file = file
    record.name = name
    record.line = 7
    record.sharesLine = sharesLine
    return record
  }

  @Test func `a journey is selected by its line, and by its name when it shares the line`() {
    let command = RerunCommand(["--target=staging", "--fault=503=5%"])
    #expect(
      command.text(for: record(["x"]))
        == "luath test a_journey.lua:7 --target=staging --fault=503=5%")
    #expect(
      RerunCommand().text(for: record(["block", "it's * \"10\""], sharesLine: true))
        == #"luath test a_journey.lua:7 --select '"block > it'\''s \* \"10\""'"#)
    #expect(RerunCommand().text(forFile: "my tests/b.lua") == "luath test 'my tests/b.lua'")
    #expect(RerunCommand().text(forFile: "-x.lua") == "luath test ./-x.lua")
    #expect(RerunCommand().text(forFile: "a\nb.lua") == nil)
  }

  @Test(
    arguments: [
      ["case 1"], ["a", "b"], ["it's"], ["say \"hi\""], ["50% * ?"], ["back\\slash"], ["$HOME `x`"],
      ["two\nlines"], ["##[error] x"], ["ünï 😀"], ["not"], ["(a) and #b"], ["a\\"], ["\\\""],
      ["tab\there"], [" "],
    ])
  func `the expression matches that name only`(_ name: [String]) throws {
    let whole = name.joined(separator: " > ")
    let text = RerunCommand.expression(matching: whole)
    let expression = try SelectionExpression(text)
    func takes(_ name: [String]) -> Bool {
      expression.takes(PlannedJourney(id: "i", index: 1, name: name, file: "f", line: 1))
    }
    #expect(takes(name), "\(text)")
    #expect(!takes([whole + "0"]) && !takes(["x" + whole]) && !takes([String(whole.dropLast())]))
    // A report's line must not change it.
    #expect(text.inOneLine == text)
  }

  @Test(
    arguments: [
      ("plain-1_a.lua:7", "plain-1_a.lua:7"), ("", "''"), ("a b", "'a b'"), ("a'b", #"'a'\''b'"#),
      ("$(x)", "'$(x)'"), ("~", "'~'"), ("*", "'*'"), ("ü", "'ü'"),
    ])
  func `words are quoted for a shell`(word: String, quoted: String) {
    #expect(RerunCommand.quoted(word) == quoted)
  }

  // MARK: The end of a run

  private func journey(
    _ name: String, _ attempts: [(AttemptStatus, [Failure])], duration: Double = 1,
    outcome: JourneyOutcome
  ) -> [RunEvent] {
    let place = { EventSource(journey: "a_journey.lua > \(name)", attempt: $0) }
    var events: [RunEvent] = []
    for (index, (status, failures)) in attempts.enumerated() {
      events.append(
        RunEvent(
          at: 0, place: place(index + 1),
          .journeyStart(JourneyStart(worker: 1, file: "a_journey.lua", line: 3, name: [name]))))
      events.append(
        RunEvent(
          at: 0, place: place(index + 1),
          .journeyEnd(
            JourneyEnd(
              status: status, duration: duration, failures: failures,
              willRetry: index + 1 < attempts.count))))
    }
    events.append(
      RunEvent(
        at: 0, place: place(attempts.count),
        .journeyResult(JourneyResult(outcome: outcome, attempts: attempts.count))))
    return events
  }

  private func report(_ kind: ReportKind, _ events: [RunEvent]) throws -> String {
    let start = RunEvent(at: 0, .runStart(SampleRun.start))
    let end = RunEvent(at: 9, .runEnd(RunEnd(duration: 9, counts: [:], exit: 1)))
    return try SampleRun.report(kind, [start] + events + [end])
  }

  private static let no = Failure(kind: .error, message: "no", file: "a_journey.lua", line: 4)
  private static let other = Failure(kind: .error, message: "other", file: "a_journey.lua", line: 4)

  @Test(arguments: [ReportKind.pretty, .dot])
  func `equal attempts are shown once`(_ kind: ReportKind) throws {
    let text = try report(
      kind,
      journey(
        "fails",
        [
          (.failed, [Self.no]), (.failed, [Self.no]), (.failed, [Self.other]), (.failed, [Self.no]),
        ],
        outcome: .failed))
    #expect(text.contains("  attempts 1 to 2, each:\n  a_journey.lua:4: no\n"))
    #expect(text.contains("  attempt 3:\n  a_journey.lua:4: other\n"))
    #expect(text.contains("  attempt 4:\n  a_journey.lua:4: no\n"))
    #expect(text.contains("\nrun again:\n  luath test a_journey.lua:3\n"))
  }

  @Test func `a long run lists its slowest journeys, a short or quick one does not`() throws {
    func run(_ count: Int, _ duration: Double, _ kind: ReportKind = .pretty) throws -> Bool {
      let events = (1...count).flatMap {
        journey("j\($0)", [(.passed, [])], duration: duration + Double($0), outcome: .passed)
      }
      let text = try report(kind, events)
      if text.contains("slowest") {
        #expect(
          text.contains(
            "\nslowest journeys:\n  \(Milliseconds.text(duration + Double(count)))  "
              + "a_journey.lua > j\(count)\n"))
        #expect(text.ranges(of: "a_journey.lua > j").count == 3)
      }
      return text.contains("slowest")
    }
    #expect(try run(10, 600))
    #expect(try !run(9, 600))
    #expect(try !run(30, 100))
    #expect(try !run(10, 600, .dot))
  }

  @Test func `more than ten failures are one line that repeats them all`() throws {
    let events = (1...12).flatMap { number in
      journey("j\(number)", [(.failed, [Self.no])], outcome: .failed).map { event in
        guard case .journeyStart(var start) = event.kind else { return event }
        start.line = number
        return RunEvent(at: 0, place: event.place, .journeyStart(start))
      }
    }
    let text = try report(.dot, events)
    #expect(text.ranges(of: "  luath test a_journey.lua:").count == 10)
    #expect(text.contains("all 12 journeys: repeat the command with --last-failed"))
  }

  @Test func `GitHub gets ten annotations at most, errors first`() throws {
    let flaky = journey("wavers", [(.failed, [Self.other]), (.passed, [])], outcome: .flaky)
    let failures = (1...12).flatMap {
      journey("j\($0)", [(.failed, [Self.no]), (.failed, [Self.no])], outcome: .failed)
    }
    let text = try report(.github, flaky + failures)
    let lines = text.split(separator: "\n")
    #expect(lines.filter { $0.hasPrefix("::") }.count == 10)
    #expect(lines.filter { $0.hasPrefix("::error") }.count == 9)
    #expect(lines.last?.hasSuffix("4 more messages are in the log of this step") == true)
    #expect(text.contains("\nj12: a_journey.lua:4: no\n") && text.contains("\nwavers: "))
    let few = try report(.github, flaky + journey("j", [(.failed, [Self.no])], outcome: .failed))
    #expect(few.hasPrefix("::error ") && few.contains("\n::warning ") && !few.contains("more"))
  }
}
