@testable import Batch
@testable import System
import Testing

/// What every journal promises, whichever database it is in.
@Suite(.timeLimit(.minutes(2))) struct BatchJournalTests {
  private let first = BatchRun(number: 1, kind: .run)

  @Test(arguments: JournalEngine.available)
  func `a new journal has the rows of its plan`(engine: JournalEngine) async throws {
    var rows = (1...5).map { JournalFixture.row($0) }
    rows[1].decision = .skip
    rows[2].decision = .refuse(RowFailure("malformedRow", "line 4 has 3 columns"))
    rows[2].input = nil
    let place = try await engine.place()
    defer { place.keep() }
    let journal = try await place.open(plan: JournalFixture.plan(rows))
    #expect(journal.header.projectID == "acme")
    #expect(journal.header.columns == ["a", "b"])
    #expect(try await journal.runs() == [first])
    #expect(try await journal.tally(first).rows == [.waiting: 3, .skipped: 1, .refused: 1])

    let records = try await JournalFixture.all(of: journal, first)
    #expect(records.map(\.row.number) == [1, 2, 3, 4, 5])
    #expect(records.map(\.state) == [.waiting, .skipped, .refused, .waiting, .waiting])
    #expect(records[2].fault == RowFailure("malformedRow", "line 4 has 3 columns"))
    #expect(records[0].row.key == "key 1" && records[0].row.line == 2)
    #expect(records[0].row.input == ["a": "1", "b": "é"])
    #expect(records[0].row.reason == "because")
    guard case .run(let operations) = records[0].row.decision, case .delete("u1") = operations[0]
    else { Issue.record("row 1 lost its operation"); return }

    var query = RowQuery()
    query.isReversed = true
    query.states = [.waiting, .refused]
    let reversed = try await JournalFixture.all(of: journal, first, query, page: 2)
    #expect(reversed.map(\.row.number) == [5, 4, 3, 1])
    await journal.close()
  }

  @Test(arguments: JournalEngine.available)
  func `a row is claimed once, in order, until it is given back`(
    engine: JournalEngine
  ) async throws {
    let place = try await engine.place()
    defer { place.keep() }
    let journal = try await place.open(plan: JournalFixture.plan(count: 6))
    let one = try await journal.claim(first, atMost: 2)
    let two = try await journal.claim(first, atMost: 3)
    #expect(one.map(\.row.number) == [1, 2])
    #expect(two.map(\.row.number) == [3, 4, 5])
    #expect(try await journal.tally(first).rows == [.waiting: 1, .claimed: 5])
    try await journal.release(first, [4, 2])
    try await journal.release(first, [2])
    #expect(try await journal.tally(first).rows == [.waiting: 3, .claimed: 3])
    var query = RowQuery()
    query.states = [.claimed]
    let claimed = try await JournalFixture.all(of: journal, first, query, page: 1)
    #expect(claimed.map(\.row.number) == [1, 3, 5])
    #expect(try await journal.claim(first, atMost: 9).map(\.row.number) == [2, 4, 6])
    #expect(try await journal.claim(first, atMost: 9).isEmpty)
    await journal.close()
  }

  @Test(arguments: JournalEngine.available)
  func `what was begun and what was ended is there after opening again`(
    engine: JournalEngine
  ) async throws {
    let place = try await engine.place()
    defer { place.keep() }
    var journal = try await place.open(plan: JournalFixture.plan(count: 4))
    _ = try await journal.claim(first, atMost: 4)
    try await journal.intend(first, JournalFixture.intent(1, 1))
    journal.settle(first, JournalFixture.outcome(1, 1), row: 1, end: nil, fault: nil)
    try await journal.intend(first, JournalFixture.intent(1, 2))
    journal.settle(first, JournalFixture.outcome(1, 2), row: 1, end: .done, fault: nil)
    try await journal.intend(first, JournalFixture.intent(2, 1))
    journal.settle(first, JournalFixture.outcome(2, 1), row: 2, end: nil, fault: nil)
    try await journal.intend(first, JournalFixture.intent(2, 2))
    let fault = RowFailure("emailExists", "the address is taken")
    try await journal.intend(first, JournalFixture.intent(3))
    journal.settle(
      first, JournalFixture.outcome(3, 1, .failed, fault: fault), row: 3, end: .failed,
      fault: fault)
    await journal.close()

    journal = try await place.open()
    let tally = try await journal.tally(first)
    #expect(tally.rows == [.waiting: 2, .done: 1, .failed: 1])
    #expect(tally.steps == [.done: 3, .failed: 1])
    let rows = try await journal.claim(first, atMost: 9)
    #expect(rows.map(\.row.number) == [2, 4])
    #expect(rows[1].steps.isEmpty)
    let steps = rows[0].steps
    #expect(steps.map(\.intent.step) == [1, 2])
    #expect(steps[0].outcome?.result == .done)
    #expect(steps[0].outcome?.at == 2002)
    #expect(steps[0].outcome?.microseconds == 321)
    #expect(steps[0].outcome?.attempts == 2)
    #expect(steps[1].outcome == nil)
    #expect(steps[1].intent.at == 1002)
    #expect(steps[1].intent.before?["passwordHash"] == "hash")
    guard case .update(let uid, let body) = steps[1].intent.change else {
      Issue.record("a change of another kind")
      return
    }
    #expect(uid == "u2" && body == ["displayName": "Ada"])

    var query = RowQuery()
    query.states = [.failed]
    query.withSteps = true
    let failed = try await JournalFixture.all(of: journal, first, query)
    #expect(failed.map(\.fault) == [fault])
    #expect(failed.first?.steps.first?.outcome?.fault == fault)
    await journal.close()
  }

  @Test(arguments: JournalEngine.available)
  func `an undo is void while all of its rows have failed without a step`(
    engine: JournalEngine
  ) async throws {
    let place = try await engine.place()
    defer { place.keep() }
    let journal = try await place.open(plan: JournalFixture.plan(count: 2))
    for row in try await journal.claim(first, atMost: 2) {
      journal.settle(first, nil, row: row.row.number, end: .done, fault: nil)
    }
    let source = RowSource([JournalFixture.row(1), JournalFixture.row(2)])
    let undo = try await journal.add(.undo, of: 1) { await source.next() }
    let fault = RowFailure("changedSince", "it was changed")
    func isVoid() async throws -> Bool { try await journal.runs()[1].isVoid }
    #expect(try await !isVoid())
    _ = try await journal.claim(undo, atMost: 2)
    journal.settle(undo, nil, row: 1, end: .failed, fault: fault)
    #expect(try await !isVoid())
    journal.settle(undo, nil, row: 2, end: .failed, fault: fault)
    #expect(try await isVoid())
    #expect(try await journal.runs().undone == [])
    // A step that was made stays made.
    try await journal.reopen(undo, [2])
    #expect(try await !isVoid())
    _ = try await journal.claim(undo, atMost: 2)
    try await journal.intend(undo, JournalFixture.intent(2))
    journal.settle(undo, JournalFixture.outcome(2), row: 2, end: .failed, fault: fault)
    #expect(try await !isVoid())
    #expect(try await journal.runs().undone == [1])
    await journal.close()
  }

  @Test(arguments: JournalEngine.available)
  func `failed rows wait again and keep what they did`(engine: JournalEngine) async throws {
    let place = try await engine.place()
    defer { place.keep() }
    var journal = try await place.open(plan: JournalFixture.plan(count: 3))
    let fault = RowFailure("emailExists", "the address is taken")
    for row in try await journal.claim(first, atMost: 2) {
      let number = row.row.number
      try await journal.intend(first, JournalFixture.intent(number, 1))
      journal.settle(first, JournalFixture.outcome(number, 1), row: number, end: nil, fault: nil)
      try await journal.intend(first, JournalFixture.intent(number, 2))
      journal.settle(
        first, JournalFixture.outcome(number, 2, .failed, fault: fault), row: number, end: .failed,
        fault: fault)
    }
    #expect(try await journal.reopenFailed(first) == 2)
    #expect(try await journal.reopenFailed(first) == 0)
    #expect(try await journal.tally(first).rows == [.waiting: 3])
    await journal.close()

    journal = try await place.open()
    let rows = try await journal.claim(first, atMost: 9)
    #expect(rows.map(\.row.number) == [1, 2, 3])
    #expect(rows[0].steps.map(\.outcome?.result) == [.done, .failed])
    // The step is done anew: its first end is forgotten, its first image too.
    try await journal.intend(first, JournalFixture.intent(1, 2, hash: "later"))
    #expect(try await journal.tally(first).steps == [.done: 2, .failed: 1])
    journal.settle(first, JournalFixture.outcome(1, 2), row: 1, end: .done, fault: nil)
    #expect(try await journal.tally(first).steps == [.done: 3, .failed: 1])
    var query = RowQuery()
    query.states = [.done]
    query.withSteps = true
    let done = try await journal.rows(first, query, after: nil, atMost: 9)
    #expect(done.map(\.fault) == [nil])
    #expect(done.first?.steps.last?.intent.before?["passwordHash"] == "later")
    await journal.close()
  }

  @Test(arguments: JournalEngine.available)
  func `failed rows are counted once when nobody has asked for them before`(
    engine: JournalEngine
  ) async throws {
    let place = try await engine.place()
    defer { place.keep() }
    var journal = try await place.open(plan: JournalFixture.plan(count: 2))
    for row in try await journal.claim(first, atMost: 2) {
      journal.settle(
        first, nil, row: row.row.number, end: .failed, fault: RowFailure("gone", "it is gone"))
    }
    try await journal.flush()
    await journal.close()

    journal = try await place.open()
    #expect(try await journal.reopenFailed(first) == 2)
    #expect(try await journal.tally(first).rows == [.waiting: 2])
    await journal.close()
  }

  @Test(arguments: JournalEngine.available)
  func `rows that failed are opened again by their numbers, and no others`(
    engine: JournalEngine
  ) async throws {
    let place = try await engine.place()
    defer { place.keep() }
    let journal = try await place.open(plan: JournalFixture.plan(count: 4))
    _ = try await journal.claim(first, atMost: 3)
    let fault = RowFailure("networkError", "no answer")
    for (row, state) in [(1, RowState.failed), (2, .failed), (3, .done)] {
      journal.settle(
        first, nil, row: Int64(row), end: state, fault: state == .failed ? fault : nil)
    }
    try await journal.reopen(first, [2, 3, 4])
    #expect(
      try await journal.tally(first).rows.filter { $0.value != 0 }
        == [.failed: 1, .waiting: 2, .done: 1])
    #expect(try await journal.claim(first, atMost: 9).map(\.row.number).sorted() == [2, 4])
    await journal.close()
  }

  @Test(arguments: JournalEngine.available)
  func `a step that needed no call has an outcome without an intent`(
    engine: JournalEngine
  ) async throws {
    let place = try await engine.place()
    defer { place.keep() }
    let journal = try await place.open(plan: JournalFixture.plan(count: 1))
    _ = try await journal.claim(first, atMost: 1)
    journal.settle(
      first, JournalFixture.outcome(1, 1, .already), row: 1, end: .done, fault: nil)
    try await journal.flush()
    #expect(try await journal.tally(first).steps == [.already: 1])
    #expect(try await journal.tally(first).rows == [.done: 1])
    await journal.close()
  }

  @Test(arguments: JournalEngine.available)
  func `sixty-four tasks share the commits and lose nothing`(engine: JournalEngine) async throws {
    let place = try await engine.place()
    defer { place.keep() }
    var journal = try await place.open(plan: JournalFixture.plan(count: 640))
    let run = first
    let shared = journal
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<64 {
        group.addTask {
          while true {
            let rows = try await shared.claim(run, atMost: 3)
            if rows.isEmpty { return }
            for row in rows {
              let number = row.row.number
              try await shared.intend(run, JournalFixture.intent(number))
              shared.settle(
                run, JournalFixture.outcome(number), row: number, end: .done, fault: nil)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    await journal.close()
    journal = try await place.open()
    #expect(try await journal.tally(first).rows == [.done: 640])
    #expect(try await journal.tally(first).steps == [.done: 640])
    await journal.close()
  }

  @Test(arguments: JournalEngine.available)
  func `a run of its own is there whole or not at all`(engine: JournalEngine) async throws {
    let place = try await engine.place()
    defer { place.keep() }
    var journal = try await place.open(plan: JournalFixture.plan(count: 3))
    let source = RowSource((1...5000).map { JournalFixture.row($0) })
    await #expect(throws: BatchProblem.self) {
      _ = try await journal.add(.undo, of: 1) { () async throws(BatchProblem) in
        let row = await source.next()
        if row?.number == 4500 { throw BatchProblem(.unavailable, "cut off", hint: "") }
        return row
      }
    }
    #expect(try await journal.runs() == [first])
    let rest = RowSource((1...2).reversed().map { JournalFixture.row($0) })
    let run = try await journal.add(.finalize, of: 1) { () async throws(BatchProblem) in
      await rest.next()
    }
    #expect(run == BatchRun(number: run.number, kind: .finalize, of: 1))
    await journal.close()

    journal = try await place.open()
    #expect(try await journal.runs() == [first, run])
    #expect(try await journal.tally(run).rows == [.waiting: 2])
    #expect(try await journal.tally(first).rows == [.waiting: 3])
    #expect(try await journal.claim(run, atMost: 9).map(\.row.number) == [1, 2])
    #expect(try await journal.claim(first, atMost: 9).map(\.row.number) == [1, 2, 3])
    await journal.close()
  }

  @Test(arguments: JournalEngine.available)
  func `rows that cannot be told apart are refused`(engine: JournalEngine) async throws {
    let place = try await engine.place()
    defer { place.keep() }
    for numbers in [[1, 2, 2], [0], [-1], [Int64.max]] as [[Int64]] {
      let problem = await #expect(throws: BatchProblem.self) {
        var rows = [JournalFixture.row(7)]
        for number in numbers {
          rows.append(JournalFixture.row(7))
          rows[rows.count - 1].number = number
        }
        _ = try await place.open(plan: JournalFixture.plan(rows))
      }
      #expect(problem?.code == .notLoaded)
    }
    let journal = try await place.open(plan: JournalFixture.plan(count: 2))
    #expect(try await journal.tally(first).rows == [.waiting: 2])
    await journal.close()
  }

  @Test(arguments: JournalEngine.available)
  func `a journal belongs to its plan and project`(engine: JournalEngine) async throws {
    let place = try await engine.place()
    defer { place.keep() }
    let problem = await #expect(throws: BatchProblem.self) { try await place.open() }
    #expect(problem?.code == .usage)
    try await place.open(plan: JournalFixture.plan(count: 2)).close()
    let other = String(repeating: "ef", count: 32)
    let changed = await #expect(throws: BatchProblem.self) {
      try await place.open(plan: JournalFixture.plan([], digest: other))
    }
    #expect(changed?.code == .usage)
    #expect(changed?.message.contains("abababababab") == true)
    #expect(changed?.message.contains("efefefefefef") == true)
    let elsewhere = await #expect(throws: BatchProblem.self) {
      try await place.open(plan: JournalFixture.plan([], project: "other"))
    }
    #expect(elsewhere?.message.contains("acme") == true)
    #expect(elsewhere?.message.contains("other") == true)
    // Its own plan fits, and its rows are not read again.
    let journal = try await place.open(plan: JournalFixture.plan([]))
    #expect(try await journal.tally(first).rows == [.waiting: 2])
    await journal.close()
  }

  @Test(arguments: JournalEngine.available)
  func `who works on a run is on record`(engine: JournalEngine) async throws {
    let place = try await engine.place()
    defer { place.keep() }
    var journal = try await place.open(plan: JournalFixture.plan(count: 1))
    let begun = BatchSession.now(
      first, reason: "TICKET-12", environment: ["SUDO_USER": "ada"],
      arguments: ["luath", "batch", "run", "my plan.ndjson", "--queue", "postgres://u:pw@h/d"])
    #expect(begun.command == "luath batch run 'my plan.ndjson' --queue URL")
    #expect(begun.operatorName.hasSuffix(" (sudo by ada)") && !begun.host.isEmpty)
    let continued = BatchSession.now(first, reason: nil, environment: [:], arguments: ["luath"])
    try await journal.record(begun)
    try await journal.record(continued)
    await journal.close()
    journal = try await place.open()
    #expect(try await journal.sessions() == [begun, continued])
    await journal.close()
  }

  @Test(arguments: JournalEngine.available)
  func `a plan without rows is one`(engine: JournalEngine) async throws {
    let place = try await engine.place()
    defer { place.keep() }
    let journal = try await place.open(plan: JournalFixture.plan([]))
    #expect(try await journal.tally(first) == BatchTally())
    #expect(try await journal.claim(first, atMost: 5).isEmpty)
    #expect(try await journal.rows(first, RowQuery(), after: nil, atMost: 5).isEmpty)
    await journal.close()
  }

  @Test(arguments: JournalEngine.available)
  func `nothing can be written once it is closed`(engine: JournalEngine) async throws {
    let place = try await engine.place()
    defer { place.keep() }
    let journal = try await place.open(plan: JournalFixture.plan(count: 1))
    await journal.close()
    await journal.close()
    journal.settle(first, JournalFixture.outcome(1), row: 1, end: .done, fault: nil)
    await #expect(throws: BatchProblem.self) {
      try await journal.intend(first, JournalFixture.intent(1))
    }
    await #expect(throws: BatchProblem.self) { try await journal.flush() }
  }
}
