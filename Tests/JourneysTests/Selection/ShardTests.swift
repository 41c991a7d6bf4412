@testable import System
import Testing

@testable import Journeys

@Suite(.timeLimit(.minutes(1))) struct ShardTests {
  private func shares(_ units: [(key: String, duration: Double?)], of count: Int) throws -> [Set<
    String
  >] {
    try (1...count).map { try Shard("\($0)/\(count)").share(of: units) }
  }

  @Test func `every unit is in exactly one shard`() throws {
    var generator = SeededGenerator(seed: 7)
    for count in [1, 2, 3, 7, 40] {
      let units = (0..<31).map { number in
        (
          key: "file\(number)",
          duration: number.isMultiple(of: 4) ? nil : Double.random(in: 0...900, using: &generator)
        )
      }
      let shares = try shares(units, of: count)
      #expect(shares.reduce(0) { $0 + $1.count } == units.count)
      #expect(shares.reduce(into: Set()) { $0.formUnion($1) } == Set(units.map(\.key)))
      // Another machine may find its files in another order.
      #expect(try self.shares(units.shuffled(using: &generator), of: count) == shares)
    }
  }

  @Test func `shards take about the same time`() throws {
    let units = [9000, 100, 100, 4000, 5000, 100, 100, 100, 8700].enumerated().map {
      (key: "file\($0.offset)", duration: Optional(Double($0.element)))
    }
    let times = try shares(units, of: 3).map { share in
      units.filter { share.contains($0.key) }.reduce(0) { $0 + ($1.duration ?? 0) }
    }
    #expect(times.max() == 9100)
    #expect(times.min() == 9000)
  }

  @Test func `units of unknown duration count as the middle one`() throws {
    let units = [("a", 100.0), ("b", 100), ("c", 100), ("new", nil)].map {
      (key: $0.0, duration: $0.1)
    }
    #expect(try shares(units, of: 2).map(\.count) == [2, 2])
    let unknown = ["a", "b", "c", "d"].map { (key: $0, duration: Double?.none) }
    #expect(try shares(unknown, of: 2).map(\.count) == [2, 2])
  }

  @Test(
    arguments: [
      "", "1", "0/3", "4/3", "1/0", "-1/3", "1/2/3", "a/b", "1/", "/2", " 1/2", "1/999999999",
      "1.5/2",
    ])
  func `what is no shard is refused`(text: String) throws {
    let problem = try #require(throws: Problem.self) { try Shard(text) }
    #expect(!problem.message.isEmpty && !problem.hint.isEmpty)
  }

  @Test func `a shard outside of its range is named`() throws {
    let problem = try #require(throws: Problem.self) { try Shard("4/3") }
    #expect(problem.message == "there is no shard 4 of 3")
    #expect(problem.hint == "use 1/3 to 3/3")
  }
}
