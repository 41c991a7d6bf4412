@testable import Batch
@testable import System
import Glibc
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct EventExportTests {
  private func exported(_ journal: ScratchJournal) async throws -> [String] {
    let scratch = try Scratch()
    let path = scratch.path("events.ndjson")
    let count = try await EventExport(ScratchJournal.run, of: journal).write(to: path)
    var status = stat()
    try #require(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    let lines = try scratch.text(path).split(separator: "\n").map(String.init)
    #expect(Int64(lines.count) == count)
    return lines
  }

  @Test func `the events of a run are written again from its journal as the run wrote them`()
    async throws
  {
    try await EmulatedProject.run { project in
      try await project.addPeople(6)
      try await project.addPeople(3, provider: "yahoo.com", prefix: "b")
      let journal = try await ScratchJournal([
        [link("a0", "m0")],
        // It is in place already.
        [.update(uid: "a1", fields: ["disabled": false])],
        [
          .update(uid: "a2", fields: ["displayName": "A"]),
          .merge(survivor: "a2", loser: "b0", providers: nil),
          .merge(survivor: "a3", loser: "b1", providers: nil),
          .update(uid: "a2", fields: ["disabled": true]),
        ],
        [.unlink(uid: "nobody", providerID: "x")],
        [.create(account: ["uid": "new"], hash: nil), .delete(uid: "a4")],
      ])
      let heard = Mutex<[JSON]>([])
      let end = try await project.execute(journal) { event in
        heard.withLock { $0.append(event.json(at: nil)) }
      }
      #expect(end.status.tally.rows.filter { $0.value > 0 } == [.done: 4, .failed: 1])
      let written = heard.withLock { $0 }.sorted { one, other in
        func place(_ event: JSON) -> (Int64, Int64) {
          (event["row"]?.integer ?? 0, event["step"]?.integer ?? .max)
        }
        return place(one) < place(other)
      }
      // A journal has no time for the end of a row: it gets that of its last step.
      let again = try await exported(journal).map { line in
        var object = try JSON.parse(line).object ?? [:]
        if object["event"] == "row" { object["at"] = nil }
        return JSON.object(object).encoded()
      }
      #expect(again == written.map { $0.encoded() })
      #expect(again.count { $0.contains(#""op":"merge""#) } == 6)
      await journal.close()
    }
  }

  @Test func `a step behind a merge whose last step was in place has its own operation`()
    async throws
  {
    try await EmulatedProject.run { project in
      try await project.addPeople(2)
      try await project.addPeople(1, provider: "yahoo.com", prefix: "b")
      try await project.change(
        "b0", ["disableUser": true, "customAttributes": #"{"luath:mergedInto":"a0"}"#])
      let journal = try await ScratchJournal([
        [
          .merge(survivor: "a0", loser: "b0", providers: nil),
          .update(uid: "a1", fields: ["displayName": "A"]),
          .unlink(uid: "a1", providerID: "yahoo.com"),
        ]
      ])
      try await project.setFaults([
        [
          "operation": "update", "error": "FEDERATED_USER_ID_ALREADY_LINKED", "after": 2,
          "count": 1,
        ]
      ])
      let end = try await project.execute(journal)
      #expect(end.status.tally.rows[.failed] == 1)
      let lines = try await exported(journal).map { try JSON.parse($0) }
      #expect(lines.map { $0["step"]?.integer }.prefix(4) == [1, 2, 3, 4])
      #expect(
        lines.prefix(4).map { $0["result"]?.string } == [
          "takenBack", "takenBack", "already", "failed",
        ])
      #expect(
        lines.prefix(4).map { $0["op"]?.string } == [
          "luath:takeBack", "luath:takeBack", "merge", "update",
        ])
      await journal.close()
    }
  }

  @Test func `a row that is taken back has the last outcome of each step`() async throws {
    try await EmulatedProject.run { project in
      try await project.addPeople(2)
      let journal = try await ScratchJournal([
        [
          .update(uid: "a0", fields: ["displayName": "A"]),
          .update(uid: "a1", fields: ["displayName": "B"]),
        ]
      ])
      try await project.setFaults([
        [
          "operation": "update", "error": "FEDERATED_USER_ID_ALREADY_LINKED", "after": 1,
          "count": 1,
        ]
      ])
      let end = try await project.execute(journal)
      #expect(end.status.tally.rows[.failed] == 1)
      let lines = try await exported(journal).map { try JSON.parse($0) }
      try #require(lines.count == 4)
      #expect(lines.map { $0["event"]?.string } == ["step", "step", "step", "row"])
      #expect(lines.map { $0["step"]?.integer } == [1, 2, 1, nil])
      #expect(lines.map { $0["result"]?.string } == ["takenBack", "failed", "done", nil])
      #expect(
        lines.map { $0["op"]?.string } == ["luath:takeBack", "update", "luath:takeBack", nil])
      #expect(lines[3]["state"] == "failed")
      await journal.close()
    }
  }
}
