@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import Host
import Synchronization
import Testing

@testable import Batch

/// Many rows, slow rows, and backends that do not answer as they should.
@Suite(.timeLimit(.minutes(2))) struct PlanLimitTests {
  @Test func `rows that are planned at the same time share their look-ups`() async throws {
    let calls = Mutex(0)
    var runner = PlanRunner(accounts: (1...250).map { ["uid": .string("u\($0 * 2)")] })
    runner.changes = { request in
      let context = request.context
      request.context = ScriptContext(
        target: context.target, trace: { if $0.contains("lookup") { calls.increment() } })
      request.context.isReadOnly = true
    }
    let result = try await runner.plan(
      luaProgram("PlanLimit/look-up"), (1...1000).map { ["uid": .string("u\($0)")] })
    #expect(result.rows.count == 1000)
    #expect(result.rows.map(\.number) == Array(1...1000))
    #expect(result.rows.filter { $0.reason == "there" }.count == 250)
    #expect((10...14).contains(calls.withLock(\.self)))
  }

  @Test func `an identifier that the backend cannot read is its row's alone`() async throws {
    let result = try await PlanRunner().plan(
      luaProgram("PlanLimit/identifiers"),
      (1...30).map { ["uid": .string($0 == 17 ? String(repeating: "x", count: 200) : "u\($0)")] })
    #expect(result.summary.skipped == 29)
    #expect(result.fault(17)?.code == "invalidArgument")
  }

  // Only a signal stops what computes, which the thread sanitizer holds back.
  @Test(.disabled(if: isUnderThreadSanitizer))
  func `a row that computes without end is refused with its line, and the others go on`()
    async throws
  {
    var runner = PlanRunner(accounts: [["uid": "u1"]])
    runner.changes = { $0.secondsPerRow = 1 }
    let result = try await runner.plan(
      luaProgram("PlanLimit/endless"), (1...20).map { ["uid": .string("u\($0)")] })
    #expect(result.problem == nil)
    #expect(result.rows.map(\.number) == Array(1...20))
    #expect(result.fault(7)?.code == "timeout")
    #expect(result.fault(7)?.message.hasSuffix("plan computed for more than 1 seconds") == true)
    #expect(result.summary.skipped == 19)
  }

  @Test func `a row that waits too long is refused, and the others go on`() async throws {
    var runner = PlanRunner()
    runner.changes = { $0.secondsPerRow = 1 }
    let result = try await runner.plan(
      luaProgram("PlanLimit/waiting"), (1...5).map { ["n": .integer($0)] })
    #expect(result.fault(3)?.code == "timeout")
    #expect(result.summary.skipped == 4)
  }

  @Test func `a backend that wants fewer calls is asked again`() async throws {
    var runner = PlanRunner()
    runner.faults = try FaultPlan(words: "lookup:QUOTA_EXCEEDED=50%", seed: 3)
    let result = try await runner.plan(
      luaProgram("PlanLimit/look-up"), (1...500).map { ["uid": .string("u\($0)")] })
    #expect(result.problem == nil)
    #expect(result.summary.skipped == 500)
  }

  @Test func `a backend that lets nobody in ends the plan`() async throws {
    var runner = PlanRunner()
    runner.faults = try FaultPlan(words: "lookup:PERMISSION_DENIED=100%", seed: 3)
    let result = try await runner.plan(
      luaProgram("PlanLimit/look-up"), (1...5).map { ["uid": .string("u\($0)")] })
    #expect(result.problem?.code == .unavailable)
    #expect(result.problem?.message.hasPrefix("accounts cannot be looked up: ") == true)
    #expect(result.rows.isEmpty)
  }

  @Test func `a column that the script needs and the input lacks is named before any row`()
    async throws
  {
    var runner = PlanRunner()
    runner.columns = ["uid", "microsoft-id"]
    let result = try await runner.plan(
      """
      local batch = require "luath.batch"
      return batch.define { columns = { "uid", "microsoft_id" }, plan = print }
      """, [["uid": "a", "microsoft-id": "m"]])
    #expect(result.problem?.code == .usage)
    #expect(
      result.problem?.message == "the input has no column 'microsoft_id', which the script needs")
    #expect(
      result.problem?.hint == "did you mean 'microsoft-id'? it has uid, microsoft-id")
  }

  @Test func `a sample covers the first rows`() async throws {
    var runner = PlanRunner()
    runner.changes = { $0.sample = 3 }
    let result = try await runner.plan(
      luaProgram("PlanLimit/look-up"), (1...9).map { ["uid": .string("u\($0)")] })
    #expect(result.rows.map(\.number) == [1, 2, 3])
  }

  @Test func `addresses that several accounts share are told`() async throws {
    var runner = PlanRunner(accounts: [["uid": "a", "email": "x@example.com"]])
    let path = try TemporaryExport([
      ["localId": "a", "email": "x@example.com"], ["localId": "b", "email": "X@example.com"],
      ["localId": "c", "email": "y@example.com", "phoneNumber": "+4915112345678"],
    ])
    runner.changes = { $0.accountsPath = path.path }
    let result = try await runner.plan(
      luaProgram("PlanLimit/shared-addresses"),
      [["email": "x@example.com"], ["email": "y@example.com"], ["email": "z@example.com"]])
    #expect(result.rows.map(\.reason) == ["a+b", "c", ""])
    #expect(result.summary.sharedEmails.count == 1)
    #expect(
      result.summary.text.contains(
        "note: 1 address belongs to several accounts, such as x@example.com: a, b"))
  }
}

extension Mutex<Int> {
  fileprivate func increment() { withLock { $0 += 1 } }
}
