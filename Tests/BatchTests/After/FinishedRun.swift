@testable import Client
@testable import Batch
@testable import System
@testable import HTTP
import Synchronization
import Testing

/// A journal in a file whose plan has been run against an emulator.
struct FinishedRun {
  let project: EmulatedProject
  let scratch: Scratch
  let journal: SQLiteJournal
  let run: BatchRun
  let end: BatchEnd

  static let settings: BatchSettings = {
    var settings = BatchSettings()
    settings.settleTime = .milliseconds(50)
    return settings
  }()

  /// Runs operations, one list for each row.
  static func of(
    _ operations: [[Batch.Operation]], columns: [String] = ["id", "note"],
    fields: JSONObject = [:], in project: EmulatedProject
  ) async throws -> FinishedRun {
    let scratch = try Scratch()
    let header = PlanHeader(
      projectID: "demo-luath", tenantID: nil, script: "test.lua", scriptDigest: "0",
      input: "rows.csv", columns: columns, made: "2030-01-01T00:00:00Z", sample: nil)
    let rows = operations.enumerated().map { index, list in
      var input: JSONObject = ["id": .string("\(index + 1)"), "note": "a, \"b\""]
      for (name, value) in fields.entries { input[name] = value }
      return PlannedRow(
        number: Int64(index + 1), line: Int64(index + 2), key: "key\(index + 1)",
        input: input,
        decision: list.isEmpty ? .refuse(RowFailure("noAccount", "nobody there")) : .run(list))
    }
    let source = RowSource(rows)
    let journal = try await SQLiteJournal.open(
      path: scratch.path("plan.journal"), key: nil,
      plan: JournalPlan(header: header, digest: "d") { () async throws(BatchProblem) in
        await source.next()
      })
    let run = try #require(try await journal.runs().first)
    let end = try await project.execute(run, of: journal)
    return FinishedRun(
      project: project, scratch: scratch, journal: journal, run: run, end: end)
  }

  /// Takes a run back.
  func undo(_ run: BatchRun? = nil) async throws -> (run: BatchRun, end: BatchEnd) {
    let undoing = try await Undoing(run ?? self.run, of: journal)
    let undo = try await journal.add(.undo, of: undoing.run.number, rows: undoing.rows())
    return (undo, try await project.execute(undo, of: journal))
  }

  /// What verifying finds, and the words of the differences.
  func verify() async throws -> (findings: Verifier.Findings, words: [String]) {
    let reader = project.reader
    var verifier = Verifier(journal) { (uids) async throws(BatchProblem) in
      try await reader.images(of: uids)
    }
    var words: [String] = []
    try await verifier.run { (difference) throws(BatchProblem) in
      words.append("\(difference.row): \(difference.causes.joined(separator: "; "))")
    }
    return (verifier.findings, words)
  }

  /// A row of a run with its steps.
  func row(_ number: Int64, of run: BatchRun? = nil) async throws -> RowRecord {
    var query = RowQuery()
    query.withSteps = true
    let rows = try await journal.rows(run ?? self.run, query, after: number - 1, atMost: 1)
    return try #require(rows.first)
  }
}

extension EmulatedProject {
  /// Carries out what is left of a run, or less of it: it is drained when so many rows have ended.
  func execute(
    _ run: BatchRun, of journal: any BatchJournal, _ settings: BatchSettings = FinishedRun.settings,
    drainedAfter rows: Int? = nil
  ) async throws -> BatchEnd {
    let begun = Mutex<Executor?>(nil)
    let ended = Mutex(0)
    let executor = Executor(
      run, of: journal, settings: settings, on: loop,
      hear: { event in
        guard case .row = event else { return }
        let count = ended.withLock { count in
          count += 1
          return count
        }
        // Events come on the executor's own thread, so that no further row begins before it is drained.
        if count == rows { begun.withLock { $0 }?.assumeIsolated { $0.control(.drain) } }
      }
    ) { (loop) throws(BatchProblem) in try makeAdmin(loop) }
    begun.withLock { $0 = executor }
    // It holds the executor that holds this closure.
    defer { begun.withLock { $0 = nil } }
    return try await executor.run()
  }

  /// Looks accounts up.
  var reader: AccountReader {
    AccountReader(on: loop) { (loop) throws(BatchProblem) in try makeAdmin(loop) }
  }

  /// All accounts by their ids, as the interface tells them.
  func accounts() async throws -> [String: JSON] {
    let export = try JSON.parse(try await export())
    var found: [String: JSON] = [:]
    for user in export["users"]?.array ?? [] { found[user["localId"]?.string ?? ""] = user }
    return found
  }

  /// Adds accounts whose passwords were hashed elsewhere.
  func addHashed(_ users: [JSON]) async throws {
    let answer = try await request(
      "POST", "identitytoolkit.googleapis.com/v1/projects/demo-luath/accounts:batchCreate",
      ["users": .array(users), "hashAlgorithm": "HMAC_SHA256", "signerKey": "c2VjcmV0"])
    try #require(answer["error"] ?? [] == [], "\(answer.encoded())")
  }

  /// All accounts without what an undo cannot restore; see docs/batches.md.
  ///
  /// A change of the address ends sessions and leaves the first address behind, an import ends them too, and there
  /// are two ways to write that there is nothing.
  func restorable() async throws -> [String: String] {
    try await accounts().mapValues { account in
      var account = account.object ?? [:]
      for name in ["validSince", "initialEmail", "passwordUpdatedAt"] { account[name] = nil }
      if account["providerUserInfo"] == [] { account["providerUserInfo"] = nil }
      if account["customAttributes"] == "{}" { account["customAttributes"] = nil }
      // What is linked again comes last.
      if let identities = account["providerUserInfo"]?.array {
        account["providerUserInfo"] = .array(
          identities.sorted {
            ($0["providerId"]?.string ?? "") < ($1["providerId"]?.string ?? "")
          })
      }
      return JSON.object(account).encoded(sortedKeys: true)
    }
  }

  /// Changes an account as somebody else would.
  func change(_ uid: String, _ body: JSONObject) async throws {
    var body = body
    body["localId"] = .string(uid)
    _ = try await request(
      "POST", "identitytoolkit.googleapis.com/v1/projects/demo-luath/accounts:update",
      .object(body))
  }

  /// Deletes an account as somebody else would.
  func delete(_ uid: String) async throws {
    _ = try await request(
      "POST", "identitytoolkit.googleapis.com/v1/projects/demo-luath/accounts:delete",
      ["localId": .string(uid)])
  }
}
