@testable import Batch
@testable import System
import Foundation
import Glibc
@testable import Storage
import Synchronization
import Testing

/// What a journal in a file does when the file, the disk or the process gives way.
@Suite(.timeLimit(.minutes(2))) struct SQLiteJournalTests {
  private let folder: JournalFolder
  private let first = BatchRun(number: 1, kind: .run)

  init() throws { folder = try JournalFolder() }

  private func open(_ plan: JournalPlan? = nil) async throws(BatchProblem) -> SQLiteJournal {
    try await SQLiteJournal.open(path: folder.file(), key: nil, plan: plan)
  }

  @Test func `the journal of a plan is beside it`() {
    #expect(SQLiteJournal.path(ofPlan: "a/merge.ndjson") == "a/merge.journal")
    #expect(SQLiteJournal.path(ofPlan: "a/merge.plan") == "a/merge.plan.journal")
  }

  @Test func `its files are their owner's alone`() async throws {
    let journal = try await open(JournalFixture.plan(count: 2))
    try await journal.intend(first, JournalFixture.intent(1))
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      var status = stat()
      try #require(stat(folder.file(name), &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600, "\(name)")
    }
    await journal.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["plan.journal"])
  }

  @Test
  func `a journal that others can read becomes its owner's alone, and a file that is none is left`()
    async throws
  {
    await (try open(JournalFixture.plan(count: 2))).close()
    try #require(chmod(folder.file(), 0o644) == 0)
    let journal = try await open()
    try await journal.intend(first, JournalFixture.intent(1))
    #expect(journal.warning == nil)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      var status = stat()
      try #require(stat(folder.file(name), &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600, "\(name)")
    }
    // Its lock is still there.
    await #expect(throws: BatchProblem.self) { try await open() }
    await journal.close()
    let other = folder.file("other")
    try Data("mine, and no journal at all".utf8).write(to: URL(fileURLWithPath: other))
    try #require(chmod(other, 0o644) == 0)
    await #expect(throws: BatchProblem.self) {
      try await SQLiteJournal.open(path: other, key: nil, plan: nil)
    }
    var status = stat()
    try #require(stat(other, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o644)
  }

  private static let changes: [(StaticString, String)] = [
    (
      "UPDATE plans SET planned = CAST(replace(planned, 'u1', 'u9') AS BLOB) WHERE id & 255 = 1",
      "the plan"
    ),
    ("UPDATE steps SET change = CAST(replace(change, 'Ada', 'Eda') AS BLOB)", "step 1"),
    (
      "UPDATE steps SET before = CAST(replace(before, 'hash', 'mash') AS BLOB)",
      "the account before step 1"
    ),
    ("UPDATE steps SET before = change", "the account before step 1"),
    ("UPDATE plans SET planned = substr(planned, 1, length(planned) - 1)", "the plan"),
    ("UPDATE rows SET state = 1 WHERE id & 255 = 1", "the state"),
    ("UPDATE rows SET fault_code = 'x' WHERE id & 255 = 1", "the state"),
    ("UPDATE outcomes SET result = 5", "the outcome of step 1"),
  ]

  @Test(arguments: changes) func `a value that was changed is found without a key too`(
    _ sql: StaticString, _ what: String
  ) async throws {
    let journal = try await open(JournalFixture.plan(count: 2))
    try await journal.intend(first, JournalFixture.intent(1))
    journal.settle(first, JournalFixture.outcome(1), row: 1, end: nil, fault: nil)
    await journal.close()
    let tables = try SQLiteTables(path: folder.file())
    try tables.database.run(sql)
    tables.close()
    let changed = try await open()
    var query = RowQuery()
    query.withSteps = true
    let problem = await #expect(throws: BatchProblem.self) {
      try await changed.rows(first, query, after: nil, atMost: 9)
    }
    #expect(problem?.message.contains("\(what) of row 1 of run 1 was changed or is broken") == true)
    await changed.close()
  }

  @Test func `the journal of an older version has no checksums and is read`() async throws {
    let journal = try await open(JournalFixture.plan(count: 2))
    try await journal.intend(first, JournalFixture.intent(1))
    await journal.close()
    let tables = try SQLiteTables(path: folder.file())
    try tables.database.run("UPDATE plans SET planned = substr(planned, 1, length(planned) - 17)")
    try tables.database.run("UPDATE steps SET change = substr(change, 1, length(change) - 17)")
    try tables.database.run("UPDATE rows SET fault_message = ''")
    tables.close()
    let old = try await open()
    var query = RowQuery()
    query.withSteps = true
    #expect(try await old.rows(first, query, after: nil, atMost: 9).map(\.steps.count) == [1, 0])
    await old.close()
  }

  @Test func `a row that was done is not claimed because its state was changed`() async throws {
    let journal = try await open(JournalFixture.plan(count: 2))
    journal.settle(first, JournalFixture.outcome(1), row: 1, end: .done, fault: nil)
    await journal.close()
    let tables = try SQLiteTables(path: folder.file())
    try tables.database.run("UPDATE rows SET state = 0 WHERE id & 255 = 1")
    tables.close()
    let changed = try await open()
    let problem = await #expect(throws: BatchProblem.self) {
      try await changed.claim(first, atMost: 2)
    }
    #expect(problem?.message.contains("the state of row 1 of run 1 was changed") == true)
    await changed.close()
  }

  @Test func `a copy without the log is refused, and one with it goes on`() async throws {
    let journal = try await open(JournalFixture.plan(count: 2))
    try await journal.intend(first, JournalFixture.intent(1))
    let copy = folder.file("copy")
    try FileManager.default.copyItem(atPath: folder.file(), toPath: copy)
    for plan in [nil, JournalFixture.plan(count: 2)] {
      let problem = await #expect(throws: BatchProblem.self) {
        try await SQLiteJournal.open(path: copy, key: nil, plan: plan)
      }
      #expect(
        problem?.message == "\(copy) was copied without \(copy)-wal, which has the last steps")
    }
    try FileManager.default.copyItem(atPath: folder.file("plan.journal-wal"), toPath: "\(copy)-wal")
    await journal.close()
    let whole = try await SQLiteJournal.open(path: copy, key: nil, plan: nil)
    #expect(try await whole.claim(first, atMost: 1).map(\.steps.count) == [1])
    await whole.close()
    // After the end of a run, the file alone is whole.
    try FileManager.default.removeItem(atPath: copy)
    try FileManager.default.copyItem(atPath: folder.file(), toPath: copy)
    try await SQLiteJournal.open(path: copy, key: nil, plan: nil).close()
  }

  @Test func `an empty file is not taken for a new journal`() async throws {
    try Data().write(to: URL(fileURLWithPath: folder.file()))
    let problem = await #expect(throws: BatchProblem.self) {
      try await open(JournalFixture.plan(count: 2))
    }
    #expect(problem?.code == .usage)
    #expect(
      problem?.message.hasSuffix("is an empty file, without a record of what was done") == true)
  }

  @Test func `a journal on a read-only medium is read`() async throws {
    let journal = try await open(JournalFixture.plan(count: 2))
    try await journal.intend(first, JournalFixture.intent(1))
    await journal.close()
    let tables = try SQLiteTables(path: folder.file(), isWritable: false)
    defer { tables.close() }
    #expect(try tables.commit { () throws(JournalError) in try tables.runs() } == [first])
    #expect(try tables.tally(1).rows == [.waiting: 2])
    #expect(throws: JournalError.self) {
      try tables.commit { () throws(JournalError) in try tables.intend(1, JournalFixture.intent(2))
      }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["plan.journal"])
  }

  @Test func `a second runner is refused at once and told what to do`() async throws {
    let journal = try await open(JournalFixture.plan(count: 2))
    let problem = await #expect(throws: BatchProblem.self) { try await open() }
    #expect(problem?.code == .inUse)
    #expect(problem?.hint.contains("luath batch ctl") == true)
    let path = folder.file()
    await #expect(processExitsWith: .success) { [path = path as String] in
      let problem = await #expect(throws: BatchProblem.self) {
        _ = try await SQLiteJournal.open(path: path, key: nil, plan: JournalFixture.plan(count: 2))
      }
      #expect(problem?.code == .inUse)
    }
    // The first one goes on.
    try await journal.intend(first, JournalFixture.intent(1))
    await journal.close()
    try await open().close()
  }

  /// Runs all rows and says what is durable, until another thread kills the process.
  static func runUntilKilled(path: String, dyingAfter last: Int) async throws {
    let journal = try await SQLiteJournal.open(
      path: path, key: nil, plan: JournalFixture.plan(count: 400))
    let run = BatchRun(number: 1, kind: .run)
    let written = Counter()
    Thread.detachNewThread {
      while written.value.load(ordering: .acquiring) < last {}
      kill(getpid(), SIGKILL)
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          while let row = try? await journal.claim(run, atMost: 1).first {
            let number = row.row.number
            guard (try? await journal.intend(run, JournalFixture.intent(number, 1))) != nil else {
              return
            }
            // Noted before the next intent, so durable with it.
            journal.settle(
              run, JournalFixture.outcome(number, 1), row: number, end: nil, fault: nil)
            guard (try? await journal.intend(run, JournalFixture.intent(number, 2))) != nil else {
              return
            }
            let line = "intended \(number)\n"
            write(STDOUT_FILENO, line, line.utf8.count)
            written.value.add(1, ordering: .releasing)
            journal.settle(
              run, JournalFixture.outcome(number, 2), row: number, end: .done, fault: nil)
          }
        }
      }
    }
    // When all is done before the other thread looks.
    await journal.close()
    kill(getpid(), SIGKILL)
  }

  @Test(arguments: [0, 1, 40, 150])
  func `after kill -9 every intent is there with the outcomes before it`(last: Int) async throws {
    let path = folder.file()
    let death = await #expect(
      processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]
    ) { [path = path as String, last = last as Int] in
      try await Self.runUntilKilled(path: path, dyingAfter: last)
    }
    let output = String(decoding: try #require(death).standardOutputContent, as: UTF8.self)
    let promised = output.split(separator: "\n").compactMap { line in
      line.hasPrefix("intended ") ? Int64(line.dropFirst("intended ".count)) : nil
    }
    #expect(promised.count >= last)
    // Nothing is in the way of the next one, which is given the same plan.
    let journal = try await open(JournalFixture.plan(count: 400))
    var query = RowQuery()
    query.withSteps = true
    let rows = try await JournalFixture.all(of: journal, first, query, page: 100)
    #expect(rows.count == 400)
    for number in promised {
      let row = rows[Int(number) - 1]
      #expect(row.steps.count == 2)
      #expect(row.steps.first?.outcome?.result == .done)
    }
    for row in rows where row.state == .done {
      #expect(row.steps.map(\.outcome?.result) == [.done, .done])
    }
    let waiting = try await journal.claim(first, atMost: 400)
    #expect(waiting.count == rows.count { $0.state == .waiting })
    await journal.close()
  }

  @Test func `a plan whose taking over was killed is taken over anew`() async throws {
    let path = folder.file()
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let source = RowSource((1...9000).map { JournalFixture.row($0) })
      let plan = JournalPlan(header: JournalFixture.header(), digest: JournalFixture.digest) {
        () async throws(BatchProblem) in
        let row = await source.next()
        if row?.number == 8500 { kill(getpid(), SIGKILL) }
        return row
      }
      _ = try await SQLiteJournal.open(path: path, key: nil, plan: plan)
    }
    let problem = await #expect(throws: BatchProblem.self) { try await open() }
    #expect(problem?.message.contains("interrupted") == true)
    let journal = try await open(JournalFixture.plan(count: 5))
    #expect(try await journal.tally(first).rows == [.waiting: 5])
    await journal.close()
  }

  @Test func `an added run whose loading was killed is gone`() async throws {
    let path = folder.file()
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let journal = try await SQLiteJournal.open(
        path: path, key: nil, plan: JournalFixture.plan(count: 5))
      let source = RowSource((1...9000).map { JournalFixture.row($0) })
      _ = try await journal.add(.undo, of: 1) { () async throws(BatchProblem) in
        let row = await source.next()
        if row?.number == 8500 { kill(getpid(), SIGKILL) }
        return row
      }
    }
    let journal = try await open()
    #expect(try await journal.runs() == [first])
    let source = RowSource([JournalFixture.row(1)])
    let run = try await journal.add(.undo, of: 1) { () async throws(BatchProblem) in
      await source.next()
    }
    #expect(try await journal.tally(run).rows == [.waiting: 1])
    await journal.close()
  }

  @Test func `a file of something else, of a later version or broken is refused`() async throws {
    try Data("not a journal of luath, only some text".utf8)
      .write(to: URL(fileURLWithPath: folder.file()))
    let foreign = await #expect(throws: BatchProblem.self) { try await open() }
    #expect(foreign?.code == .usage)
    #expect(foreign?.message.contains("is not a journal") == true)
    try FileManager.default.removeItem(atPath: folder.file())

    try await open(JournalFixture.plan(count: 2000)).close()
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder.file()))
    try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: folder.file()))
    let damaged = await #expect(throws: BatchProblem.self) { try await open() }
    #expect(damaged?.code == .unavailable)
    #expect(damaged?.message.contains("damaged") == true)
    try whole.write(to: URL(fileURLWithPath: folder.file()))

    let database = try Database.open(
      path: folder.file(),
      schema: SQLiteTables.schema,
      durability: .processDeath)
    try database.run("INSERT INTO luath_schema VALUES (99)")
    database.close()
    let newer = await #expect(throws: BatchProblem.self) { try await open() }
    #expect(newer?.code == .usage)
    #expect(newer?.message.contains("99") == true)
  }

  @Test func `a journal that was moved away while it is in use takes nothing more`() async throws {
    let journal = try await open(JournalFixture.plan(count: 2))
    try await journal.intend(first, JournalFixture.intent(1))
    try FileManager.default.moveItem(atPath: folder.file(), toPath: folder.file("elsewhere"))
    for _ in 1...2 {
      let problem = await #expect(throws: BatchProblem.self) {
        try await journal.intend(first, JournalFixture.intent(2))
      }
      #expect(problem?.message.contains("was moved") == true)
    }
    await journal.close()
  }

  @Test func `a full disk ends the writing and keeps what was durable`() async throws {
    let path = folder.file()
    await #expect(processExitsWith: .success) { [path = path as String] in
      signal(SIGXFSZ, SIG_IGN)
      let run = BatchRun(number: 1, kind: .run)
      let journal = try await SQLiteJournal.open(
        path: path, key: nil, plan: JournalFixture.plan(count: 2000))
      var room = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &room)
      let before = room.rlim_cur
      room.rlim_cur = 1_000_000
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &room)
      var durable: Int64 = 0
      var problem: BatchProblem?
      while problem == nil {
        do throws(BatchProblem) {
          try await journal.intend(
            run, JournalFixture.intent(durable + 1, hash: String(repeating: "h", count: 9000)))
          durable += 1
        } catch {
          problem = error
        }
      }
      #expect(problem?.code == .unavailable)
      #expect(problem?.message.contains("the disk is full") == true)
      let later = await #expect(throws: BatchProblem.self) { try await journal.flush() }
      #expect(later?.message == problem?.message)
      room.rlim_cur = before
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &room)
      await journal.close()
      let again = try await SQLiteJournal.open(path: path, key: nil, plan: nil)
      let rows = try await again.claim(run, atMost: 2000)
      #expect(rows.count { !$0.steps.isEmpty } == durable)
      await again.close()
    }
  }
}

/// What a thread and tasks count together.
private final class Counter: Sendable {
  let value = Atomic<Int>(0)
}
