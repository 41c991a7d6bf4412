@testable import Batch
@testable import Emulator
@testable import System
import Testing

/// Rows of which a later step is refused: what was done before is taken back, or the row is half done.
@Suite(.timeLimit(.minutes(2))) struct TakingBackTests {
  private static let merge: [Batch.Operation] = [
    .merge(survivor: "a0", loser: "b0", providers: nil)
  ]

  /// Accounts of one person, and an emulator that refuses so many updates after the first one.
  private static func addPeople(
    _ project: EmulatedProject, refusing count: Int64, after passed: Int64 = 1
  ) async throws {
    try await project.addPeople(1)
    try await project.addPeople(1, provider: "yahoo.com", prefix: "b")
    try await refuse(count, after: passed, in: project)
  }

  private static func refuse(
    _ count: Int64, after passed: Int64 = 0, in project: EmulatedProject
  ) async throws {
    try await project.setFaults([
      [
        "operation": "update", "error": "FEDERATED_USER_ID_ALREADY_LINKED",
        "after": .integer(passed), "count": .integer(count),
      ]
    ])
  }

  private static func carriedOut(_ project: EmulatedProject) async throws -> Int {
    try await project.log("update").filter { $0["status"] == 200 }.count
  }

  private static func rows(_ end: BatchEnd) -> [RowState: Int64] {
    end.status.tally.rows.filter { $0.value != 0 }
  }

  private static func steps(_ end: BatchEnd) -> [StepOutcome.Result: Int64] {
    end.status.tally.steps.filter { $0.value != 0 }
  }

  @Test func `a merge that is refused after its first step leaves everything as it was`()
    async throws
  {
    try await EmulatedProject.run { project in
      try await Self.addPeople(project, refusing: 1)
      let before = try await project.restorable()
      let run = try await FinishedRun.of([Self.merge], in: project)
      #expect(run.end.problem == nil)
      #expect(Self.rows(run.end) == [.failed: 1])
      #expect(Self.steps(run.end) == [.done: 1, .failed: 1, .takenBack: 1])
      #expect(try await run.journal.tally(run.run) == run.end.status.tally.withoutZeros)
      #expect(try await project.restorable() == before)
      let row = try await run.row(1)
      #expect(row.fault?.code == "credentialAlreadyInUse")
      #expect(
        row.fault?.message.hasSuffix("; the earlier steps of the row were taken back") == true)
      #expect(row.steps.map(\.intent.step) == [-1000, 1, 2])
      #expect(row.steps.map(\.outcome?.result) == [.done, .takenBack, .failed])
      #expect(RowDescription(row, of: run.run).text.contains("taking step 1 back: "))
      // Nothing is left to undo or to verify.
      #expect(try await Undoing(run.run, of: run.journal).count == 0)
      let (findings, words) = try await run.verify()
      #expect(words == [] && findings.unfinished == 1 && findings.halfDone == 0)
      await run.journal.close()
    }
  }

  @Test func `a row that was taken back begins anew when it is tried again`() async throws {
    try await EmulatedProject.run { project in
      try await Self.addPeople(project, refusing: 1)
      let run = try await FinishedRun.of([Self.merge], in: project)
      try await project.change("b0", ["deleteProvider": ["yahoo.com"]])
      try await project.change(
        "b0", ["linkProviderUserInfo": ["providerId": "google.com", "rawId": "later"]])
      #expect(try await run.journal.reopenFailed(run.run) == 1)
      let end = try await project.execute(run.run, of: run.journal)
      #expect(Self.rows(end) == [.done: 1])
      #expect(Self.steps(end) == [.done: 3])
      #expect(try await run.journal.tally(run.run) == end.status.tally.withoutZeros)
      #expect(try await project.account("a0")?.identities == ["google.com/later"])
      #expect(try await run.row(1).steps.map(\.intent.step) == [1, 2, 3])
      #expect(try await run.verify().words == [])
      await run.journal.close()
    }
  }

  @Test func `steps are taken back in reverse order, over several operations`() async throws {
    try await EmulatedProject.run { project in
      try await Self.addPeople(project, refusing: 1, after: 2)
      let before = try await project.restorable()
      let run = try await FinishedRun.of(
        [
          [
            .unlink(uid: "b0", providerID: "yahoo.com"),
            .update(uid: "a0", fields: ["displayName": "Ada"]), link("a0", "b-raw-0", "yahoo.com"),
          ]
        ], in: project)
      #expect(Self.rows(run.end) == [.failed: 1])
      #expect(Self.steps(run.end) == [.done: 2, .failed: 1, .takenBack: 2])
      #expect(try await run.row(1).steps.map(\.intent.step) == [-2000, -1000, 1, 2, 3])
      let uids = try await project.log("update").filter { $0["status"] == 200 }.compactMap {
        $0["request"]?["localId"]?.string
      }
      #expect(uids == ["b0", "a0", "a0", "b0"])
      #expect(try await project.restorable() == before)
      await run.journal.close()
    }
  }

  @Test(arguments: [1, 3])
  func `a run that dies on the way takes the row back later, and nothing twice`(_ life: Int)
    async throws
  {
    try await EmulatedProject.run { project in
      try await Self.addPeople(project, refusing: 1)
      let before = try await project.restorable()
      let journal = try await ScratchJournal([Self.merge])
      journal.die(after: life)
      let broken = try await project.execute(journal, FinishedRun.settings)
      #expect(broken.problem?.message == "the machine is gone")
      try await journal.revive()
      let end = try await project.execute(journal, FinishedRun.settings)
      #expect(end.problem == nil)
      #expect(Self.rows(end) == [.failed: 1])
      let row = try #require(try await journal.rows().first)
      #expect(row.fault?.code == "credentialAlreadyInUse")
      #expect(row.fault?.message.contains("were taken back") == true)
      #expect(try await project.restorable() == before)
      // The unlink, and the link that takes it back.
      #expect(try await Self.carriedOut(project) == 2)
    }
  }

  @Test func `a row that cannot be taken back is half done, and everybody says so`() async throws {
    try await EmulatedProject.run { project in
      try await Self.addPeople(project, refusing: 2)
      let run = try await FinishedRun.of([Self.merge], in: project)
      #expect(Self.rows(run.end) == [.halfDone: 1])
      #expect(Self.steps(run.end) == [.done: 1, .failed: 2])
      #expect(run.end.status.total == 1 && run.end.status.ended == 1)
      #expect(try await project.account("b0")?.identities == [])
      let row = try await run.row(1)
      #expect(row.state == .halfDone && row.fault?.code == "halfDone")
      #expect(row.fault?.message.contains("(credentialAlreadyInUse); earlier steps") == true)
      #expect(row.fault?.message.contains("could not be taken back: ") == true)

      let (findings, words) = try await run.verify()
      #expect(findings.halfDone == 1 && findings.unfinished == 1)
      #expect(words.count == 1 && words[0].hasPrefix("1: half done: "))
      let summary = try await JournalSummary(run.run, of: run.journal)
      #expect(summary.text.contains("1 half done\n"))
      #expect(summary.causes.first?.hasPrefix("1 halfDone: ") == true)
      #expect(summary.json(among: [run.run])["rows"]?["halfDone"] == 1)
      let page = String(
        decoding: try await BatchPage(run.run, of: run.journal).bytes, as: UTF8.self)
      #expect(page.contains("Why rows are half done"))
      let path = run.scratch.path("half.ndjson")
      let export = try RowExport(
        run.run, of: run.journal, states: [.halfDone], format: .ndjson)
      #expect(try await export.write(to: path) == 1)
      let line = try JSON.parse(try run.scratch.read(path))
      #expect(line["luath_state"] == "halfDone" && line["luath_code"] == "halfDone")
      let next = BatchNextStep(
        after: run.run, of: "plan.ndjson", target: " --target t", isOnly: true, again: "again")
      #expect(
        next.words(left: 0, summary.tally, summary.failures)
          == "1 row is half done: luath batch export plan.ndjson --half-done shows why, luath batch retry "
          + "plan.ndjson --target t --code halfDone --execute takes back the rest and tries again\n"
      )
      #expect(
        next.words(left: 2, summary.tally, summary.failures).hasSuffix(
          "lets it wait again\nnext: again continues with the 2 rows that are left\n"))
      await run.journal.close()
    }
  }

  @Test func `a half-done row that is tried again is taken back first`() async throws {
    try await EmulatedProject.run { project in
      try await Self.addPeople(project, refusing: 3)
      let run = try await FinishedRun.of([Self.merge], in: project)
      // The third refusal: it stays half done.
      #expect(try await run.journal.reopenFailed(run.run) == 1)
      let second = try await project.execute(run.run, of: run.journal)
      #expect(Self.rows(second) == [.halfDone: 1])
      #expect(try await Self.carriedOut(project) == 1)

      try await run.journal.reopen(run.run, [1])
      let third = try await project.execute(run.run, of: run.journal)
      #expect(Self.rows(third) == [.done: 1])
      #expect(try await run.journal.tally(run.run).steps == [.done: 3])
      #expect(try await project.account("a0")?.identities == ["yahoo.com/b-raw-0"])
      // The unlink, what took it back, and the three steps of the merge.
      #expect(try await Self.carriedOut(project) == 5)
      let (findings, words) = try await run.verify()
      #expect(words == [] && findings.halfDone == 0)
      await run.journal.close()
    }
  }

  @Test func `an undo takes back what a half-done row did`() async throws {
    try await EmulatedProject.run { project in
      try await Self.addPeople(project, refusing: 2)
      let before = try await project.restorable()
      let run = try await FinishedRun.of([Self.merge], in: project)
      #expect(Self.rows(run.end) == [.halfDone: 1])
      let (_, end) = try await run.undo()
      #expect(Self.rows(end) == [.done: 1])
      #expect(try await project.restorable() == before)
      #expect(try await run.verify().findings.halfDone == 0)
      await run.journal.close()
    }
  }

  @Test func `what somebody changed meanwhile is left as it is`() async throws {
    try await EmulatedProject.run { project in
      try await Self.addPeople(project, refusing: 1)
      let journal = try await ScratchJournal([Self.merge])
      // It dies when the second step is refused, before it knows.
      journal.die(after: 2)
      #expect(try await project.execute(journal, FinishedRun.settings).problem != nil)
      try await project.change(
        "b0", ["linkProviderUserInfo": ["providerId": "yahoo.com", "rawId": "other"]])
      try await Self.refuse(1, in: project)
      try await journal.revive()
      let end = try await project.execute(journal, FinishedRun.settings)
      #expect(Self.rows(end) == [.halfDone: 1])
      let row = try #require(try await journal.rows().first)
      #expect(row.fault?.message.contains("b0 was changed after the run") == true)
      #expect(row.steps.map(\.intent.step) == [1, 2])
      #expect(try await project.account("b0")?.identities == ["yahoo.com/other"])
    }
  }

  @Test func `a row that cannot be completed fails before its first step`() async throws {
    try await EmulatedProject.run { project in
      try await project.addPeople(4)
      try await project.addPeople(1, provider: "yahoo.com", prefix: "b")
      try await project.addPeople(1, provider: "microsoft.com", prefix: "c")
      let run = try await FinishedRun.of(
        [
          [.unlink(uid: "b0", providerID: "yahoo.com"), link("a1", "c-raw-0")],
          [link("a0", "m0"), link("missing", "m1")],
          [link("a0", "m0"), .update(uid: "a0", fields: ["email": "a1@corp.example"])],
          // These can be: the row frees the identity itself, and the deletion is in effect.
          [.unlink(uid: "c0", providerID: "microsoft.com"), link("a1", "c-raw-0")],
          [.delete(uid: "gone"), link("a2", "m2")],
        ], in: project)
      var codes: [String?] = []
      for number in Int64(1)...5 { codes.append(try await run.row(number).fault?.code) }
      #expect(
        codes == ["credentialAlreadyInUse", "userNotFound", "emailAlreadyInUse", nil, nil])
      #expect(Self.rows(run.end) == [.done: 2, .failed: 3])
      for number in Int64(1)...3 { #expect(try await run.row(number).steps.isEmpty) }
      #expect(try await project.log("update").count == 3)
      #expect(try await project.account("b0")?.identities == ["yahoo.com/b-raw-0"])
      await run.journal.close()
    }
  }

  @Test(arguments: JournalEngine.available)
  func `a half-done row waits again, and begins anew once its steps are taken back`(
    engine: JournalEngine
  ) async throws {
    let place = try await engine.place()
    defer { place.keep() }
    let first = BatchRun(number: 1, kind: .run)
    var journal = try await place.open(plan: JournalFixture.plan(count: 2))
    _ = try await journal.claim(first, atMost: 2)
    let fault = RowFailure("halfDone", "it cannot be taken back")
    for step in [1, -1000] {
      try await journal.intend(first, JournalFixture.intent(1, step))
      journal.settle(first, JournalFixture.outcome(1, step), row: 1, end: nil, fault: nil)
    }
    journal.settle(
      first, JournalFixture.outcome(1, 1, .takenBack), row: 1, end: .halfDone, fault: fault)
    try await journal.flush()
    let tally = try await journal.tally(first)
    #expect(tally.rows == [.halfDone: 1, .claimed: 1] && tally.failed == 1)
    #expect(tally.steps == [.done: 1, .takenBack: 1])
    var query = RowQuery()
    query.states = [.halfDone]
    #expect(try await JournalFixture.all(of: journal, first, query).map(\.fault) == [fault])
    await journal.close()

    journal = try await place.open()
    #expect(try await journal.reopenFailed(first) == 1)
    #expect(try await journal.tally(first).rows == [.waiting: 2])
    let steps = try await journal.claim(first, atMost: 1).flatMap(\.steps)
    #expect(steps.map(\.intent.step) == [-1000, 1])
    #expect(steps.map(\.outcome?.result) == [.done, .takenBack])
    #expect(steps.first?.intent.before?["passwordHash"] == "hash")
    #expect(Set(try await journal.forget(first, row: 1)) == [.done, .takenBack])
    #expect(try await journal.tally(first).steps == [:])
    try await journal.release(first, [1])
    #expect(try await journal.claim(first, atMost: 1).first?.steps.count == 0)
    await journal.close()
  }

  @Test func `steps that take others back are numbered in their order`() {
    let numbers = [(3, 0), (3, 1), (2, 0), (1, 0), (1, 999)].map {
      StepIntent.number(takingBack: $0, part: $1)
    }
    #expect(numbers == numbers.sorted() && Set(numbers).count == 5)
    #expect(numbers.map(StepIntent.stepTakenBack) == [3, 3, 2, 1, 1])
    #expect(StepIntent.stepTakenBack(by: 1) == nil)
  }
}

extension BatchTally {
  /// The tally as a journal counts it.
  fileprivate var withoutZeros: BatchTally {
    BatchTally(rows: rows.filter { $0.value != 0 }, steps: steps.filter { $0.value != 0 })
  }
}
