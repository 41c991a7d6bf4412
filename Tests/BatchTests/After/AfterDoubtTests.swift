@testable import Batch
@testable import System
import Testing

@Suite(.timeLimit(.minutes(2))) struct AfterDoubtTests {
  @Test func `a step in doubt is undone only if it was carried out`() async throws {
    try await EmulatedProject.run { project in
      try await project.addPeople(2)
      let run = try await FinishedRun.of(
        [
          [.update(uid: "a0", fields: ["displayName": "New"])],
          [.update(uid: "a1", fields: ["displayName": "New"])],
        ], in: project)
      // As if the runner had died after its first intent, and before its second call.
      for (row, name) in [(Int64(1), "New"), (2, "Never")] {
        let intent = StepIntent(
          row: row, step: 1,
          change: .update(uid: "a\(row - 1)", body: ["displayName": .string(name)]),
          before: ["localId": .string("a\(row - 1)")], at: 1)
        try await run.journal.intend(run.run, intent)
      }
      let undoing = try await Undoing(run.run, of: run.journal)
      #expect(undoing.hasDoubts && undoing.count == 2)
      let (_, end) = try await run.undo()
      #expect(end.status.tally.rows[.done] == 2)
      #expect(end.status.tally.steps == [.done: 1])
      #expect(try await project.account("a0")?["displayName"] == nil)
      #expect(try await project.account("a1")?["displayName"] == "New")
      await run.journal.close()
    }
  }

  @Test func `rows that were tried again are undone in the order in which they ended`() async throws
  {
    try await EmulatedProject.run { project in
      try await project.addPeople(1)
      let before = try await project.restorable()
      let run = try await FinishedRun.of(
        [
          [.update(uid: "b0", fields: ["disabled": true])],
          [.update(uid: "a0", fields: ["displayName": "2"])],
          [.update(uid: "a0", fields: ["displayName": "3"])],
        ], in: project)
      #expect(run.end.status.tally.rows[.failed] == 1)
      try await project.addPeople(1, prefix: "b")
      #expect(try await run.journal.reopenFailed(run.run) == 1)
      #expect(try await project.execute(run.run, of: run.journal).status.tally.rows[.done] == 3)
      let (undo, end) = try await run.undo()
      #expect(end.status.tally.rows[.done] == 3)
      #expect(try await run.row(1, of: undo).row.key == "key1")
      var after = try await project.restorable()
      after["b0"] = nil
      #expect(after == before)
      await run.journal.close()
    }
  }
}
