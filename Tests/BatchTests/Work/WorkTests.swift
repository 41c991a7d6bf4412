import Testing

@testable import Batch
@testable import System

/// Rows that an engine delivers to `luath batch work`.
@Suite(.timeLimit(.minutes(2))) struct WorkTests {
  private let name = Batch.Operation.update(uid: "a0", fields: ["displayName": "Ada"])

  private func withEngine(_ body: (WorkEngine) async throws -> Void) async throws {
    try await EmulatedProject.run { project in
      try await project.addPeople(2, provider: "google.com")
      try await body(WorkEngine(project: project))
    }
  }

  private func updates(_ engine: WorkEngine) async throws -> Int {
    try await engine.project.log("update").count
  }

  @Test func `a call is made once its intent is acknowledged, and not without`() async throws {
    try await withEngine { engine in
      let row = WorkEngine.row(1, [name, link("a0", "m0")])
      let done = try await engine.deliver([WorkEngine.line(row)])
      #expect(done.end.problem == nil)
      #expect(done.words == ["hello", "intent", "done", "intent", "done"])
      #expect(done.lines.last?["end"] == ["state": "done"])
      #expect(done.lines[1]["before"]?.string?.contains("a0@corp.example") == true)
      #expect(try await updates(engine) == 2)

      var dying = engine
      dying.acknowledges = { _ in false }
      let other = WorkEngine.row(2, [.update(uid: "a1", fields: ["displayName": "Eve"])])
      let lost = try await dying.deliver([WorkEngine.line(other)])
      #expect(lost.words == ["hello", "intent", "released"])
      #expect(lost.end.problem?.code == .unavailable)
      #expect(try await updates(engine) == 2)
    }
  }

  @Test func `a row with an intent without an outcome is looked up when it comes again`()
    async throws
  {
    try await withEngine { engine in
      let row = WorkEngine.row(1, [name])
      let done = try await engine.deliver([WorkEngine.line(row)])
      let intent = try #require(done.lines.first { $0["type"] == "intent" })
      // The worker died behind its call, or before it.
      let again = try await engine.deliver([WorkEngine.line(row, [intent])])
      #expect(again.words == ["hello", "reconciled"])
      #expect(try await updates(engine) == 1)
      try await engine.project.add([
        ["localId": "a0", "email": "a0@corp.example", "emailVerified": true]
      ])
      let late = try await engine.deliver([WorkEngine.line(row, [intent])])
      #expect(late.words == ["hello", "done"])
      #expect(try await updates(engine) == 2)
    }
  }

  @Test func `a row goes on behind its last outcome`()
    async throws
  {
    try await withEngine { engine in
      let row = WorkEngine.row(1, [name, link("a0", "m0")])
      var dying = engine
      dying.acknowledges = { $0["step"] == 1 }
      let first = try await dying.deliver([WorkEngine.line(row)])
      #expect(first.words == ["hello", "intent", "done", "intent", "released"])
      for records in [Array(first.records()[..<2]), first.records()] {
        #expect(try await updates(engine) == (records.count == 2 ? 1 : 2))
        let rest = try await engine.deliver([WorkEngine.line(row, records)])
        #expect(
          rest.words == ["hello", "intent", "done"] || rest.words == ["hello", "reconciled"])
        #expect(rest.lines.last?["end"] == ["state": "done"])
      }
      #expect(try await updates(engine) == 2)
    }
  }

  @Test func `a row that has ended is carried out again only with retry`() async throws {
    try await withEngine { engine in
      let row = WorkEngine.row(1, [.update(uid: "nobody", fields: ["displayName": "Ada"])])
      let failed = try await engine.deliver([WorkEngine.line(row)])
      #expect(failed.lines.last?["end"]?["fault"]?["code"] == "userNotFound")
      try await engine.project.addPeople(1, prefix: "nobody")
      let records = failed.records()
      let again = try await engine.deliver([WorkEngine.line(row, records)])
      #expect(again.words == ["hello", "end"])
      #expect(again.lines.last == failed.lines.last)
      try await engine.project.add([["localId": "nobody"]])
      let retried = try await engine.deliver([WorkEngine.line(row, records, ["retry": true])])
      #expect(retried.words == ["hello", "intent", "done"])
    }
  }

  @Test func `without a fresh lease the worker asks before each call`() async throws {
    try await withEngine { engine in
      var engine = engine
      engine.lease = .zero
      let row = WorkEngine.row(1, [name])
      let done = try await engine.deliver([WorkEngine.line(row)])
      #expect(done.words == ["hello", "intent", "confirm", "done"])
      // The engine has given the row to another worker while this one was stopped.
      engine.acknowledges = { $0["type"] != "confirm" }
      let other = WorkEngine.row(2, [.update(uid: "a1", fields: ["displayName": "Eve"])])
      let lost = try await engine.deliver([WorkEngine.line(other)])
      #expect(lost.words == ["hello", "intent", "confirm", "released"])
      #expect(try await updates(engine) == 1)
    }
  }

  @Test func `an undo brings the account back, and only a row that has ended is undone`()
    async throws
  {
    try await withEngine { engine in
      let before = try await engine.project.export()
      let row = WorkEngine.row(1, [.merge(survivor: "a0", loser: "a1", providers: nil)])
      var refused = try await engine.deliver([WorkEngine.line(row)])
      #expect(refused.lines.last?["end"]?["state"] == "failed")
      let moved = WorkEngine.row(1, [name, link("a0", "m0")])
      let done = try await engine.deliver([WorkEngine.line(moved)])
      var undo = engine
      undo.isUndo = true
      refused = try await undo.deliver([
        WorkEngine.line(moved, [], ["made": .array(Array(done.records().dropLast()))])
      ])
      #expect(refused.lines.last?["code"] == "notEnded")
      let undone = try await undo.deliver([
        WorkEngine.line(moved, [], ["made": .array(done.records())])
      ])
      #expect(undone.lines.last?["end"] == ["state": "done"])
      #expect(try await engine.project.export() == before)
      // The engine delivers the row once more.
      let again = try await undo.deliver([
        WorkEngine.line(moved, undone.records(), ["made": .array(done.records())])
      ])
      #expect(again.words == ["hello", "end"])
    }
  }

  @Test func `a field that an earlier row changes is compared unless that row is done`()
    async throws
  {
    try await withEngine { engine in
      var row = WorkEngine.row(2, [name])
      row.expects = try Preconditions(
        json: ["accounts": ["a0": "photoURL=00000000000000aa@1"]])
      let differs = try await engine.deliver([WorkEngine.line(row)])
      #expect(differs.lines.last?["end"]?["fault"]?["code"] == "changedSincePlan")
      let done = try await engine.deliver([WorkEngine.line(row, [], ["done": [1]])])
      #expect(done.lines.last?["end"] == ["state": "done"])
      // The worker has done the row itself.
      let first = WorkEngine.row(1, [.update(uid: "a0", fields: ["photoURL": "https://a/"])])
      var other = row
      other.decision = .run([.update(uid: "a0", fields: ["displayName": "Eve"])])
      let both = try await engine.deliver([WorkEngine.line(first), WorkEngine.line(other)])
      #expect(both.lines.compactMap { $0["end"]?["state"]?.string } == ["done", "done"])
    }
  }

  @Test func `records are of one key and one row, and as they were written`() async throws {
    try await withEngine { engine in
      let row = WorkEngine.row(
        1, [.update(uid: "a0", fields: ["displayName": "Ada Lovelace"])])
      var sealed = engine
      sealed.key = JournalKey(SecretBytes([UInt8](repeating: 7, count: 32)))
      var records = try await sealed.deliver([WorkEngine.line(row)]).records()
      let text = JSON.array(records).encoded()
      #expect(!text.contains("Lovelace") && !text.contains("corp.example"))
      records = [records[0]]
      #expect(
        try await sealed.deliver([WorkEngine.line(row, records)]).words == ["hello", "reconciled"])
      var other = engine
      other.key = JournalKey(SecretBytes([UInt8](repeating: 8, count: 32)))
      for reader in [engine, other] {
        let refused = try await reader.deliver([WorkEngine.line(row, records)])
        #expect(refused.lines.last?["code"] == "damagedRecord")
      }
      let plain = try await engine.deliver([WorkEngine.line(WorkEngine.row(1, [link("a0", "m")]))])
      for (old, new) in [(#""m\""#, #""n\""#), (#""row":1"#, #""row":2"#)] {
        let text = JSON.array([plain.records()[0]]).encoded()
        let changed = text.replacing(old, with: new)
        try #require(changed != text)
        let refused = try await engine.deliver([
          WorkEngine.line(WorkEngine.row(1, [link("a0", "m")]), try JSON.parse(changed).array ?? [])
        ])
        #expect(refused.lines.last?["code"] == "damagedRecord")
      }
    }
  }

  @Test(arguments: [
    ("records", "invalidRow"), ("plan", "damagedTask"), ("sum", "invalidRow"),
  ]) func `a row without a member is refused, and the others go on`(
    _ member: String, _ code: String
  ) async throws {
    try await withEngine { engine in
      var broken = WorkEngine.line(WorkEngine.row(1, [name])).object ?? [:]
      broken[member] = nil
      let result = try await engine.deliver([
        .object(broken), WorkEngine.line(WorkEngine.row(2, [name])),
      ])
      #expect(result.lines.first { $0["type"] == "refused" }?["code"]?.string == code)
      #expect(result.lines.last?["end"] == ["state": "done"])
    }
  }

  @Test func `a row that cannot be worked on as it is changes nothing`() async throws {
    try await withEngine { engine in
      let custom = WorkEngine.row(3, [.custom(name: "tell", uid: nil, arguments: .null)])
      let row = WorkEngine.row(1, [name])
      let result = try await engine.deliver([
        WorkEngine.line(custom), WorkEngine.line(row, [], ["made": []]),
        WorkEngine.line(row, [["type": "intent", "row": 1]]),
        WorkEngine.line(row, [["type": "ack", "row": 1]]),
        WorkEngine.line(row, [["type": "end", "row": 1]]),
        WorkEngine.line(WorkEngine.row(4, [])),
        WorkEngine.line(WorkEngine.row(5, [.delete(uid: String(repeating: "x", count: 200))])),
        WorkEngine.line(WorkEngine.row(6, [.followUp(.undo(row: 1, steps: []))])),
      ])
      #expect(
        result.lines.compactMap { $0["code"]?.string } == [
          "unknownOperation", "invalidRow", "damagedRecord", "damagedRecord", "damagedRecord",
          "invalidRow",
          "invalidId", "invalidPlan",
        ])
      #expect(try await updates(engine) == 0)
    }
  }

  @Test(arguments: [
    "x", "[]", #"{"type":"finish"}"#, #"{"type":"hello","protocol":2}"#,
    #"{"type":"hello","protocol":1}"#,
    #"{"type":"hello","protocol":1,"plan":{"luath":"plan","version":9}}"#,
  ]) func `a first line that is no hello of this protocol ends the worker`(
    _ line: String
  ) async throws {
    let journal = WorkJournal(WorkReader(codec: JournalCodec(key: nil), isUndo: false)) { _ in }
    journal.take(Array(line.utf8))
    await #expect(throws: BatchProblem.self) { try await journal.hello() }
    #expect(journal.problem?.code == .usage)
    #expect(journal.problem?.message.hasPrefix("line 1 of standard input ") == true)
  }

  @Test func `input that ends without a line ends the worker`() async throws {
    let journal = WorkJournal(WorkReader(codec: JournalCodec(key: nil), isUndo: false)) { _ in }
    journal.inputEnded()
    await #expect(throws: BatchProblem.self) { try await journal.hello() }
  }

  @Test(arguments: [
    #"{"type":"ack","seq":1}"#, #"{"type":"ack"}"#, #"{"type":"cancel"}"#, #"{"type":"row"}"#,
    #"{"type":"finish","x":1}"#, #"{"type":"hello","protocol":1}"#,
  ]) func `a line that is not of the protocol ends the worker`(_ line: String) async throws {
    let journal = WorkJournal(WorkReader(codec: JournalCodec(key: nil), isUndo: false)) { _ in }
    journal.take(WorkEngine.hello.encodedBytes())
    journal.take(Array(line.utf8))
    #expect(journal.problem?.message.hasPrefix("line 2 of standard input ") == true)
    await #expect(throws: BatchProblem.self) {
      _ = try await journal.claim(journal.reader.run, atMost: 1)
    }
  }
}
