@testable import System
@testable import Host
import Testing

@testable import Batch

/// The closing lines and exit codes of a process that ends while others have rows of the run, or have failed rows.
@Suite(
  .timeLimit(.minutes(3)),
  .enabled(if: PostgresServer.isInstalled, "Debian's package postgresql is missing"))
struct PostgresEndTests {
  private let first = BatchRun(number: 1, kind: .run)

  private static func plan(_ count: Int64) -> JournalPlan {
    JournalFixture.plan(
      (1...count).map { number in
        PlannedRow(
          number: number, line: number + 1, key: "key \(number)", input: nil,
          decision: .run([.update(uid: "a\(number - 1)", fields: ["disabled": true])]))
      })
  }

  private func executor(
    _ project: EmulatedProject, _ journal: PostgresJournal, limit: Int? = nil
  ) -> Executor {
    var settings = BatchSettings()
    settings.rows = limit
    return Executor(
      first, of: journal, settings: settings, on: project.loop, shared: journal
    ) { (loop) throws(BatchProblem) in try project.makeAdmin(loop) }
  }

  private func lines(_ end: BatchEnd) -> [String] {
    let next = BatchNextStep(
      after: first, of: "p", target: " --target T", isOnly: true, again: "the same command")
    return end.summary(of: "p", then: next).split(separator: "\n").map(String.init)
      .filter { !$0.hasPrefix("time:") }
  }

  @Test func `a process that ends early says who has the rows that are left`() async throws {
    try await EmulatedProject.run { project in
      try await project.addPeople(6)
      let url = try await PostgresServer.shared.url()
      let other = try await PostgresJournal.open(url, Self.plan(6))
      #expect(try await other.claim(first, atMost: 2).count == 2)
      let journal = try await PostgresJournal.open(url)

      let limited = try await executor(project, journal, limit: 2).run()
      #expect(limited.exitStatus.rawValue == 0)
      #expect(
        lines(limited) == [
          "rows: 2 done, 2 left, 2 under way elsewhere", "steps: 2 done",
          "of these by this process: 2 rows, steps: 2 done", "ended early: --limit is reached",
          "next: other processes go on with the 4 rows that are left; the same command joins them",
        ])

      let last = try await executor(project, journal, limit: 2).run()
      #expect(last.exitStatus.rawValue == 0)
      #expect(
        lines(last) == [
          "rows: 4 done, 2 under way elsewhere", "steps: 4 done",
          "of these by this process: 2 rows, steps: 2 done", "ended early: --limit is reached",
          "next: other processes have the 2 rows that are left; luath batch status p shows how far they are",
        ])

      // Only the other process has rows, so this one waits until it is drained.
      let drained = executor(project, journal)
      async let ending = drained.run()
      await drained.control(.drain)
      let end = try await ending
      #expect(end.exitStatus.rawValue == 130)
      #expect(lines(end).contains("of these by this process: 0 rows, steps: none"))
      #expect(lines(end).last?.hasPrefix("next: other processes have the 2 rows") == true)
      await other.close()
      await journal.close()
    }
  }

  @Test func `rows that another process has left failed or in doubt decide the exit code of all`()
    async throws
  {
    try await EmulatedProject.run { project in
      try await project.addPeople(3)
      let url = try await PostgresServer.shared.url()
      let other = try await PostgresJournal.open(url, Self.plan(3))
      let rows = try await other.claim(first, atMost: 2).map(\.row.number)
      let journal = try await PostgresJournal.open(url)
      let run = executor(project, journal)
      async let ending = run.run()
      // This one does what is left, and waits for the other.
      while try await other.tally(first).rows[.done] != 1 { await Task.yield() }
      other.settle(
        first, nil, row: rows[0], end: .failed, fault: RowFailure("userNotFound", "no such account")
      )
      other.settle(
        first, nil, row: rows[1], end: .failed, fault: RowFailure(RowFailure.inDoubt, "unknown"))
      try await other.flush()
      let end = try await ending
      #expect(end.exitStatus.rawValue == 1)
      #expect(
        lines(end).prefix(3) == [
          "rows: 1 done, 2 failed", "steps: 1 done",
          "of these by this process: 1 row, steps: 1 done",
        ])
      // A process that comes late has nothing to do, and says the same.
      let late = try await executor(project, other).run()
      #expect(late.exitStatus.rawValue == 1)
      #expect(lines(late)[0] == "rows: 1 done, 2 failed")
      #expect(lines(late)[2] == "of these by this process: 0 rows, steps: none")
      await other.close()
      await journal.close()
    }
  }
}
