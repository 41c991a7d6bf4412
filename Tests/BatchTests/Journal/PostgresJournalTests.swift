@testable import System
import Storage
import Foundation
import Glibc
import Synchronization
import Testing

@testable import Batch

/// What a journal does that several processes share, and when its server gives way.
@Suite(
  .timeLimit(.minutes(3)),
  .enabled(if: PostgresServer.isInstalled, "Debian's package postgresql is missing"))
struct PostgresJournalTests {
  private let first = BatchRun(number: 1, kind: .run)

  /// Claims and ends rows with eight tasks until none is left.
  private func work(
    _ journal: PostgresJournal, counting intents: Counter, ends: Counter
  ) async throws {
    let run = first
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          while let row = try await journal.claim(run, atMost: 1).first {
            let number = row.row.number
            #expect(row.steps.isEmpty)
            for step in 1...2 {
              try await journal.intend(run, JournalFixture.intent(number, step))
              intents.value.add(1, ordering: .relaxed)
              journal.settle(
                run, JournalFixture.outcome(number, step), row: number,
                end: step == 2 ? .done : nil, fault: nil)
            }
            ends.value.add(1, ordering: .relaxed)
          }
        }
      }
      try await group.waitForAll()
    }
    try await journal.flush()
  }

  private func expectAllDone(_ journal: PostgresJournal, _ count: Int64) async throws {
    #expect(try await journal.tally(first).rows == [.done: count])
    #expect(try await journal.tally(first).steps == [.done: 2 * count])
    var query = RowQuery()
    query.withSteps = true
    let rows = try await JournalFixture.all(of: journal, first, query, page: 100)
    #expect(rows.allSatisfy { $0.steps.map(\.outcome?.result) == [.done, .done] })
  }

  @Test func `connections that are cut at any moment lose nothing`() async throws {
    let url = try await PostgresServer.shared.url()
    let address = try PostgresAddress(url, .batch)
    let journal = try await PostgresJournal.open(url, JournalFixture.plan(count: 150))
    let (intents, ends) = (Counter(), Counter())
    let isOver = Counter()
    async let cutting: Int = Task.detached {
      let connection = try PostgresConnection(address)
      var cuts = 0
      // One commit cannot end before it is cut; the others are cut where they happen to be.
      try connection.script("BEGIN; LOCK TABLE runners IN EXCLUSIVE MODE")
      while cuts == 0 || isOver.value.load(ordering: .acquiring) == 0 {
        // Those of this journal alone, in the middle of a commit.
        cuts += Int(
          try connection.run(
            """
            SELECT count(pg_terminate_backend(l.pid)) FROM pg_locks l
            WHERE l.pid <> pg_backend_pid() AND l.relation = 'runners'::regclass
            """
          ).integer(0, 0))
        if cuts > 0 { try connection.script("ROLLBACK") }
        // Locks are held for an instant and nothing reports them, so the loop looks again and again.
        try await Task.sleep(for: .milliseconds(50))
      }
      return cuts
    }.value
    try await work(journal, counting: intents, ends: ends)
    isOver.value.store(1, ordering: .releasing)
    #expect(try await cutting > 0)
    #expect(intents.value.load(ordering: .relaxed) == 300)
    try await expectAllDone(journal, 150)
    await journal.close()
  }

  @Test func `a server that crashes and starts again in the middle loses nothing`() async throws {
    let server = PostgresServer()
    let journal = try await PostgresJournal.open(
      try await server.url(), JournalFixture.plan(count: 600))
    let (intents, ends) = (Counter(), Counter())
    async let crashing: Void = Task.detached {
      // Enough rows are left each time: only a commit fails when the server is away.
      for count in [100, 200] {
        // A counter and an outage report no change; the suite's time limit bounds both loops.
        while ends.value.load(ordering: .relaxed) < count {
          try await Task.sleep(for: .milliseconds(1))
        }
        try await server.crash {
          while journal.outage == nil { try await Task.sleep(for: .milliseconds(1)) }
          let outage = try #require(journal.outage)
          #expect(outage.until - outage.since == 60_000)
        }
      }
    }.value
    try await work(journal, counting: intents, ends: ends)
    try await crashing
    #expect(intents.value.load(ordering: .relaxed) == 1200)
    #expect(journal.outage == nil)
    try await expectAllDone(journal, 600)
    await journal.close()
  }

  @Test func `a server that stays away ends the run with what to do`() async throws {
    let server = PostgresServer()
    let journal = try await PostgresJournal.open(
      try await server.url(), JournalFixture.plan(count: 2), patience: .milliseconds(300))
    let run = first
    try await server.crash {
      let problem = await #expect(throws: BatchProblem.self) {
        try await journal.intend(run, JournalFixture.intent(1))
      }
      #expect(problem?.code == .unavailable)
      #expect(problem?.message.contains("PostgreSQL at /tmp/luath-pg-") == true)
      #expect(problem?.hint.isEmpty == false)
    }
    await journal.close()
  }

  @Test func `a connection that is lost while the journal is opened is made again`() async throws {
    let url = try await PostgresServer.shared.url()
    let address = try PostgresAddress(url, .batch)
    try await PostgresJournal.open(url, JournalFixture.plan(count: 2)).close()
    let other = try PostgresConnection(address)
    // Who opens the journal waits for the lock of loading.
    try other.run("SELECT pg_advisory_lock(hashtext($1))", [.text(address.schema)])
    let opening = Task { try await PostgresJournal.open(url) }
    var cut: Int64 = 0
    while cut == 0 {
      cut = try other.run(
        """
        SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE pid <> pg_backend_pid() AND query LIKE 'SELECT pg_try_advisory_lock(hashtext($1))%'
        """
      ).integer(0, 0)
      // The server does not report who waits for a lock.
      try await Task.sleep(for: .milliseconds(5))
    }
    try other.run("SELECT pg_advisory_unlock_all()")
    let journal = try await opening.value
    #expect(try await journal.tally(first).rows == [.waiting: 2])
    await journal.close()
  }

  @Test func `a server that is away at the start is waited for, by a run`() async throws {
    let server = PostgresServer()
    let url = try await server.url()
    let heard = Heard()
    try await server.crash {
      let problem = await #expect(throws: BatchProblem.self) { try await PostgresJournal.open(url) }
      #expect(problem?.code == .unavailable)
      let opening = Task {
        try await PostgresJournal.open(
          url: url, key: nil, plan: JournalFixture.plan(count: 2), lease: .seconds(30),
          patience: .seconds(100), notice: heard.note)
      }
      heard.opening.withLock { $0 = opening }
      while heard.text.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    }
    let opening = try #require(heard.opening.withLock { $0 })
    let journal = try await opening.value
    #expect(try await journal.tally(first).rows == [.waiting: 2])
    #expect(heard.text.hasSuffix("does not respond; waiting for it, at most 100 seconds"))
    await journal.close()
  }

  @Test func `a process that loads the plan for long is named`() async throws {
    let url = try await PostgresServer.shared.url()
    let address = try PostgresAddress(url, .batch)
    let other = try PostgresConnection(address)
    try other.run("SELECT pg_advisory_lock(hashtext($1))", [.text(address.schema)])
    let heard = Heard()
    let opening = Task {
      try await PostgresJournal.open(
        url: url, key: nil, plan: JournalFixture.plan(count: 2), notice: heard.note)
    }
    while heard.text.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    #expect(heard.text.contains("connected from this machine at "))
    try other.run("SELECT pg_advisory_unlock_all()")
    try await opening.value.close()
  }

  @Test func `another plan is told how one database keeps several`() async throws {
    let url = try await PostgresServer.shared.url()
    try await PostgresJournal.open(url, JournalFixture.plan(count: 1)).close()
    var other = JournalFixture.plan(count: 1)
    other.digest = "another"
    var problem: BatchProblem?
    do throws(BatchProblem) { _ = try await PostgresJournal.open(url, other) } catch {
      problem = error
    }
    #expect(problem?.message.contains("belongs to another plan") == true)
    #expect(problem?.hint.contains("postgres://…/DATABASE#NAME") == true)
  }

  @Test func `of several processes that begin at once one loads the plan`() async throws {
    let url = try await PostgresServer.shared.url()
    let read = Counter()
    let plan = JournalPlan(header: JournalFixture.header(), digest: JournalFixture.digest) {
      () async throws(BatchProblem) in
      let number = read.value.add(1, ordering: .relaxed).newValue
      return number > 9000 ? nil : JournalFixture.row(Int64(number))
    }
    let run = first
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 1...3 {
        group.addTask {
          let journal = try await PostgresJournal.open(url: url, key: nil, plan: plan)
          #expect(try await journal.tally(run).rows == [.waiting: 9000])
          await journal.close()
        }
      }
      try await group.waitForAll()
    }
    #expect(read.value.load(ordering: .relaxed) == 9001)
  }

  @Test func `a run whose loading was killed leaves nothing behind`() async throws {
    let url = try await PostgresServer.shared.url()
    await #expect(processExitsWith: .signal(SIGKILL)) { [url = url.reveal() as String] in
      let journal = try await PostgresJournal.open(
        url: Secret(url), key: nil, plan: JournalFixture.plan(count: 5))
      let read = Counter()
      _ = try await journal.add(.undo, of: 1) { () async throws(BatchProblem) in
        let number = Int64(read.value.add(1, ordering: .relaxed).newValue)
        if number > 9000 { kill(getpid(), SIGKILL) }
        return JournalFixture.row(number)
      }
    }
    let other = try PostgresConnection(try PostgresAddress(url, .batch))
    #expect(try other.run("SELECT count(*) FROM rows").integer(0, 0) > 5)
    let journal = try await PostgresJournal.open(url)
    #expect(try await journal.runs() == [first])
    for table in ["SELECT count(*) FROM rows", "SELECT count(*) FROM plans"] as [StaticString] {
      #expect(try other.run(table).integer(0, 0) == 5)
    }
    let source = RowSource((1...3).map { JournalFixture.row($0) })
    let undo = try await journal.add(.undo, of: 1) { await source.next() }
    #expect(undo.number == 2)
    #expect(try await journal.tally(undo).rows == [.waiting: 3])
    await journal.close()
  }

  @Test func `of several processes that undo at once one loads the rows`() async throws {
    let url = try await PostgresServer.shared.url()
    let opened = try await PostgresJournal.open(url, JournalFixture.plan(count: 1))
    let read = Counter()
    var journals: [PostgresJournal] = []
    for _ in 1...3 { journals.append(try await PostgresJournal.open(url)) }
    for journal in journals { #expect(try await journal.runs().count == 1) }
    let undos = try await withThrowingTaskGroup(of: BatchRun.self) { group in
      for journal in journals {
        group.addTask {
          let undo = try await journal.add(.undo, of: 1) { () async throws(BatchProblem) in
            let number = read.value.add(1, ordering: .relaxed).newValue
            return number > 9000 ? nil : JournalFixture.row(Int64(number))
          }
          await journal.close()
          return undo
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(undos.map(\.number) == [2, 2, 2])
    #expect(read.value.load(ordering: .relaxed) == 9001)
    // Whoever knows of it and wants another one gets it.
    #expect(try await opened.runs().count == 2)
    let source = RowSource([JournalFixture.row(1)])
    #expect(try await opened.add(.undo, of: 1) { await source.next() }.number == 3)
    await opened.close()
  }

  @Test func `all processes share one budget of calls`() async throws {
    let url = try await PostgresServer.shared.url()
    let one = try await PostgresJournal.open(url, JournalFixture.plan(count: 1))
    let two = try await PostgresJournal.open(url)
    #expect(try await one.takeTokens(atMost: 1000) == 1000)
    try await two.send(.rate(200))
    let start = ContinuousClock.now
    var granted = 0
    while granted < 60 {
      granted += try await one.takeTokens(atMost: 7)
      granted += try await two.takeTokens(atMost: 7)
    }
    // A fifth of a second's calls may be saved up, and the last grant may be above what was waited for.
    let elapsed = start.duration(to: .now) / .seconds(1)
    #expect(Double(granted) <= 200 * elapsed + 41)
    #expect(elapsed >= 0.05)
    #expect(try await one.pace() == PostgresSharedRate(isPaused: false, rate: 200))
    try await two.send(.pause)
    try await one.send(.rate(nil))
    #expect(try await one.pace() == PostgresSharedRate(isPaused: true, rate: nil))
    #expect(try await two.takeTokens(atMost: 1000) == 1000)
    await one.close()
    await two.close()
  }

  @Test func `what one process is told, all are told`() async throws {
    let url = try await PostgresServer.shared.url()
    let one = try await PostgresJournal.open(url, JournalFixture.plan(count: 1))
    let two = try await PostgresJournal.open(url)
    var heard = one.controls().makeAsyncIterator()
    var told = two.controls().makeAsyncIterator()
    for control in [.pause, .resume, .rate(12.5), .concurrency(3), .pause] as [BatchControl] {
      try await two.send(control)
      #expect(await heard.next() == control)
      #expect(await told.next() == control)
    }
    // Who comes later waits too.
    let three = try await PostgresJournal.open(url)
    var late = three.controls().makeAsyncIterator()
    #expect(await late.next() == .pause)
    try await one.send(.drain)
    #expect(await late.next() == .drain)
    #expect(await told.next() == .drain)
    await two.close()
    #expect(await told.next() == nil)
    await one.close()
    await three.close()
  }

  @Test func `what cannot be reached is named without the password`() async throws {
    let server = PostgresServer.shared
    let cases: [(Secret, String)] = [
      (try await server.url(password: "wr0ng-s3cret"), "password authentication failed"),
      (try await server.url(user: "nobody"), "authentication failed"),
      (try await server.url(database: "missing"), "does not exist"),
      (Secret("postgres://luath:wr0ng-s3cret@host.invalid:1/x"), "host.invalid"),
      (Secret("postgres://luath:wr0ng-s3cret@127.0.0.1:1/x"), "127.0.0.1:1/x"),
      (Secret("postgres://luath:wr0ng-s3cret@h:port/x"), "queue"),
      (Secret("postgres://luath:wr0ng-s3cret%zz@h/x"), "cannot be read"),
      (Secret("mysql://luath:wr0ng-s3cret@h/x"), "no URL of a PostgreSQL database"),
      (Secret("postgres://luath:wr0ng-s3cret@h/x#No Name"), "no name of a journal"),
      (Secret(""), "no URL"),
    ]
    for (url, words) in cases {
      let problem = await #expect(throws: BatchProblem.self) { try await PostgresJournal.open(url) }
      let text = "\(problem?.message ?? "")\(problem?.hint ?? "")"
      #expect(text.contains(words), "\(text)")
      #expect(!text.contains("s3cret") && !text.contains(PostgresServer.password))
      #expect(problem?.hint.isEmpty == false)
    }
  }

  @Test func `a schema of something else or of a later version is refused`() async throws {
    let server = PostgresServer.shared
    let other = try PostgresConnection(try PostgresAddress(try await server.url(), .batch))
    try other.script("CREATE SCHEMA luath_cookbook; CREATE TABLE luath_cookbook.soups (name text)")
    let foreign = await #expect(throws: BatchProblem.self) {
      try await PostgresJournal.open(
        try await server.url(journal: "cookbook"), JournalFixture.plan(count: 1))
    }
    #expect(foreign?.code == .usage)
    #expect(foreign?.message.contains("is not a journal") == true)
    let url = try await server.url(journal: "later")
    try await PostgresJournal.open(url, JournalFixture.plan(count: 1)).close()
    try other.script("INSERT INTO luath_later.luath_schema VALUES (99)")
    let newer = await #expect(throws: BatchProblem.self) { try await PostgresJournal.open(url) }
    #expect(newer?.code == .usage)
    #expect(newer?.message.contains("99") == true)
  }
}

/// What tasks count together.
private final class Counter: Sendable {
  let value = Atomic<Int>(0)
}

/// What the user is told while a journal is opened.
private final class Heard: Sendable {
  private let words = Mutex("")
  let opening = Mutex<Task<PostgresJournal, any Error>?>(nil)

  var text: String { words.withLock { $0 } }

  @Sendable func note(_ said: String) { words.withLock { $0 += said } }
}
