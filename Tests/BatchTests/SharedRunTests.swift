@testable import System
import Synchronization
import Testing

@testable import Batch

/// What a run says of itself that several processes share.
@Suite(.timeLimit(.minutes(2))) struct SharedRunTests {
  private struct FreePace: SharedRate {
    func takeTokens(atMost count: Int) async throws(BatchProblem) -> Int { count }
    func controls() -> AsyncStream<BatchControl> { AsyncStream { $0.finish() } }
    func send(_ control: BatchControl) async throws(BatchProblem) {}
  }

  @Test func `each process knows how far the whole run came, and what it did itself`() async throws
  {
    try await EmulatedProject.run { project in
      try await project.addPeople(700)
      let journal = try await ScratchJournal(
        (0..<700).map { [link("a\($0)", "m\($0)")] })
      func begin() -> Executor {
        Executor(
          ScratchJournal.run, of: journal, settings: BatchSettings(), on: project.loop,
          shared: FreePace()
        ) { (loop) throws(BatchProblem) in try project.makeAdmin(loop) }
      }
      let (one, two) = (begin(), begin())
      async let first = one.run()
      async let second = two.run()
      let ends = try await [first, second]
      for end in ends {
        #expect(end.problem == nil)
        #expect(end.status.tally.rows.filter { $0.value != 0 } == [.done: 700])
        #expect(end.status.tally.steps == [.done: 700])
      }
      let rows = ends.compactMap { $0.own?.rows[.done] }
      #expect(rows.count == 2 && rows.allSatisfy { $0 > 0 } && rows.reduce(0, +) == 700)
      #expect(ends.compactMap { $0.own?.steps[.done] }.reduce(0, +) == 700)
      // Who works alone has nothing to tell apart.
      #expect(try await project.execute(ScratchJournal([])).own == nil)
    }
  }

  @Test func `rows that another process is claiming are waited for, and checked after they settle`()
    async throws
  {
    try await EmulatedProject.run { project in
      try await project.addPeople(2)
      let journal = try await ScratchJournal((0..<2).map { [link("a\($0)", "m\($0)")] })
      // Of the first row a process that died has left an intent without an outcome.
      journal.die(after: 1)
      #expect(try await project.execute(journal).problem != nil)
      try await journal.revive()
      // It is claimed late: the second row first, then none at all.
      journal.hold(1, calls: 2)
      var settings = BatchSettings()
      settings.settleTime = .milliseconds(300)
      let settled = Mutex<Duration?>(nil)
      let start = ContinuousClock.now
      let executor = Executor(
        ScratchJournal.run, of: journal, settings: settings, on: project.loop, shared: FreePace(),
        hear: { event in
          guard case .step("row-1", _, _, _) = event else { return }
          settled.withLock { $0 = start.duration(to: .now) }
        }
      ) { (loop) throws(BatchProblem) in try project.makeAdmin(loop) }
      let end = try await executor.run()
      #expect(end.problem == nil)
      #expect(end.status.tally.rows.filter { $0.value != 0 } == [.done: 2])
      // The process rests for a second before it claims the row.
      let found = settled.withLock { $0 }
      let time = try #require(found)
      #expect(time >= .seconds(1) + settings.settleTime)
    }
  }

  @Test(arguments: [
    Batch.Operation.update(uid: "a0", fields: ["displayName": "A"]), .delete(uid: "a0"),
    .create(account: ["uid": "new"], hash: nil),
  ]) func `a process that lost its rows between the intent and the call makes no call`(
    _ operation: Batch.Operation
  ) async throws {
    try await EmulatedProject.run { project in
      try await project.addPeople(1)
      let before = try await project.export()
      let journal = try await ScratchJournal([[operation]])
      journal.loseRows(after: 1)
      let end = try await project.execute(journal)
      #expect(end.problem?.code == .inUse)
      #expect(try await journal.steps().map(\.outcome?.result) == [nil])
      #expect(try await project.export() == before)
    }
  }

  /// Counts the permits that are taken, and lets the run pause at the first.
  private final class CountedPace: SharedRate {
    let taken = Mutex(0)
    let pause = Mutex<(@Sendable () async -> Void)?>(nil)

    func takeTokens(atMost count: Int) async throws(BatchProblem) -> Int {
      await pause.withLock { $0.take() }?()
      taken.withLock { $0 += count }
      return count
    }
    func controls() -> AsyncStream<BatchControl> { AsyncStream { $0.finish() } }
    func send(_ control: BatchControl) async throws(BatchProblem) {}
  }

  @Test func `a paused run takes no permits, which it would use at once when it goes on`()
    async throws
  {
    try await EmulatedProject.run { project in
      try await project.addPeople(200)
      let journal = try await ScratchJournal((0..<200).map { [link("a\($0)", "m\($0)")] })
      let pace = CountedPace()
      let executor = Executor(
        ScratchJournal.run, of: journal, settings: BatchSettings(), on: project.loop, shared: pace
      ) { (loop) throws(BatchProblem) in try project.makeAdmin(loop) }
      pace.pause.withLock { $0 = { await executor.control(.pause) } }
      async let end = executor.run()
      while pace.taken.withLock({ $0 }) == 0 { await Task.yield() }
      // Time enough for all rows to be looked up.
      for _ in 0..<50 { _ = try await project.log("lookup") }
      let taken = pace.taken.withLock { $0 }
      await executor.control(.resume)
      #expect(try await end.status.tally.rows[.done] == 200)
      #expect(taken == 16)
    }
  }

  private struct AwayPace: SharedRate {
    let outage: JournalOutage?
    func takeTokens(atMost count: Int) async throws(BatchProblem) -> Int { count }
    func controls() -> AsyncStream<BatchControl> { AsyncStream { $0.finish() } }
    func send(_ control: BatchControl) async throws(BatchProblem) {}
  }

  @Test func `a run tells since when its journal is away, and until when it is tried`() async throws
  {
    try await EmulatedProject.run { project in
      let outage = JournalOutage(since: 1_893_456_000_000, until: 1_893_456_120_000)
      let journal = try await ScratchJournal([])
      let executor = Executor(
        ScratchJournal.run, of: journal, settings: BatchSettings(), on: project.loop,
        shared: AwayPace(outage: outage)
      ) { (loop) throws(BatchProblem) in try project.makeAdmin(loop) }
      let status = await executor.status
      #expect(status.outage == outage)
      #expect(
        status.json["journalAway"] == [
          "since": "2030-01-01T00:00:00.000Z", "until": "2030-01-01T00:02:00.000Z",
        ])
    }
  }

  @Test func `the rates after a pause do not count its time`() {
    var start = BatchTally()
    start.rows = [.waiting: 100]
    var meter = BatchMeter(start)
    meter.claimed(40)
    for _ in 0..<20 { meter.ended(RowState.done, at: .seconds(1)) }
    #expect(meter.status(at: .seconds(2)).rowRate == 10)
    meter.restart(at: .seconds(7))
    #expect(meter.status(at: .seconds(7)).secondsLeft == nil)
    for _ in 0..<20 { meter.ended(RowState.done, at: .seconds(8)) }
    let status = meter.status(at: .seconds(9))
    #expect(status.rowRate == 10)
    #expect(status.secondsLeft == 6)
  }

  @Test func `a look at the whole run loses nothing that is done meanwhile`() {
    var start = BatchTally()
    start.rows = [.waiting: 100]
    var meter = BatchMeter(start)
    meter.claimed(10)
    for _ in 0..<3 { meter.ended(RowState.done, at: .seconds(1)) }
    meter.beginLook()
    meter.claimed(5)
    meter.ended(RowState.done, at: .seconds(2))
    meter.ended(RowState.failed, at: .seconds(2))
    // What the journal said when the look began: three of these rows, and twenty of others.
    var whole = BatchTally()
    whole.rows = [.waiting: 60, .claimed: 17, .done: 23]
    meter.endLook(whole, at: .seconds(2))
    let status = meter.status(at: .seconds(2))
    #expect(status.tally.rows == [.waiting: 55, .claimed: 20, .done: 24, .failed: 1])
    #expect(status.ended == 25)
    #expect(status.total == 100)
    // Five rows of this process and twenty of others in two seconds.
    #expect(status.rowRate == 12.5)
    #expect(meter.own.rows == [.done: 4, .failed: 1])
    #expect(meter.finished == 5)
  }
}
