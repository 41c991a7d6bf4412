@testable import Batch
@testable import System
import Testing

@Suite(.timeLimit(.minutes(2))) struct AfterRunTests {
  private static func merged(_ count: Int, in project: EmulatedProject) async throws -> FinishedRun
  {
    try await project.addPeople(count)
    try await project.addPeople(count, provider: "yahoo.com", prefix: "b")
    return try await FinishedRun.of(
      (0..<count).map { [.merge(survivor: "a\($0)", loser: "b\($0)", providers: nil)] },
      in: project)
  }

  @Test func `finalizing deletes losers, but none that was enabled or claimed anew`() async throws {
    try await EmulatedProject.run { project in
      let run = try await Self.merged(6, in: project)
      try await project.change("b1", ["disableUser": false])
      try await project.change("b2", ["customAttributes": "{}"])
      let finalizing = try await Finalizing(run.run, of: run.journal)
      #expect(finalizing.count == 6)
      let last = try await run.journal.add(.finalize, of: 1, rows: finalizing.rows())
      let end = try await project.execute(last, of: run.journal)
      #expect(end.status.tally.rows[.done] == 4)
      #expect(end.status.tally.rows[.failed] == 2)
      #expect(try await run.row(2, of: last).fault?.code == "changedSince")
      let left = try await project.accounts().keys.filter { $0.hasPrefix("b") }.sorted()
      #expect(left == ["b1", "b2"])
      // All in one call.
      #expect(try await project.log("batchDelete").count == 1)
      #expect(try await Finalizing(run.run, of: run.journal).count == 2)
      await run.journal.close()
    }
  }

  @Test func `finalizing keeps a loser whose survivor is gone or has lost what it got`()
    async throws
  {
    try await EmulatedProject.run { project in
      let run = try await Self.merged(3, in: project)
      try await project.change("a1", ["deleteProvider": ["yahoo.com"]])
      try await project.delete("a2")
      let finalizing = try await Finalizing(run.run, of: run.journal)
      let last = try await run.journal.add(.finalize, of: 1, rows: finalizing.rows())
      let end = try await project.execute(last, of: run.journal)
      #expect(end.status.tally.rows[.done] == 1)
      for row in [Int64(2), 3] {
        #expect(try await run.row(row, of: last).fault?.code == "changedSince")
      }
      let left = try await project.accounts().keys.filter { $0.hasPrefix("b") }.sorted()
      #expect(left == ["b1", "b2"])
      await run.journal.close()
    }
  }

  @Test func `deleted losers come back by an undo, and then their identities`() async throws {
    try await EmulatedProject.run { project in
      try await project.addPeople(4)
      try await project.addPeople(4, provider: "yahoo.com", prefix: "b")
      let before = try await project.restorable()
      let run = try await Self.rerun(project)
      let finalizing = try await Finalizing(run.run, of: run.journal)
      let last = try await run.journal.add(.finalize, of: 1, rows: finalizing.rows())
      #expect(try await project.execute(last, of: run.journal).status.tally.rows[.done] == 4)
      #expect(try await run.verify().words == [])
      #expect(try await run.undo(last).end.status.tally.rows[.done] == 4)
      #expect(try await run.undo().end.status.tally.rows[.done] == 4)
      #expect(try await run.verify().words == [])
      #expect(try await project.restorable() == before)
      await run.journal.close()
    }
  }

  private static func rerun(_ project: EmulatedProject) async throws -> FinishedRun {
    try await FinishedRun.of(
      (0..<4).map { [.merge(survivor: "a\($0)", loser: "b\($0)", providers: nil)] }, in: project)
  }

  @Test func `verifying proves what is as planned, and names what is not`() async throws {
    try await EmulatedProject.run { project in
      let run = try await Self.merged(5, in: project)
      let good = try await run.verify()
      #expect(good.findings.rows == 5 && good.findings.proved == 15)
      #expect(good.words == [])
      try await project.change("a1", ["deleteProvider": ["yahoo.com"]])
      try await project.change("b3", ["disableUser": false])
      #expect(
        try await run.verify().words == [
          "2: a1: changed since: provider yahoo.com", "4: b3: changed since: disabled",
        ])
      await run.journal.close()
    }
  }

  @Test func `verifying names accounts that needed no change and are gone or were changed since`()
    async throws
  {
    try await EmulatedProject.run { project in
      try await project.addPeople(3)
      try await project.addPeople(1, provider: "yahoo.com", prefix: "b")
      let run = try await FinishedRun.of(
        [
          [.unlink(uid: "a0", providerID: "yahoo.com")], [link("b0", "b-raw-0", "yahoo.com")],
          [.update(uid: "a1", fields: ["disabled": false])],
        ], in: project)
      #expect(run.end.status.tally.steps.filter { $0.value > 0 } == [.already: 3])
      #expect(try await run.verify().words == [])
      try await project.delete("a0")
      try await project.change("b0", ["deleteProvider": ["yahoo.com"]])
      try await project.change(
        "b0", ["linkProviderUserInfo": ["providerId": "yahoo.com", "rawId": "other"]])
      #expect(
        try await run.verify().words == [
          "1: a0: it is gone", "2: b0: changed since: provider yahoo.com",
        ])
      await run.journal.close()
    }
  }

  @Test func `a look at the journal before an undo can be ended`() async throws {
    try await EmulatedProject.run { project in
      let run = try await Self.merged(1, in: project)
      let progress = RowProgress()
      progress.cancel()
      let undoing = await #expect(throws: BatchProblem.self) {
        _ = try await Undoing(run.run, of: run.journal, RowSelection(), progress)
      }
      #expect(undoing?.code == .interrupted)
      let ended = await #expect(throws: BatchProblem.self) {
        _ = try await Finalizing(run.run, of: run.journal, progress)
      }
      #expect(ended?.message == "interrupted: nothing was changed")
      await run.journal.close()
    }
  }

  @Test func `a check that is ended early goes on behind its last row`() async throws {
    try await EmulatedProject.run { project in
      let run = try await Self.merged(120, in: project)
      for number in [1, 60, 119] {
        try await project.change("a\(number)", ["deleteProvider": ["yahoo.com"]])
      }
      let reader = project.reader
      let look: AccountLook = { (uids) async throws(BatchProblem) in
        try await reader.images(of: uids)
      }
      var rows: Int64 = 0
      var seen: [Int64] = []
      var start: Verifier.Place?
      repeat {
        let progress = RowProgress()
        var verifier = Verifier(run.journal, look: look)
        try await verifier.run(after: start, progress) { (difference) throws(BatchProblem) in
          seen.append(difference.row)
          progress.cancel()
        }
        rows += verifier.findings.rows
        start = verifier.findings.end
      } while start != nil
      #expect(rows == 120)
      #expect(seen == [2, 61, 120])
      await run.journal.close()
    }
  }

  @Test func `what a later step sets anew is not expected of an earlier one`() async throws {
    try await EmulatedProject.run { project in
      try await project.addPeople(3)
      let run = try await FinishedRun.of(
        [
          [.update(uid: "a0", fields: ["displayName": "1", "disabled": true])],
          [.update(uid: "a0", fields: ["displayName": "2"])],
          [link("a1", "m1"), .unlink(uid: "a1", providerID: "microsoft.com")],
        ], in: project)
      let (findings, words) = try await run.verify()
      #expect(words == [])
      #expect(findings.superseded == 1)
      await run.journal.close()
    }
  }

  @Test func `rows are exported with their causes`() async throws {
    try await EmulatedProject.run { project in
      try await project.addPeople(2)
      let run = try await FinishedRun.of(
        [[link("a0", "m0")], [link("missing", "m1")], []], in: project)
      let path = run.scratch.path("out.csv")
      let all = try RowExport(run.run, of: run.journal, states: [], format: .csv)
      #expect(try await all.write(to: path) == 3)
      #expect(
        try run.scratch.text(path)
          == [
            "id,note,luath_state,luath_code,luath_cause",
            #"1,"a, ""b""",done,,"#,
            #"2,"a, ""b""",failed,userNotFound,there is no account with the uid missing"#,
            #"3,"a, ""b""",refused,noAccount,nobody there"#, "",
          ].joined(separator: "\r\n"))
      let failed = try RowExport(run.run, of: run.journal, states: [.failed], format: .ndjson)
      #expect(try await failed.write(to: path) == 1)
      let line = try JSON.parse(try run.scratch.read(path))
      #expect(line["luath_code"] == "userNotFound" && line["id"] == "2")
      let summary = try await JournalSummary(run.run, of: run.journal)
      #expect(
        summary.failures.lines == [
          "1 userNotFound: there is no account with the uid missing (row 2)"
        ])
      #expect(summary.refusals.list.map(\.code) == ["noAccount"])
      await run.journal.close()
    }
  }

  @Test func `a row is shown without secrets`() async throws {
    try await EmulatedProject.run { project in
      try await project.addHashed([
        ["localId": "a0", "email": "a0@corp.example", "passwordHash": "aGFzaA", "salt": "c2FsdA"]
      ])
      let run = try await FinishedRun.of(
        [[.update(uid: "a0", fields: ["password": "open sesame", "displayName": "Ada"])]],
        fields: [
          "password_hash": "aGlkZGVu", "Passwort": "geheim1", "refresh-token": "r3fresh",
          "d": "open sesame", "e": "plain", "f": "it is open sesame", "pin": 481516, "g": 481516,
        ], in: project)
      let text = RowDescription(try await run.row(1), of: run.run).text
      #expect(text.contains("step 1: "))
      #expect(text.contains("a0@corp.example"))
      #expect(text.contains("plain"))
      for secret in ["sesame", "aGFzaA", "c2FsdA", "aGlkZGVu", "geheim1", "r3fresh", "481516"] {
        #expect(!text.contains(secret), "\(secret)")
      }
      #expect(text.contains("[secret]"))
      await run.journal.close()
    }
  }

  @Test func `a page stands alone, and escapes what rows hold`() async throws {
    try await EmulatedProject.run { project in
      try await project.addPeople(3)
      let run = try await FinishedRun.of(
        [[link("a0", "m0")], [link("<script>alert(1)</script>", "m1")]], in: project)
      let page = String(
        decoding: try await BatchPage(run.run, of: run.journal).bytes, as: UTF8.self)
      #expect(page.contains("<svg"))
      #expect(!page.contains("<script"))
      #expect(page.contains("&lt;script&gt;"))
      #expect(!page.contains("http:") && !page.contains("https:"))
      await run.journal.close()
    }
  }
}
