import Foundation
import Testing

@testable import Batch
@testable import System

/// Engines that go away, records that are damaged, and accounts that others change meanwhile.
@Suite(.timeLimit(.minutes(2))) struct WorkSafetyTests {
  private let name = Batch.Operation.update(uid: "a0", fields: ["displayName": "Ada"])

  private func withEngine(_ body: (WorkEngine) async throws -> Void) async throws {
    try await EmulatedProject.run { project in
      try await project.addPeople(2, provider: "google.com")
      try await project.addPeople(1, prefix: "kept")
      try await body(WorkEngine(project: project))
    }
  }

  private func journal(_ patience: Duration = .seconds(10)) -> WorkJournal {
    WorkJournal(WorkReader(codec: JournalCodec(key: nil), isUndo: false), patience: patience) { _ in
    }
  }

  // MARK: Engines that go away

  @Test(arguments: [Duration.seconds(15), .zero])
  func `no call is made once the engine has closed its pipes`(_ lease: Duration) async throws {
    try await withEngine { engine in
      var engine = engine
      engine.lease = lease
      // The acknowledgement is there, and its sender is not.
      engine.isConnected = { false }
      let lost = try await engine.deliver([WorkEngine.line(WorkEngine.row(1, [name]))])
      #expect(
        lost.words == ["hello", "intent"] + (lease == .zero ? ["confirm"] : []) + ["released"])
      #expect(lost.end.problem?.code == .unavailable)
      #expect(try await engine.project.log("update").isEmpty)
    }
  }

  @Test func `a pipe whose other end is closed is seen, whatever is in it`() throws {
    let (input, output) = (Pipe(), Pipe())
    let ends = (
      input.fileHandleForReading.fileDescriptor, output.fileHandleForWriting.fileDescriptor
    )
    try input.fileHandleForWriting.write(contentsOf: Array("{}\n".utf8))
    #expect(WorkPipes.isConnected(ends.0, ends.1))
    try output.fileHandleForReading.close()
    #expect(!WorkPipes.isConnected(ends.0, ends.1))
    let other = Pipe()
    #expect(WorkPipes.isConnected(ends.0, other.fileHandleForWriting.fileDescriptor))
    try input.fileHandleForWriting.close()
    #expect(!WorkPipes.isConnected(ends.0, other.fileHandleForWriting.fileDescriptor))
  }

  @Test func `an acknowledgement that does not come does not hold up the end`() async throws {
    let journal = journal(.zero)
    journal.take(WorkEngine.hello.encodedBytes())
    let intent = StepIntent(
      row: 1, step: 1, change: .delete(uid: "a0"), before: nil, at: Timestamp.now)
    let waiting = Task { try await journal.intend(journal.reader.run, intent) }
    journal.endClaims()
    await #expect(throws: BatchProblem.self) { try await waiting.value }
    #expect(journal.problem?.message.contains("has not acknowledged") == true)
  }

  @Test func `an interrupt before hello ends the worker`() async throws {
    let journal = journal()
    journal.interrupt()
    await #expect(throws: BatchProblem.self) { try await journal.hello() }
    #expect(journal.problem?.code == .interrupted)
  }

  @Test func `a line without an end is not read whole`() async throws {
    let journal = journal()
    let zeros = try #require(FileHandle(forReadingAtPath: "/dev/zero"))
    WorkPipes.read(zeros.fileDescriptor, journal)
    await #expect(throws: BatchProblem.self) { try await journal.hello() }
    #expect(
      journal.problem?.message == "line 1 of standard input is longer than 16 MiB")
  }

  // MARK: Damage

  @Test(
    arguments: [
      ("before", 0, nil), ("change", 0, "x"), ("step", 0, 2), ("at", 0, 1), ("result", 1, "failed"),
      ("result", 1, "already"), ("row", 1, 2), ("end", 3, ["state": "failed"]), ("end", 3, nil),
      ("sum", 3, nil), ("type", 0, "released"), ("attempts", 3, 7),
    ] as [(String, Int, JSON?)]) func `a changed member of a record is found`(
      _ member: String, _ index: Int, _ value: JSON?
    ) async throws
  {
    try await withEngine { engine in
      for key in [nil, JournalKey(SecretBytes([UInt8](repeating: 7, count: 32)))] {
        var engine = engine
        engine.key = key
        let row = WorkEngine.row(1, [name, link("a0", "m\(key == nil ? 0 : 1)")])
        _ = try await engine.project.add([["localId": "a0"]])
        let records = try await engine.deliver([WorkEngine.line(row)]).records()
        try #require(records.count == 4)
        var changed = records[index].object ?? [:]
        changed[member] = value
        var damaged = records
        damaged[index] = .object(changed)
        let before = try await engine.project.export()
        let calls = try await engine.project.log("update").count
        var undo = engine
        undo.isUndo = true
        for result in [
          try await engine.deliver([WorkEngine.line(row, damaged)]),
          try await undo.deliver([WorkEngine.line(row, [], ["made": .array(damaged)])]),
        ] {
          #expect(result.lines.last?["code"] == "damagedRecord")
        }
        #expect(try await engine.project.export() == before)
        #expect(try await engine.project.log("update").count == calls)
      }
    }
  }

  @Test(arguments: [[0], [1], [0, 1], [2]]) func `a record that is missing is found`(
    _ missing: [Int]
  ) async throws {
    try await withEngine { engine in
      let row = WorkEngine.row(1, [name, link("a0", "m0")])
      let records = try await engine.deliver([WorkEngine.line(row)]).records()
      let rest = records.indices.filter { !missing.contains($0) }.map { records[$0] }
      let result = try await engine.deliver([WorkEngine.line(row, rest)])
      #expect(result.lines.last?["code"] == "damagedRecord")
    }
  }

  @Test func `a step that needed no call leaves no gap`() async throws {
    try await withEngine { engine in
      let row = WorkEngine.row(
        1, [name, link("a0", "m0"), .unlink(uid: "a0", providerID: "x.com")])
      try await engine.project.add([["localId": "a0", "displayName": "Ada"]])
      let first = try await engine.deliver([WorkEngine.line(row)])
      #expect(first.words == ["hello", "already", "intent", "done", "already"])
      let again = try await engine.deliver([WorkEngine.line(row, first.records())])
      #expect(again.words == ["hello", "end"])
    }
  }

  @Test func `a task whose plan was changed is refused, and its members may be sorted`()
    async throws
  {
    try await withEngine { engine in
      let line = WorkEngine.line(WorkEngine.row(1, [name]), [])
      for (old, new) in [
        (#""a0""#, #""a1""#), (#""Ada""#, #""Adb""#), ("0123456789abcdef", "0123456789abcdee"),
      ] {
        let changed = line.encoded().replacing(old, with: new)
        try #require(changed != line.encoded())
        let refused = try await engine.deliver([try JSON.parse(changed)])
        #expect(refused.lines.last?["code"] == "damagedTask")
      }
      #expect(try await engine.project.log("update").isEmpty)
      let sorted = try JSON.parse(line.encoded(sortedKeys: true))
      #expect(try await engine.deliver([sorted]).lines.last?["end"] == ["state": "done"])
    }
  }

  // MARK: Accounts that others change

  @Test(arguments: [Int64(1), 2])
  func `a merge does not replace an identity that the survivor gets meanwhile`(
    _ step: Int64
  ) async throws {
    try await withEngine { engine in
      var engine = engine
      // What is known of the accounts is too old once the line is acknowledged.
      engine.imageLifetime = .zero
      engine.acknowledges = { [project = engine.project] line in
        guard line["type"] == "intent", line["step"]?.integer == step else { return true }
        try await project.add([
          [
            "localId": "kept0", "email": "kept0@corp.example", "emailVerified": true,
            "providerUserInfo": [["providerId": "google.com", "rawId": "other"]],
          ]
        ])
        return true
      }
      let row = WorkEngine.row(1, [.merge(survivor: "kept0", loser: "a0", providers: nil)])
      let refused = try await engine.deliver([WorkEngine.line(row)])
      let end = try #require(refused.lines.last { $0["end"] != nil }?["end"])
      #expect(end["fault"]?["code"] == "providerAlreadyLinked")
      #expect(end["state"] == "failed")
      let users = try JSON.parse(try await engine.project.export())["users"]?.array ?? []
      func identities(_ uid: String) -> [String] {
        users.first { $0["localId"]?.string == uid }?.identities ?? []
      }
      #expect(identities("kept0") == ["google.com/other"])
      #expect(identities("a0") == ["google.com/a-raw-0"])
    }
  }
}
