@testable import System
import Testing

@testable import Journeys

@Suite struct EventMergeTests {
  /// A shard that runs one journey, begun some milliseconds after eight o'clock.
  private func shard(
    _ index: Int, of count: Int? = 2, at delay: Int64 = 0, journey: String? = nil,
    outcome: JourneyOutcome = .passed, exit: Int = 0, lines: Range<Int>? = nil,
    sharing all: Int? = nil, change: (inout RunStart) -> Void = { _ in }
  ) throws -> EventFile {
    var start = SampleRun.start
    change(&start)
    let moment = try #require(Timestamp.milliseconds(of: start.started))
    start.started = Timestamp.text(milliseconds: moment + delay)
    start.shard = count.map { .init(index: index, count: $0, isShared: all != nil) }
    let file = "\(index).lua"
    start.files = [file]
    start.journeys = all ?? 1
    let place = EventSource(journey: journey ?? "\(file) > j", attempt: 1)
    let begin = JourneyStart(worker: 1, file: file, line: 1, name: ["j"])
    let status: AttemptStatus = outcome == .passed ? .passed : .failed
    let events: [RunEvent] = [
      RunEvent(at: 0, .runStart(start)), RunEvent(at: 1, .fileStart(.init(file: file, worker: 1))),
      RunEvent(at: 2, place: place, .journeyStart(begin)),
      RunEvent(
        at: 3, place: .init(journey: place.journey, attempt: 1, step: 1),
        .stepStart(.init(name: "s"))),
      RunEvent(at: 9, place: place, .exchange(SampleRun.exchange)),
      RunEvent(
        at: 10, place: .init(journey: place.journey, attempt: 1, step: 1),
        .stepEnd(.init(status: .passed, duration: 1))),
      RunEvent(at: 11, place: place, .journeyEnd(.init(status: status, duration: 9))),
      RunEvent(at: 12, place: place, .journeyResult(.init(outcome: outcome, attempts: 1))),
      RunEvent(at: 13, .fileEnd(.init(file: file, worker: 1, duration: 12))),
      RunEvent(at: 14, .runEnd(.init(duration: 14, counts: [outcome: 1], exit: exit))),
    ]
    let text = events[lines ?? 0..<events.count].map { $0.json.encoded() + "\n" }.joined()
    return try EventFile(name: "\(index).ndjson", content: Array(text.utf8))
  }

  private func end(_ merge: EventMerge) throws -> RunEnd {
    guard case .runEnd(let end)? = merge.events.last?.kind else { throw Missing() }
    return end
  }

  private func start(_ merge: EventMerge) throws -> RunStart {
    guard case .runStart(let start)? = merge.events.first?.kind else { throw Missing() }
    return start
  }

  private struct Missing: Error {}

  @Test func `shards become one run by the clock of the earliest`() throws {
    let merge = try EventMerge([
      shard(2, at: 5, outcome: .failed, exit: 1), shard(1),
    ])
    #expect(merge.gaps == [])
    let start = try start(merge)
    #expect(start.started == SampleRun.start.started)
    #expect(start.shard == nil)
    #expect(start.journeys == 2)
    #expect(start.jobs == 2)
    #expect(start.files == ["2.lua", "1.lua"])
    let end = try end(merge)
    #expect(end.counts == [.passed: 1, .failed: 1])
    #expect(end.exit == 1)
    #expect(end.duration == 19)
    #expect(merge.events.count == 18)
    let times = merge.events.filter { $0.name != "http" }.map(\.at)
    #expect(times == times.sorted())
    let workers = merge.events.compactMap { event -> Int? in
      guard case .journeyStart(let start) = event.kind else { return nil }
      return start.worker
    }
    #expect(Set(workers) == [1, 2])
  }

  @Test func `of shards that share their journeys, each result counts, not each shard`() throws {
    let all = try EventMerge([shard(1, of: 3, sharing: 2), shard(3, of: 3, sharing: 2)])
    #expect(all.gaps == [])
    #expect(try start(all).journeys == 2)
    let part = try EventMerge([shard(3, of: 3, sharing: 3)])
    #expect(part.gaps.count == 1)
    #expect(part.gaps[0].hasPrefix("2 journeys have no result: "))
  }

  @Test func `what a killed shard ran counts where it ran again`() throws {
    let killed = try shard(2, of: 2, journey: "1.lua > j", lines: 0..<6, sharing: 1)
    let merge = try EventMerge([killed, shard(1, of: 2, sharing: 1)])
    #expect(merge.gaps == [])
    #expect(try end(merge).counts == [.passed: 1])
    let alone = try EventMerge([killed])
    #expect(alone.gaps.count == 2)
    #expect(try end(alone).counts == [.interrupted: 1])
  }

