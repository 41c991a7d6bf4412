@testable import Batch
@testable import System
import Testing

@Suite(.timeLimit(.minutes(2))) struct AfterUndoTests {
  /// One row of each kind of operation, over accounts that have much to lose.
  private static func addPeople(_ project: EmulatedProject) async throws {
    try await project.addPeople(12)
    try await project.addPeople(4, provider: "yahoo.com", prefix: "b")
    try await project.addHashed([
      [
        "localId": "rich", "email": "rich@corp.example", "emailVerified": true,
        "displayName": "Rich", "photoUrl": "https://corp.example/r.png",
        "phoneNumber": "+4915112345678", "customAttributes": #"{"plan":"gold"}"#,
        "passwordHash": "ZmFrZQ", "salt": "c2FsdA", "createdAt": "1700000000000",
        "lastLoginAt": "1700000001000",
        "providerUserInfo": [
          ["providerId": "google.com", "rawId": "g1", "email": "rich@gmail.example"],
          ["providerId": "yahoo.com", "rawId": "y1", "displayName": "R"],
        ],
        "mfaInfo": [
          [
            "mfaEnrollmentId": "f1", "displayName": "phone", "phoneInfo": "+4915112345679",
            "enrolledAt": "2030-01-01T00:00:00Z",
          ]
        ],
      ]
    ])
  }

  private static let operations: [[Batch.Operation]] = [
    [.merge(survivor: "a0", loser: "b0", providers: nil)],
    [.merge(survivor: "a1", loser: "rich", providers: nil)],
    [link("a2", "m2"), .update(uid: "a2", fields: ["displayName": "New"])],
    [.unlink(uid: "b1", providerID: "yahoo.com")],
    [.update(uid: "a3", fields: ["email": "new@corp.example", "customClaims": ["a": 1]])],
    [.update(uid: "a3", fields: ["disabled": true])],
    [
      .update(uid: "a4", fields: ["displayName": "1"]),
      .update(uid: "a4", fields: ["displayName": "2"]),
    ],
    [.create(account: ["uid": "new", "email": "made@corp.example"], hash: nil)],
    [.update(uid: "a5", fields: ["phoneNumber": "+4915112345600"])],
  ]

  @Test func `what can be restored is as it was before the run, byte for byte`() async throws {
    try await EmulatedProject.run { project in
      try await Self.addPeople(project)
      let before = try await project.restorable()
      let run = try await FinishedRun.of(Self.operations, in: project)
      #expect(try await JournalSummary(run.run, of: run.journal).failures.lines == [])
      #expect(run.end.status.tally.rows[.done] == 9)
      #expect(try await project.restorable() != before)
      let (undo, end) = try await run.undo()
      #expect(undo.kind == .undo && undo.of == 1 && undo.number == 2)
      #expect(end.status.tally.rows[.done] == 9)
      let after = try await project.restorable()
      #expect(after.keys.sorted() == before.keys.sorted())
      for (uid, account) in before { #expect(after[uid] == account) }
      #expect(try await run.verify().words == [])
      await run.journal.close()
    }
  }

  @Test func `an undo can be undone`() async throws {
    try await EmulatedProject.run { project in
      try await Self.addPeople(project)
      let run = try await FinishedRun.of(Self.operations, in: project)
      let done = try await project.restorable()
      let (undo, _) = try await run.undo()
      let (again, end) = try await run.undo(undo)
      #expect(again.of == undo.number)
      #expect(end.status.tally.rows[.failed] ?? 0 == 0)
      var found = try await project.restorable()
      // An import makes its account anew, with the time of its first making.
      for (uid, account) in done { #expect(found.removeValue(forKey: uid) == account) }
      #expect(found.isEmpty)
      #expect(try await run.journal.runs().undone == [2])
      let rows = Int64(Self.operations.count)
      let good = try await run.verify().findings
      #expect(good.rows == rows && good.different == 0 && good.unfinished == 0)
      await run.journal.close()
    }
  }

  @Test func `what somebody changed since is left as it is, and the row says so`() async throws {
    try await EmulatedProject.run { project in
      try await project.addPeople(6)
      try await project.addPeople(6, provider: "yahoo.com", prefix: "b")
      let run = try await FinishedRun.of(
        (0..<6).map { [.merge(survivor: "a\($0)", loser: "b\($0)", providers: nil)] }, in: project)
      try await project.change("b2", ["disableUser": false])
      try await project.change("a4", ["displayName": "somebody else's business"])
      let (undo, end) = try await run.undo()
      #expect(end.status.tally.rows[.done] == 5)
      #expect(end.status.tally.rows[.failed] == 1)
      // The row that ended last is undone first; the six ran side by side.
      var rows: [RowRecord] = []
      for number in 1...6 { rows.append(try await run.row(Int64(number), of: undo)) }
      let kept = try #require(rows.first { $0.row.key == "key3" })
      #expect(kept.fault?.code == "changedSince")
      #expect(
        kept.fault?.message
          == "b2 was changed after the run (disabled), so that nothing of the row was undone")
      #expect(try await project.account("a2")?.identities == ["yahoo.com/b-raw-2"])
      #expect(try await project.account("b4")?.identities == ["yahoo.com/b-raw-4"])
      #expect(try await project.account("a4")?["displayName"] == "somebody else's business")
      await run.journal.close()
    }
  }

  @Test func `an undo of which all rows failed has undone nothing`() async throws {
    try await EmulatedProject.run { project in
      try await project.addPeople(1)
      let run = try await FinishedRun.of(
        [[.update(uid: "a0", fields: ["displayName": "New"])]], in: project)
      try await project.change("a0", ["displayName": "Somebody"])
      let failed = try await run.undo()
      #expect(failed.end.status.tally.rows[.failed] == 1)
      #expect(try await run.journal.runs().map(\.isVoid) == [false, true])
      #expect(try await run.journal.runs().undone == [])

      try await project.change("a0", ["displayName": "New"])
      let undo = try await run.undo()
      #expect(undo.end.status.tally.rows[.done] == 1)
      #expect(try await run.journal.runs().undone == [1])
      // A redo that does nothing leaves the run undone.
      try await project.change("a0", ["displayName": "Somebody"])
      let redo = try await run.undo(undo.run)
      #expect(redo.end.status.tally.rows[.failed] == 1)
      let runs = try await run.journal.runs()
      #expect(runs.undone == [1])
      #expect(runs.undo(of: runs[0])?.number == undo.run.number)
      await run.journal.close()
    }
  }

  @Test func `an undo that was broken off goes on, and does nothing twice`() async throws {
    try await EmulatedProject.run { project in
      try await project.addPeople(60)
      try await project.addPeople(60, provider: "yahoo.com", prefix: "b")
      let before = try await project.restorable()
      let run = try await FinishedRun.of(
        (0..<60).map { [.merge(survivor: "a\($0)", loser: "b\($0)", providers: nil)] }, in: project)
      let undoing = try await Undoing(run.run, of: run.journal)
      #expect(undoing.count == 60 && !undoing.hasDoubts)
      let undo = try await run.journal.add(.undo, of: 1, rows: undoing.rows())
      var slow = FinishedRun.settings
      slow.concurrency = 2
      let broken = try await project.execute(undo, of: run.journal, slow, drainedAfter: 5)
      #expect(broken.wasDrained)
      let end = try await project.execute(undo, of: run.journal)
      #expect(end.status.tally.rows[.done] == 60)
      #expect(try await project.restorable() == before)
      #expect(try await project.log("update").count == 360)
      await run.journal.close()
    }
  }

  @Test func `a preview says what would be undone, and what cannot be`() async throws {
    try await EmulatedProject.run { project in
      try await Self.addPeople(project)
      let run = try await FinishedRun.of(
        Self.operations + [
          [.delete(uid: "a9")], [.update(uid: "a8", fields: ["password": "secret1"])],
        ],
        in: project)
      try await project.change("a2", ["displayName": "x"])
      let before = try await project.export()
      let undoing = try await Undoing(run.run, of: run.journal)
      let reader = project.reader
      let preview = try await FollowUpPreview(undoing.rows()) { (uids) async throws(BatchProblem) in
        try await reader.images(of: uids)
      }
      #expect(preview.rows == 11)
      #expect(preview.kept.list.map(\.code).sorted() == ["changedSince", "notRestorable"])
      #expect(preview.lost.keys.contains { $0.hasPrefix("refresh tokens") })
      #expect(try await project.export() == before)
      await run.journal.close()
    }
  }
}
