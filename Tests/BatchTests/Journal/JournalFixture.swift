@testable import Batch
@testable import System
import Foundation
import Testing

/// What the tests of journals plan and intend.
enum JournalFixture {
  static let digest = String(repeating: "ab", count: 32)

  static func header(project: String = "acme") -> PlanHeader {
    PlanHeader(
      projectID: project, tenantID: nil, script: "merge.lua",
      scriptDigest: String(repeating: "cd", count: 32), input: "rows.csv", columns: ["a", "b"],
      made: "2026-01-31T12:00:00.000Z", sample: nil)
  }

  static func plan(
    _ rows: [PlannedRow], project: String = "acme", digest: String = digest
  ) -> JournalPlan {
    let source = RowSource(rows)
    return JournalPlan(header: header(project: project), digest: digest) {
      () async throws(BatchProblem) in await source.next()
    }
  }

  /// A plan with rows 1 to `count` that are all to be run.
  static func plan(count: Int64) -> JournalPlan {
    plan((1...count).map { row($0) })
  }

  static func row(_ number: Int64) -> PlannedRow {
    PlannedRow(
      number: number, line: number + 1, key: "key \(number)", input: ["a": "1", "b": "é"],
      decision: .run([.delete(uid: "u\(number)")]), reason: "because")
  }

  static func intent(_ row: Int64, _ step: Int = 1, hash: String = "hash") -> StepIntent {
    StepIntent(
      row: row, step: step, change: .update(uid: "u\(row)", body: ["displayName": "Ada"]),
      before: ["localId": .string("u\(row)"), "passwordHash": .string(hash)], at: 1000 + row)
  }

  static func outcome(
    _ row: Int64, _ step: Int = 1, _ result: StepOutcome.Result = .done, fault: RowFailure? = nil
  ) -> StepOutcome {
    StepOutcome(
      row: row, step: step, result: result, fault: fault, at: 2000 + row, microseconds: 321,
      attempts: 2)
  }

  /// Reads all rows, some at a time.
  static func all(
    of journal: any BatchJournal, _ run: BatchRun, _ query: RowQuery = .init(), page: Int = 3
  ) async throws -> [RowRecord] {
    var records: [RowRecord] = []
    while true {
      let more = try await journal.rows(run, query, after: records.last?.row.number, atMost: page)
      #expect(more.count <= page)
      if more.isEmpty { return records }
      records += more
    }
  }
}

/// Rows one after the other.
actor RowSource {
  private var rows: ArraySlice<PlannedRow>

  init(_ rows: [PlannedRow]) { self.rows = rows[...] }

  func next() -> PlannedRow? { rows.popFirst() }
}

/// A new folder that is removed with this value.
final class JournalFolder: Sendable {
  let path: String

  init() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "luath-batch-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    path = folder.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String = "plan.journal") -> String { "\(path)/\(name)" }
}

extension BatchJournal {
  /// Requeues the failed and half-done rows of a run, and returns their number.
  func reopenFailed(_ run: BatchRun) async throws -> Int {
    let rows = try await JournalFixture.all(
      of: self, run, RowQuery(states: [.failed, .halfDone]))
    try await reopen(run, rows.map(\.row.number))
    return rows.count
  }
}
