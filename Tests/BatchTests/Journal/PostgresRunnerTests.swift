@testable import System
import Storage
import Glibc
import Testing

@testable import Batch

/// Who has the rows, of several processes that share a journal, when one of them dies or is slow.
@Suite(
  .timeLimit(.minutes(3)),
  .enabled(if: PostgresServer.isInstalled, "Debian's package postgresql is missing"))
struct PostgresRunnerTests {
  private let first = BatchRun(number: 1, kind: .run)

  @Test func `rows of a process that was killed are taken over`() async throws {
    let url = try await PostgresServer.shared.url()
    await #expect(processExitsWith: .signal(SIGKILL)) { [url = url.reveal() as String] in
      let journal = try await PostgresJournal.open(
        url: Secret(url), key: nil, plan: JournalFixture.plan(count: 5),
        lease: .milliseconds(700), patience: .seconds(5))
      let run = BatchRun(number: 1, kind: .run)
      _ = try await journal.claim(run, atMost: 3)
      try await journal.intend(run, JournalFixture.intent(2))
      kill(getpid(), SIGKILL)
    }
    // A new runner is not refused, and the plan is not loaded again.
    let journal = try await PostgresJournal.open(url, JournalFixture.plan([]))
    var rows: [ClaimedRow] = []
    while rows.count < 5 {
      rows += try await journal.claim(first, atMost: 5)
      // The rest comes when the dead process's lease is over.
      try await Task.sleep(for: .milliseconds(50))
    }
    let sorted = rows.sorted { $0.row.number < $1.row.number }
    #expect(sorted.map(\.row.number) == [1, 2, 3, 4, 5])
    #expect(sorted.map(\.steps.count) == [0, 1, 0, 0, 0])
    #expect(sorted[1].steps[0].outcome == nil)
    await journal.close()
  }

  @Test func `rows of a process whose connection is gone are taken over before its lease is over`()
    async throws
  {
    let url = try await PostgresServer.shared.url()
    await #expect(processExitsWith: .signal(SIGKILL)) { [url = url.reveal() as String] in
      let journal = try await PostgresJournal.open(
        url: Secret(url), key: nil, plan: JournalFixture.plan(count: 3))
      _ = try await journal.claim(BatchRun(number: 1, kind: .run), atMost: 2)
      kill(getpid(), SIGKILL)
    }
    let alive = try await PostgresJournal.open(url, lease: .seconds(3600))
    _ = try await alive.claim(first, atMost: 1)
    let journal = try await PostgresJournal.open(url, lease: .seconds(3600))
    try await journal.queue.perform {
      $0.watch = RunnerWatch(lease: .seconds(3600), grace: .milliseconds(10))
    }
    var rows: [ClaimedRow] = []
    while rows.count < 2 { rows += try await journal.claim(first, atMost: 5) }
    #expect(rows.map(\.row.number) == [1, 2])
    // The one that is only silent keeps what it has.
    #expect(try await journal.claim(first, atMost: 5).isEmpty)
    try await alive.intend(first, JournalFixture.intent(3))
    await alive.close()
    await journal.close()
  }

  @Test func `a process without its lock is dead after a while, unless it comes back`() {
    let start = ContinuousClock.now
    func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }
    var watch = RunnerWatch(lease: .seconds(30))
    let looks = [0, 249, 250].map { watch.isDue(at: start + .milliseconds($0)) }
    #expect(looks == [true, false, true])
    func dead(_ seconds: Int, _ seen: String...) -> [Int64] {
      let sights = seen.map { text in
        let parts = text.split(separator: " ")
        return RunnerWatch.Sight(
          id: Int64(parts[0]) ?? 0, sign: String(parts[1]), isLocked: parts.count > 2)
      }
      return watch.dead(among: sights, at: at(seconds)).map(\.id)
    }
    #expect(dead(0, "1 a", "2 a") == [] && dead(4, "1 a", "2 a locked") == [])
    #expect(dead(5, "1 a", "2 a") == [1] && dead(9, "2 a") == [] && dead(10, "2 a") == [2])
    // A renewal is a sign of life.
    #expect(dead(11, "2 b") == [] && dead(15, "2 b") == [] && dead(16, "2 b") == [2])
    // One that only does not renew its lease, because it was stopped, is dead after the lease.
    #expect(dead(20, "3 a locked") == [] && dead(49, "3 a locked") == [])
    #expect(dead(50, "3 a locked") == [3] && dead(51, "3 b locked") == [])
    // A server that was away for this process was away for the others too.
    watch.restart(at: at(60))
    let looksAfter = [64, 65].map { watch.isDue(at: at($0)) }
    #expect(looksAfter == [false, true])
    #expect(dead(65, "2 b") == [] && dead(70, "2 b") == [2])
    #expect(RunnerWatch(lease: .seconds(9)).grace == .seconds(3))
  }

  @Test func `the server's clock may be set, and no process loses its rows`() async throws {
    let url = try await PostgresServer.shared.url()
    let journal = try await PostgresJournal.open(url, JournalFixture.plan(count: 2))
    _ = try await journal.claim(first, atMost: 2)
    let other = try PostgresConnection(try PostgresAddress(url, .batch))
    let second = try await PostgresJournal.open(url)
    for jump in ["- interval '90 seconds'", "+ interval '2 days'"] {
      // As a clock that jumps by as much in the other direction shows it.
      try other.script("UPDATE runners SET until = until \(jump)")
      try await second.queue.perform { $0.watch = RunnerWatch(lease: .seconds(30)) }
      #expect(try await second.claim(first, atMost: 2).isEmpty)
    }
    try await journal.intend(first, JournalFixture.intent(1))
    await journal.close()
    await second.close()
  }

  @Test func `a process whose lease is old renews it, unless it was taken for dead`() async throws {
    let url = try await PostgresServer.shared.url()
    let journal = try await PostgresJournal.open(url, JournalFixture.plan(count: 2))
    #expect(journal.hasFreshLease)
    journal.queue.store.leaseClock.expire()
    #expect(!journal.hasFreshLease)
    try await journal.confirmOwnership()
    #expect(journal.hasFreshLease)
    let other = try PostgresConnection(try PostgresAddress(url, .batch))
    try other.run("UPDATE runners SET is_ended = true")
    journal.queue.store.leaseClock.expire()
    let problem = await #expect(throws: BatchProblem.self) { try await journal.confirmOwnership() }
    #expect(problem?.code == .inUse)
    await journal.close()
  }

  @Test func `rows that another process is claiming are open`() async throws {
    let url = try await PostgresServer.shared.url()
    let journal = try await PostgresJournal.open(url, JournalFixture.plan(count: 3))
    // What `claim` of another process does before its commit.
    let other = try PostgresConnection(try PostgresAddress(url, .batch))
    try other.script("BEGIN; SELECT id FROM rows FOR UPDATE")
    #expect(try await journal.claim(first, atMost: 9).isEmpty)
    #expect(try await journal.openRows(first) == 3)
    try other.script("ROLLBACK")
    for row in try await journal.claim(first, atMost: 9).dropLast() {
      journal.settle(first, nil, row: row.row.number, end: .done, fault: nil)
    }
    #expect(try await journal.openRows(first) == 1)
    await journal.close()
  }

  @Test func `a journal names the processes that have rows, and until when`() async throws {
    let url = try await PostgresServer.shared.url()
    let journal = try await PostgresJournal.open(url, JournalFixture.plan(count: 3))
    #expect(try await journal.holders(of: first) == [])
    _ = try await journal.claim(first, atMost: 2)
    let reader = try await PostgresJournal.open(url)
    let holders = try await reader.holders(of: first)
    #expect(holders.map(\.rows) == [2])
    #expect(holders.first?.name.contains("\(getpid())") == true)
    #expect(holders.first?.until.wholeMatch(of: /\d\d:\d\d:\d\d/) != nil)
    await journal.close()
    #expect(try await reader.holders(of: first) == [])
    await reader.close()
  }

  @Test func `the rows of one account are one process's, in their order`() async throws {
    let url = try await PostgresServer.shared.url()
    let accounts = [["a"], ["b"], ["a"], ["c", "b"], ["d"], ["c"], ["d"]]
    let rows = accounts.enumerated().map { index, uids in
      PlannedRow(
        number: Int64(index + 1), line: 1, key: "\(index)", input: nil,
        decision: .run(uids.map { .unlink(uid: $0, providerID: "p\(index)") }))
    }
    let one = try await PostgresJournal.open(url, JournalFixture.plan(rows))
    let two = try await PostgresJournal.open(url)
    func claim(_ journal: PostgresJournal, _ count: Int) async throws -> [Int64] {
      try await journal.claim(first, atMost: count).map(\.row.number)
    }
    func end(_ journal: PostgresJournal, _ row: Int64, _ state: RowState = .done) async throws {
      journal.settle(first, nil, row: row, end: state, fault: nil)
      try await journal.flush()
    }
    #expect(try await claim(one, 1) == [1])
    // 3 has the account of 1, 4 that of 2, and 6 comes behind 4.
    #expect(try await claim(two, 9) == [2, 5])
    #expect(try await claim(one, 9) == [3])
    #expect(try await claim(two, 9) == [4, 7])
    #expect(try await claim(two, 9) == [6])
    try await end(two, 2)
    // A row that waits again does not run beside a later one of its account.
    try await end(two, 5, .failed)
    try await one.reopen(first, [5])
    #expect(try await claim(one, 9) == [])
    try await end(two, 7)
    #expect(try await claim(one, 9) == [5])
    await two.close()
    #expect(try await claim(one, 9) == [4])
    #expect(try await claim(one, 9) == [6])
    await one.close()
  }

  @Test(arguments: [BatchRun.Kind.undo, .undoRows])
  func `a run is undone while no process has rows of it`(_ kind: BatchRun.Kind) async throws {
    let url = try await PostgresServer.shared.url()
    let worker = try await PostgresJournal.open(url, JournalFixture.plan(count: 3))
    _ = try await worker.claim(first, atMost: 1)
    func add(_ journal: PostgresJournal) async throws -> BatchRun {
      let source = RowSource([JournalFixture.row(1)])
      #expect(try await journal.runs().count == 1)
      return try await journal.add(kind, of: 1) { await source.next() }
    }
    let early = try await PostgresJournal.open(url)
    let refused = await #expect(throws: BatchProblem.self) { try await add(early) }
    await early.close()
    #expect(refused?.code == .inUse)
    #expect(refused?.message == "run 1 is under way: process \(getpid()) has rows of it")
    worker.settle(first, nil, row: 1, end: .done, fault: nil)
    try await worker.flush()
    // The rows of a process that is dead are waited for.
    let other = try PostgresConnection(try PostgresAddress(url, .batch))
    try other.script(
      """
      INSERT INTO runners (name, until, serial, is_ended) VALUES ('x', clock_timestamp(), 0, false);
      UPDATE rows SET owner = (SELECT max(id) FROM runners) WHERE id & 1023 = 2
      """)
    let undoer = try await PostgresJournal.open(url)
    try await undoer.queue.perform {
      $0.watch = RunnerWatch(lease: .seconds(3600), grace: .milliseconds(10))
    }
    #expect(try await add(undoer).number == 2)
    // An undo of some rows leaves the others to the run.
    if kind == .undoRows {
      #expect(try await worker.claim(first, atMost: 9).map(\.row.number) == [2, 3])
    } else {
      let late = await #expect(throws: BatchProblem.self) {
        try await worker.claim(first, atMost: 9)
      }
      #expect(late?.message == "run 1 was undone by run 2, so this process ends")
    }
    await worker.close()
    await undoer.close()
  }

  @Test func `rows are claimed after an undo was refused or died`() async throws {
    let url = try await PostgresServer.shared.url()
    let worker = try await PostgresJournal.open(url, JournalFixture.plan(count: 3))
    func claim() async throws -> [Int64] {
      try await worker.claim(first, atMost: 1).map(\.row.number)
    }
    #expect(try await claim() == [1])
    let early = try await PostgresJournal.open(url)
    let source = RowSource([JournalFixture.row(1)])
    await #expect(throws: BatchProblem.self) {
      try await early.add(.undo, of: 1) { await source.next() }
    }
    // The process may be stopped before it ends.
    #expect(try await claim() == [2])
    await early.close()
    let other = try PostgresConnection(try PostgresAddress(url, .batch))
    try other.script("INSERT INTO runs VALUES (2, 'undo', 1, false)")
    #expect(try await claim() == [])
    #expect(try await claim() == [3])
    await worker.close()
  }

  @Test func `a process that was taken for dead writes nothing more`() async throws {
    let url = try await PostgresServer.shared.url()
    let journal = try await PostgresJournal.open(url, JournalFixture.plan(count: 2))
    _ = try await journal.claim(first, atMost: 2)
    // The first renews its lease only after ten seconds.
    let second = try await PostgresJournal.open(url, lease: .milliseconds(100))
    var rows: [ClaimedRow] = []
    while rows.isEmpty { rows = try await second.claim(first, atMost: 2) }
    #expect(rows.map(\.row.number) == [1, 2])
    let problem = await #expect(throws: BatchProblem.self) {
      try await journal.intend(first, JournalFixture.intent(1))
    }
    #expect(problem?.code == .inUse)
    #expect(try await second.tally(first).rows == [.claimed: 2])
    await journal.close()
    // Closing it does not take the rows from the one who has them now.
    #expect(try await second.tally(first).rows == [.claimed: 2])
    await second.close()
  }
}
