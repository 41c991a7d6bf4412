import Testing

@testable import Runner

@Suite(.timeLimit(.minutes(1))) struct ShuffledOrderTests {
  private func journeys(_ names: [[String]]) -> [Candidate] {
    names.enumerated().map {
      Candidate(id: $0.element.joined(), file: "f", line: $0.offset, names: $0.element, tags: [])
    }
  }

  @Test func `a seed repeats an order, and seeds differ`() {
    let all = journeys((0..<20).map { ["journey \($0)"] })
    let once = ShuffledOrder.journeys(all, file: "f", seed: 1)
    #expect(ShuffledOrder.journeys(all, file: "f", seed: 1) == once)
    #expect(ShuffledOrder.journeys(all, file: "f", seed: 2) != once)
    #expect(ShuffledOrder.journeys(all, file: "g", seed: 1) != once)
    #expect(once.sorted { $0.line < $1.line } == all)
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
        let places = order.indices.filter { order[$0].names.starts(with: block) }
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