  @Test func `shards that share journeys are not joined with fixed ones`() throws {
    #expect(throws: EventFileError.self) {
      try EventMerge([shard(1), shard(2, sharing: 2)])
    }
  }

  @Test func `a journey that is in both keeps its id in the first only`() throws {
    let merge = try EventMerge([shard(1, journey: "x > j"), shard(2, at: 3, journey: "x > j")])
    let ids = merge.events.filter { $0.name == "journey.result" }.compactMap(\.place?.journey)
    #expect(ids == ["x > j", "x > j #2"])
    #expect(merge.events.filter { $0.place?.journey == "x > j" }.count == 6)
  }

  @Test func `a shard that is missing or doubled is told of`() throws {
    #expect(try EventMerge([shard(1, of: 3), shard(3, of: 3)]).gaps == ["shard 2 of 3 is missing"])
    #expect(
      try EventMerge([shard(1), shard(1)]).gaps
        == ["shard 1 of 2 is there 2 times", "shard 2 of 2 is missing"])
    #expect(try EventMerge([shard(1)]).gaps == ["shard 2 of 2 is missing"])
    #expect(try EventMerge([shard(1)], needsAllShards: false).gaps == [])
    #expect(try EventMerge([shard(1, of: nil), shard(2, of: nil)]).gaps == [])
  }

  @Test func `shards of different runs are refused`() throws {
    func problem(_ count: Int = 2, _ change: (inout RunStart) -> Void) -> String? {
      let error = #expect(throws: EventFileError.self) {
        try EventMerge([shard(1), shard(2, of: count, change: change)])
      }
      #expect(error?.file == "2.ndjson")
      return error?.message
    }
    let start = "it is no shard of the run of 1.ndjson: "
    #expect(problem(3) { _ in } == start + "shards 3 instead of 2")
    #expect(
      problem {
        $0.seed = 7
        $0.repeats = 3
      } == start + "repeat 3 instead of 1, seed 7 instead of 42")
    #expect(
      problem { $0.target.isEmulated = false }
        == start + "target a real project instead of an emulator")
  }

  @Test func `what may be of another run is told of`() throws {
    func doubts(_ count: Int? = 2, _ change: (inout RunStart) -> Void) throws -> [String] {
      try EventMerge([shard(1), shard(2, of: count, change: change)]).doubts
    }
    let start = "2.ndjson may be of another run than 1.ndjson: "
    #expect(try doubts { _ in } == [])
    #expect(
      try doubts {
        $0.arguments = ["test", "--shuffle", "--shard", "2/2"]
        $0.seed = 9
      } == [])
    #expect(
      try doubts {
        $0.luath = "9.9.9"
        $0.arguments += ["--select", "slow", "--name=Ada", "--last-failed"]
      } == [
        start + "luath 9.9.9 instead of 0.1.0, --select 'slow' instead of none, "
          + "--name 'Ada' instead of none, --last-failed given instead of none"
      ])
    #expect(
      try doubts(nil) { $0.seed = 7 }
        == [start + "seed 7 instead of 42, shard none instead of given"])
  }

  @Test(arguments: 1...9)
  func `what a killed run left open ends as interrupted`(_ count: Int) throws {
    let merge = try EventMerge([shard(1), shard(2, lines: 0..<count)])
    #expect(merge.gaps.count == 1)
    let end = try end(merge)
    #expect(end.wasInterrupted)
    #expect(end.exit == 130)
    let began = merge.events.filter { $0.name == "journey.start" }.count
    #expect(end.counts.values.reduce(0, +) == began)
    let isOpen = (3..<8).contains(count)
    #expect((end.counts[.interrupted] ?? 0) == (isOpen ? 1 : 0))
    for (first, last) in [("file.start", "file.end"), ("step.start", "step.end")] {
      let firsts = merge.events.filter { $0.name == first }.count
      #expect(merge.events.filter { $0.name == last }.count == firsts)
    }
    #expect(merge.events.filter { $0.name == "journey.end" }.count == began)
  }

  @Test(arguments: [
    ([0, 0], 0), ([0, 1], 1), ([1, 3], 3), ([5, 0], 0), ([5, 5], 5), ([1, 130], 130), ([5, 1], 1),
  ])
  func `the gravest answer counts`(_ exits: [Int], _ whole: Int) throws {
    let merge = try EventMerge([shard(1, exit: exits[0]), shard(2, exit: exits[1])])
    #expect(try end(merge).exit == whole)
  }

  @Test func `reports of what is joined are complete`() throws {
    let merge = try EventMerge([shard(1), shard(2, outcome: .failed, exit: 1)])
    let tap = try SampleRun.report(.tap, merge.events)
    #expect(tap.contains("ok 1 - 1.lua > j\n") && tap.contains("not ok 2 - 2.lua > j\n"))
    #expect(tap.hasSuffix("1..2\n"))
    let again = try EventFile(
      name: "all", content: Array(try SampleRun.report(.json, merge.events).utf8))
    #expect(again.events.count == merge.events.count)
    #expect(try EventMerge([again]).gaps == [])
  }
}
