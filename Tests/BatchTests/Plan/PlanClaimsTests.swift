@testable import Batch
@testable import Client
@testable import System
import Testing

/// The claims of many rows, of which only few are in memory.
@Suite struct PlanClaimsTests {
  @Test func `claims in a file count as those in memory do`() throws {
    var random = SystemRandomNumberGenerator()
    var whole = PlanBook()
    var small = PlanBook(PlanClaims(room: 8))
    var refused = 0
    for number in 1...600 {
      let row = try Self.row(Int64(number), &random)
      let expected = try whole.enter(row).json.encoded()
      #expect(try small.enter(row).json.encoded() == expected)
      if expected.contains("refused") { refused += 1 }
    }
    #expect((50..<550).contains(refused), "\(refused)")
  }

  /// A row that changes one of a hundred accounts and compares another one.
  private static func row(
    _ number: Int64, _ random: inout some RandomNumberGenerator
  ) throws -> FinishedRow {
    let uid = "u\(Int.random(in: 0..<100, using: &random))"
    let operation: Batch.Operation
    let claims: [PlanClaim]
    switch Int.random(in: 0..<12, using: &random) {
    case 0:
      operation = .delete(uid: uid)
      claims = [.whole(uid: uid)]
    case 1...4:
      let value = "m\(Int.random(in: 0..<300, using: &random))"
      operation = .link(uid: uid, identity: ["providerId": "x", "rawId": .string(value)])
      claims = [.part(uid: uid), .identity(providerID: "x", rawID: value)]
    default:
      operation = .update(uid: uid, fields: ["displayName": "A"])
      claims = [.part(uid: uid)]
    }
    var row = PlannedRow(
      number: number, line: number, key: "\(number)", input: nil, decision: .run([operation]))
    let other = "u\(Int.random(in: 0..<100, using: &random))"
    row.expects.add(
      ["displayName", "providerData"],
      of: try UserRecord(wire: ["localId": .string(other), "displayName": "A"]))
    return FinishedRow(row: row, claims: claims)
  }

  @Test func `an index finds what it has, in all of its parts`() throws {
    var random = SystemRandomNumberGenerator()
    var index = try NumberIndex<Int64>(leastPairs: 16)
    var known: [UInt64: [Int64]] = [:]
    let ends: [UInt64] = [0, 1, .max - 1, .max]
    for value in 0..<5000 as Range<Int64> {
      // Some numbers are close together, and some come more than once.
      let number =
        switch value % 4 {
        case 0: ends[Int.random(in: 0..<4, using: &random)]
        case 1: UInt64.random(in: 1 << 40..<1 << 40 + 300, using: &random)
        default: UInt64.random(in: 0...UInt64.max, using: &random)
        }
      try index.add(number, value)
      known[number, default: []].append(value)
    }
    try index.flush()
    for (number, values) in known { #expect(index.values(of: number).sorted() == values) }
    for _ in 0..<5000 {
      let number = UInt64.random(in: 0...UInt64.max, using: &random)
      #expect(index.values(of: number).sorted() == known[number] ?? [])
    }
  }
}
