import Testing

@testable import Journeys

@Suite(.timeLimit(.minutes(1))) struct RunRecordTests {
  private func filled() -> RunRecord {
    var record = RunRecord()
    record.note("a.lua > one", failed: true, duration: 5)
    record.note("a.lua > \"two\" \u{1}é", failed: false, duration: 12.3456789)
    record.note("a.lua.lua > three", failed: false, duration: 7)
    return record
  }

  @Test func `a record is read back as it was written`() throws {
    let text = filled().encoded()
    let again = try RunRecord(text)
    #expect(again.failed == ["a.lua > one"])
    #expect(again.durations["a.lua > \"two\" \u{1}é"] == 12.346)
    #expect(again.encoded() == text)
  }

  @Test func `the events of a finished run are recorded, of repetitions the worst`() {
    var start = SampleRun.start
    start.repeats = 2
    let results: [(String, JourneyOutcome, Double)] = [
      ("a.lua > one", .passed, 5), ("b.lua > two", .failed, 6), ("b.lua > two (run 2)", .passed, 7),
      ("c.lua > three", .skipped, 0),
    ]
    var events = [RunEvent(at: 0, .runStart(start))]
    for (journey, outcome, duration) in results {
      let place = EventSource(journey: journey, attempt: 1)
      let status: AttemptStatus = outcome == .failed ? .failed : .passed
      events += [
        RunEvent(at: 1, place: place, .journeyEnd(.init(status: status, duration: duration))),
        RunEvent(at: 1, place: place, .journeyResult(.init(outcome: outcome, attempts: 1))),
      ]
    }
    var record = filled()
    record.note(events)
    #expect(record.failed == ["b.lua > two"])
    #expect(record.durations["a.lua > one"] == 5)
    #expect(record.durations["a.lua.lua > three"] == 7)
    #expect(record.durations["c.lua > three"] == nil)
  }

  @Test func `a journey that passes has failed no longer, and what did not run keeps its past`() {
    var record = filled()
    record.note("a.lua > four", failed: true, duration: 1)
    record.note("a.lua > one", failed: false, duration: 6)
    #expect(record.failed == ["a.lua > four"])
    #expect(record.durations["a.lua > one"] == 6)
    #expect(record.durations["a.lua > four"] == nil)
  }

  @Test func `journeys that a file has no longer are forgotten, those of other files not`() {
    var record = filled()
    record.forget(missingIn: "a.lua", having: ["a.lua > \"two\" \u{1}é"])
    #expect(record.failed.isEmpty)
    #expect(record.durations.count == 2)
  }

  @Test(
    arguments: [
      "", "{", "[]", "null", "{\"version\":1}", "{\"version\":2,\"failed\":[],\"durations\":{}}",
      "{\"version\":1,\"failed\":[1],\"durations\":{}}",
      "{\"version\":1,\"failed\":[],\"durations\":{\"a\":\"b\"}}",
      "{\"version\":1,\"failed\":[],\"durations\":{\"a\":-1}}",
      "{\"version\":1,\"failed\":[],\"durations\":{\"a\":1e300}}", "\u{0}\u{0}\u{0}",
      String(repeating: "[", count: 100_000),
    ])
  func `what is no record is refused`(text: String) {
    #expect(throws: RunRecord.Problem.self) { try RunRecord(Array(text.utf8)) }
  }
}
