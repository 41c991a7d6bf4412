import Testing

@testable import Journeys

@Suite(.timeLimit(.minutes(1))) struct ShuffledOrderTests {
  private func journeys(_ names: [[String]]) -> [PlannedJourney] {
    names.enumerated().map {
      PlannedJourney(
        id: $0.element.joined(), index: $0.offset, name: $0.element, file: "f", line: $0.offset)
    }
  }

  @Test func `a seed repeats an order, and seeds differ`() {
    let all = journeys((0..<20).map { ["journey \($0)"] })
    func order(_ file: String, _ seed: UInt64) -> [Int] {
      ShuffledOrder.journeys(all, file: file, seed: seed).map(\.line)
    }
    #expect(order("f", 1) == order("f", 1))
    #expect(order("f", 1) != order("f", 2))
    #expect(order("f", 1) != order("g", 1))
    #expect(order("f", 1).sorted() == Array(0..<20))
  }

  /// The same on every machine and in every version, as seeds are written into bug reports.
  @Test func `the order of a seed does not change`() {
    let all = journeys((0..<6).map { ["\($0)"] })
    #expect(ShuffledOrder.journeys(all, file: "f", seed: 42).map(\.ownName).joined() == "310245")
  }

  @Test func `blocks stay together`() {
    let all = journeys([
      ["alone"], ["a", "one"], ["a", "two"], ["a", "inner", "three"], ["a", "inner", "four"],
      ["b", "five"], ["b", "six"], ["other"],
    ])
    for seed in 0..<50 as Range<UInt64> {
      let order = ShuffledOrder.journeys(all, file: "f", seed: seed)
      #expect(Set(order.map(\.id)) == Set(all.map(\.id)))
      for block in [["a"], ["b"], ["a", "inner"]] {
        let places = order.indices.filter { order[$0].name.starts(with: block) }
        #expect(places.count == (places.last ?? 0) - (places.first ?? 0) + 1, "\(seed) \(block)")
      }
    }
  }

  @Test func `files have one order under a seed, however they were found`() {
    let files = (0..<10).map { "f\($0)" }
    #expect(ShuffledOrder.files(files, seed: 3) == ShuffledOrder.files(files.reversed(), seed: 3))
    #expect(ShuffledOrder.files(files, seed: 3) != ShuffledOrder.files(files, seed: 4))
  }
}
