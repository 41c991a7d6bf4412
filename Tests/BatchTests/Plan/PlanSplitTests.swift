@testable import Batch
@testable import System
import Testing

/// The parts of a plan that `--shard` selects.
@Suite struct PlanSplitTests {
  private static let rows: [[Batch.Operation]] = [
    [.unlink(uid: "a", providerID: "x")], [.unlink(uid: "b", providerID: "x")],
    [.update(uid: "a", fields: ["displayName": "A"])], [.delete(uid: "c")],
    // Two rows that bring four accounts together, so that these belong to one part.
    [.unlink(uid: "d", providerID: "x"), .unlink(uid: "e", providerID: "x")],
    [.unlink(uid: "f", providerID: "x"), .unlink(uid: "d", providerID: "y")],
    [.unlink(uid: "e", providerID: "y")], [.unlink(uid: "f", providerID: "y")],
    [.merge(survivor: "a", loser: "g", providers: nil)],
    [.custom(name: "tell", uid: "b", arguments: .null)],
    [.custom(name: "tell", uid: nil, arguments: .null)],
    [], [.create(account: ["uid": "n"], hash: nil)],
  ]

  private static func plan(_ scratch: Scratch, byAccount: Bool = true) throws -> String {
    var header = JournalFixture.header()
    header.isSplitByAccount = byAccount
    let path = scratch.path("plan.ndjson")
    let writer = try PlanWriter(path: path, header: header)
    for (index, operations) in rows.enumerated() {
      try writer.add(
        PlannedRow(
          number: Int64(index + 1), line: 1, key: "\(index)", input: nil,
          decision: operations.isEmpty ? .skip : .run(operations)))
    }
    _ = try writer.finish()
    return path
  }

  /// The rows of each part.
  private static func parts(_ count: Int, _ path: String) throws -> [[Int64]] {
    try (1...count).map { index in
      let split = try PlanSplit(try #require(BatchShard("\(index)/\(count)")), of: path)
      let reader = try PlanReader(path: path)
      var numbers: [Int64] = []
      while let row = try reader.next() { if split.has(row) { numbers.append(row.number) } }
      return numbers
    }
  }

  @Test(arguments: [1, 2, 3, 7]) func `each row is in one part, with all rows of its accounts`(
    _ count: Int
  ) throws {
    let scratch = try Scratch()
    let path = try Self.plan(scratch)
    let parts = try Self.parts(count, path)
    #expect(parts.flatMap(\.self).sorted() == (1...13).map(Int64.init))
    for together: [Int64] in [[1, 3, 9], [2, 10], [5, 6, 7, 8]] {
      let found = parts.filter { !$0.filter(together.contains).isEmpty }
      #expect(found.count == 1 && found[0].filter(together.contains) == together)
    }
    // Other machines find the same.
    #expect(try Self.parts(count, path) == parts)
  }

  @Test func `the plan of an older version is split by the numbers of its rows`() throws {
    let scratch = try Scratch()
    let path = try Self.plan(scratch, byAccount: false)
    #expect(try Self.parts(3, path) == [[3, 6, 9, 12], [1, 4, 7, 10, 13], [2, 5, 8, 11]])
  }

  @Test(arguments: ["", "0/3", "4/3", "1/0", "1", "1/2/3", "a/b", "-1/2"])
  func `what names no part is none`(_ text: String) { #expect(BatchShard(text) == nil) }
}
