@testable import Host
import Testing

@testable import Journeys

@Suite(.timeLimit(.minutes(1))) struct OutcomeBookTests {
  private func journey(_ name: String) -> PlannedJourney {
    PlannedJourney(id: "a > \(name)", index: 1, name: [name], file: "a", line: 1)
  }

  private func file(_ journeys: [PlannedJourney]) -> PlannedFile {
    PlannedFile(script: Script(text: [], name: "a", folder: "."), journeys: journeys)
  }

  private func tell(_ masker: OutcomeBook, _ id: String, _ outcome: JourneyOutcome) {
    let place = EventSource(journey: id, attempt: 1)
    let status = AttemptStatus(rawValue: outcome.rawValue) ?? .passed
    masker.take(
      RunEvent(at: 0, place: place, .journeyEnd(JourneyEnd(status: status, duration: 7))))
    masker.take(
      RunEvent(at: 0, place: place, .journeyResult(JourneyResult(outcome: outcome, attempts: 1))))
  }

  @Test(
    arguments: [
      (JourneyOutcome.passed, false), (.flaky, false), (.failed, true), (.skipped, true),
      (.pending, true), (.interrupted, true),
    ])
  func `only what ran to its end changes the record`(outcome: JourneyOutcome, stays: Bool) {
    var record = RunRecord()
    record.note("a > one", failed: true, duration: 1)
    let masker = OutcomeBook()
    tell(masker, "a > one", outcome)
    record.note(masker, declared: [file([journey("one")])], chosen: [file([journey("one")])])
    #expect(record.failed.contains("a > one") == stays)
    #expect(record.durations["a > one"] == (stays ? nil : 7))
  }

  @Test func `one failure among repetitions is a failure, whenever it came`() {
    for failing in 1...3 {
      var record = RunRecord()
      let masker = OutcomeBook()
      let runs = (1...3).map { journey("one").repeated($0) }
      for (index, run) in runs.enumerated() {
        tell(masker, run.id, index + 1 == failing ? .failed : .passed)
      }
      record.note(masker, declared: [file([journey("one")])], chosen: [file(runs)])
      #expect(record.failed == ["a > one"])
    }
  }

  @Test func `a shard notes failures, and leaves durations to whole runs`() {
    var record = RunRecord()
    record.note("a > one", failed: false, duration: 1)
    let masker = OutcomeBook()
    tell(masker, "a > one", .failed)
    tell(masker, "a > two", .passed)
    let files = [file([journey("one"), journey("two")])]
    record.note(masker, declared: files, chosen: files, keepsDurations: true)
    #expect(record.failed == ["a > one"])
    #expect(record.durations == ["a > one": 1])
  }

  @Test func `a file that did not load keeps its past`() {
    var record = RunRecord()
    record.note("a > one", failed: true, duration: 1)
    var broken = file([])
    broken.failure = Failure(kind: .error, message: "no")
    record.note(OutcomeBook(), declared: [broken], chosen: [broken])
    #expect(record.failed == ["a > one"])
    record.note(OutcomeBook(), declared: [file([])], chosen: [])
    #expect(record.failed.isEmpty)
  }
}
