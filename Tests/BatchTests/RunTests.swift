@testable import Batch
@testable import Emulator
@testable import System
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct RunTests {
  private static func quick(_ change: (inout BatchSettings) -> Void = { _ in }) -> BatchSettings {
    var settings = BatchSettings()
    settings.settleTime = .milliseconds(50)
    change(&settings)
    return settings
  }

  @Test func `links are made once each, and a second run makes no call`() async throws {
    try await EmulatedProject.run { project in
      try await project.addPeople(40)
      let operations = (0..<40).map { [link("a\($0)", "m\($0)")] }
      let end = try await project.execute(ScratchJournal(operations), Self.quick())
      #expect(end.problem == nil)
      #expect(end.status.tally.rows[.done] == 40)
      #expect(try await project.account("a7")?.identities == ["microsoft.com/m7"])
      #expect(try await project.log("update").count == 40)
      let again = try await ScratchJournal(operations)
      #expect(try await project.execute(again, Self.quick()).status.tally.steps[.already] == 40)
      #expect(try await again.steps().isEmpty)
      #expect(try await project.log("update").count == 40)
    }
  }

  @Test func `a merge moves identities, and leaves the loser disabled with a claim`() async throws {
    try await EmulatedProject.run { project in
      try await project.addPeople(20)
      try await project.addPeople(20, provider: "yahoo.com", prefix: "b")
      let journal = try await ScratchJournal(
        (0..<20).map { [.merge(survivor: "a\($0)", loser: "b\($0)", providers: nil)] })
      let end = try await project.execute(journal, Self.quick())
      #expect(end.status.tally.rows[.done] == 20)
      #expect(try await journal.steps().count == 60)
      for number in [0, 19] {
        let survivor = try #require(try await project.account("a\(number)"))
        #expect(survivor.identities == ["yahoo.com/b-raw-\(number)"])
        let loser = try #require(try await project.account("b\(number)"))
        #expect(loser.identities == [])
        #expect(loser["disabled"] == true)
        #expect(loser["customAttributes"]?.string?.contains("luath:mergedInto") == true)
      }
    }
  }

  @Test(arguments: [1, 2, 3, 7, 20, 41])
  func `what a dead runner began is looked up, and every step happens once`(_ life: Int)
    async throws
  {
    try await EmulatedProject.run { project in
      try await project.addPeople(15)
      try await project.addPeople(15, provider: "yahoo.com", prefix: "b")
      let journal = try await ScratchJournal(
        (0..<15).map { [.merge(survivor: "a\($0)", loser: "b\($0)", providers: nil)] })
      journal.die(after: life)
      let broken = try await project.execute(journal, Self.quick())
      #expect(broken.problem?.message == "the machine is gone")
      #expect(!broken.isRecorded)
      try await journal.revive()
      let end = try await project.execute(journal, Self.quick())
      #expect(end.isRecorded)
      #expect(end.problem == nil)
      #expect(end.status.tally.rows[.done] == 15)
      for number in 0..<15 {
        #expect(
          try await project.account("a\(number)")?.identities == ["yahoo.com/b-raw-\(number)"])
        #expect(try await project.account("b\(number)")?["disabled"] == true)
      }
      // 15 × unlink, link, disable.
      #expect(try await project.log("update").count == 45)
    }
  }

  @Test func `lost answers are reconciled and refusals repeated, and nothing happens twice`()
    async throws
  {
    try await EmulatedProject.run { project in
      try await project.addPeople(60)
      try await project.setFaults([
        ["operation": "update", "drop": true, "rate": 0.15],
        ["operation": "update", "error": 503, "rate": 0.15],
        ["operation": "update", "error": "QUOTA_EXCEEDED", "rate": 0.05],
        ["operation": "lookup", "error": 503, "rate": 0.1],
      ])
      let journal = try await ScratchJournal((0..<60).map { [link("a\($0)", "m\($0)")] })
      let end = try await project.execute(journal, Self.quick())
      #expect(end.problem == nil)
      #expect(end.status.tally.rows[.done] == 60)
      #expect(end.status.tally.steps[.reconciled] ?? 0 > 0)
      // A dropped answer stands in the log with the status that nobody saw.
      let carriedOut = try await project.log("update").filter { $0["status"] == 200 }
      let uids = carriedOut.compactMap { $0["request"]?["localId"]?.string }
      #expect(uids.count == 60)
      #expect(Set(uids).count == 60)
    }
  }

  @Test func `a quota slows the run down and fails no row`() async throws {
    try await EmulatedProject.run { project in
      try await project.addPeople(50)
      try await project.setFaults([
        ["operation": "update", "error": "RESOURCE_EXHAUSTED", "after": 10, "count": 10]
      ])
      let throttled = Mutex(0)
      let end = try await project.execute(
        ScratchJournal((0..<50).map { [link("a\($0)", "m\($0)")] }), Self.quick(),
        hear: { if case .throttled = $0 { throttled.withLock { $0 += 1 } } })
      #expect(end.status.tally.rows[.done] == 50)
      #expect(end.status.throttles > 0)
      #expect(throttled.withLock { $0 } == end.status.throttles)
      #expect(end.status.learned != nil)
    }
  }

  @Test func `refused rows fail alone, and more than may fail end the run`() async throws {
    try await EmulatedProject.run { project in
      try await project.addPeople(200)
      let operations = (0..<200).map { [link($0 < 30 ? "missing\($0)" : "a\($0)", "m\($0)")] }
      let journal = try await ScratchJournal(operations)
      let end = try await project.execute(journal, Self.quick())
      #expect(end.status.tally.rows[.failed] == 30)
      #expect(end.status.tally.rows[.done] == 170)
      #expect(try await journal.rows().first?.fault?.code == "userNotFound")
      let strict = try await project.execute(
        ScratchJournal(operations),
        Self.quick {
          $0.errors = .count(5)
          $0.concurrency = 1
        })
      #expect(strict.spentErrors)
      #expect(!strict.wasDrained)
      // Those that were looked up in the same call are left for another run.
      #expect(strict.status.tally.rows[.failed] == 6)
      #expect(strict.status.tally.rows[.waiting] == 24)
    }
  }

  @Test func `a percentage is judged when the hundredth row ends, though no row fails there`()
    async throws
  {
    try await EmulatedProject.run { project in
      try await project.addPeople(700)
      let journal = try await ScratchJournal(
        (0..<700).map { [link($0 < 20 ? "missing\($0)" : "a\($0)", "m\($0)")] })
      let end = try await project.execute(
        journal,
        Self.quick {
          $0.errors = .percent(5)
          $0.concurrency = 1
        })
      #expect(end.spentErrors)
      #expect(end.status.ended >= 100)
      #expect(end.status.tally.rows[.failed] == 20)
      #expect(end.status.tally.rows[.waiting] ?? 0 > 0)
      // Another session counts from 0.
      let next = try await project.execute(journal, Self.quick { $0.errors = .percent(5) })
      #expect(!next.spentErrors)
      #expect(next.status.tally.rows[.failed] == 20)
    }
  }

  @Test func `a key that is refused ends the run, and all rows go back`() async throws {
    try await EmulatedProject.run { project in
      try await project.addPeople(30)
      try await project.setFaults([["operation": "update", "error": "PERMISSION_DENIED"]])
      let journal = try await ScratchJournal((0..<30).map { [link("a\($0)", "m\($0)")] })
      let end = try await project.execute(journal, Self.quick())
      #expect(end.problem?.code == .unavailable)
      #expect(end.status.tally.rows[.waiting] == 30)
      try await project.clearFaults()
      let next = try await project.execute(journal, Self.quick())
      #expect(next.status.tally.rows[.done] == 30)
      #expect(try await project.log("update").filter { $0["status"] == 200 }.count == 30)
    }
  }

  @Test func `a backend that is away ends the run instead of failing every row`() async throws {
    try await EmulatedProject.run { project in
      try await project.addPeople(5)
      try await project.setFaults([["error": 503]])
      let journal = try await ScratchJournal((0..<5).map { [link("a\($0)", "m\($0)")] })
      let end = try await project.execute(journal, Self.quick { $0.tries = 3 })
      #expect(end.problem?.message.contains("makes no change") == true)
      #expect(end.status.tally.rows[.waiting] == 5)
    }
  }

  @Test func `rows that fail of a backend that goes away wait for the next run`() async throws {
    try await EmulatedProject.run { project in
      try await project.addPeople(100)
      try await project.setFaults([["operation": "update", "error": 503, "after": 30]])
      let journal = try await ScratchJournal((0..<100).map { [link("a\($0)", "m\($0)")] })
      let states = Mutex<[RowState: Int]>([:])
      let end = try await project.execute(
        journal,
        Self.quick {
          $0.tries = 2
          $0.concurrency = 8
        },
        hear: {
          if case .row(_, _, let state, _) = $0 { states.withLock { $0[state, default: 0] += 1 } }
        })
      #expect(end.problem?.message.contains("makes no change") == true)
      #expect(end.status.tally.rows.filter { $0.value != 0 } == [.done: 30, .waiting: 70])
      let failed = states.withLock { $0[.failed] ?? 0 }
      #expect(failed > 0 && failed < 20)
      #expect(states.withLock { $0[.waiting] } == failed)
      try await project.clearFaults()
      let next = try await project.execute(journal, Self.quick())
      #expect(next.status.tally.rows[.done] == 100)
      #expect(try await project.log("update").filter { $0["status"] == 200 }.count == 100)
    }
  }

  @Test func `imports and deletions go out together`() async throws {
    try await EmulatedProject.run { project in
      let rows: [[Operation]] = (0..<300).map { number in
        [
          .create(
            account: [
              "uid": .string("n\(number)"), "email": .string("n\(number % 299)@corp.example"),
            ], hash: nil)
        ]
      }
      let journal = try await ScratchJournal(rows)
      let end = try await project.execute(journal, Self.quick())
      #expect(end.status.tally.rows[.done] == 299)
      // Two rows have the address of n0: whichever the backend saw first has it.
      #expect(end.status.tally.rows[.failed] == 1)
      #expect(try await project.log("batchCreate").count < 30)
      let deletion = try await ScratchJournal((0..<300).map { [.delete(uid: "n\($0)")] })
      let gone = try await project.execute(deletion, Self.quick())
      #expect(gone.status.tally.rows[.done] == 300)
      #expect(gone.status.tally.steps[.already] == 1)
      #expect(try await project.log("batchDelete").count < 30)
    }
  }

  @Test func `rows of one account follow each other in their order`() async throws {
    try await EmulatedProject.run { project in
      try await project.addPeople(1)
      let rows: [[Operation]] = (0..<20).map {
        [.update(uid: "a0", fields: ["displayName": .string("Name \($0)")])]
      }
      let end = try await project.execute(ScratchJournal(rows), Self.quick())
      #expect(end.status.tally.rows[.done] == 20)
      #expect(try await project.account("a0")?["displayName"] == "Name 19")
    }
  }

  @Test func `a paused run begins nothing until it goes on, and a drained one gives its rows back`()
    async throws
  {
    try await EmulatedProject.run { project in
      try await project.addPeople(400)
      let journal = try await ScratchJournal((0..<400).map { [link("a\($0)", "m\($0)")] })
      let count = Mutex(0)
      let (steps, feed) = AsyncStream.makeStream(of: Int.self)
      let end = try await project.execute(
        journal, Self.quick { $0.concurrency = 4 },
        hear: { event in
          guard case .step = event else { return }
          feed.yield(
            count.withLock {
              $0 += 1; return $0
            })
        },
        during: { executor in
          var iterator = steps.makeAsyncIterator()
          while let number = await iterator.next(), number < 20 {}
          await executor.control(.pause)
          // What is under way ends.
          while await executor.status.inFlight > 0 { await Task.yield() }
          #expect(await executor.status.state == .paused)
          await executor.control(.rate(200))
          await executor.control(.concurrency(2))
          await executor.control(.resume)
          while let number = await iterator.next(), number < 60 {}
          await executor.control(.drain)
        })
      #expect(end.wasDrained)
      let done = end.status.tally.rows[.done] ?? 0
      #expect(done >= 60)
      #expect(done < 400)
      #expect(end.status.tally.rows[.waiting] == 400 - done)
      #expect(end.status.tally.rows[.claimed] == 0)
      let rest = try await project.execute(journal, Self.quick())
      #expect(rest.status.tally.rows[.done] == 400)
    }
  }

  @Test func `a pace slower than look-ups last does not keep rows from their turn`() async throws {
    try await EmulatedProject.run { project in
      try await project.addPeople(30)
      let end = try await project.execute(
        ScratchJournal((0..<30).map { [link("a\($0)", "m\($0)")] }),
        Self.quick {
          $0.rate = RateTimetable(100)
          $0.imageLifetime = .zero
        })
      #expect(end.status.tally.rows[.done] == 30)
      #expect(try await project.log("update").count == 30)
    }
  }

  @Test func `a credential is linked as the person would, and not twice`() async throws {
    try await EmulatedProject.run(.compatible) { project in
      try await project.addPeople(3)
      let operations: [[Operation]] = (0..<4).map { number in
        [
          .linkAsUser(
            uid: "a\(number)",
            credential: [
              "providerId": "google.com",
              "idToken": .string(#"{"sub":"g\#(number)","email":"g\#(number)@corp.example"}"#),
            ])
        ]
      }
      let journal = try await ScratchJournal(operations)
      let end = try await project.execute(journal, Self.quick())
      #expect(end.status.tally.rows[.done] == 3)
      #expect(try await project.account("a1")?.identities == ["google.com/g1"])
      // A custom token would have made the account.
      #expect(try await journal.rows().last?.fault?.code == "userNotFound")
      #expect(try await project.account("a3") == nil)
      let again = try await project.execute(ScratchJournal(operations), Self.quick())
      #expect(again.status.tally.steps[.already] == 3)
    }
  }

  @Test func `a deleted account comes back with the password that it had`() async throws {
    try await EmulatedProject.run { project in
      let accounts = "identitytoolkit.googleapis.com/v1/accounts"
      let person: JSON = ["email": "ada@corp.example", "password": "correct horse"]
      let signUp = try await project.request("POST", "\(accounts):signUp?key=x", person)
      let uid = try #require(signUp["localId"]?.string)
      // Look-ups do not show the hash; the journal has it.
      #expect(try await project.account(uid)?["passwordHash"] == "UkVEQUNURUQ=")
      let journal = try await ScratchJournal([[.delete(uid: uid)]])
      let gone = try await project.execute(journal, Self.quick())
      #expect(gone.status.tally.rows[.done] == 1)
      #expect(try await project.account(uid) == nil)
      let record = try #require(try await journal.steps().first)
      let before = try #require(record.intent.before)
      #expect(before["passwordHash"] != "UkVEQUNURUQ=" && before["salt"] != nil)
      let step = UndoneStep(change: record.intent.change, before: before)
      let undo = try await ScratchJournal([[.followUp(.undo(row: 1, steps: [step]))]])
      #expect(try await project.execute(undo, Self.quick()).status.tally.rows[.done] == 1)
      let signIn = try await project.request(
        "POST", "\(accounts):signInWithPassword?key=x", person)
      #expect(signIn["localId"]?.string == uid)
    }
  }
}
