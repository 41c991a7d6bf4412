@testable import Host
import Testing

@testable import Journeys

@Suite(.timeLimit(.minutes(1))) struct JourneyChoiceTests {
  private func file(_ name: String, _ journeys: [String], isParallel: Bool = false) -> PlannedFile {
    PlannedFile(
      script: Script(text: [], name: name, folder: "."),
      journeys: journeys.enumerated().map { index, text in
        let words = text.split(separator: " ").map(String.init)
        var journey = PlannedJourney(
          id: "\(name) > \(words[0])", index: index + 1, name: [words[0]], file: name,
          line: (index + 1) * 10, tags: words.dropFirst().filter { $0 != "only" })
        journey.mark = words.contains("only") ? .only : nil
        journey.isParallel = isParallel
        return journey
      })
  }

  private func names(_ chosen: ChosenJourneys) -> [String] {
    chosen.files.flatMap(\.journeys).map(\.ownName)
  }

  private var files: [PlannedFile] {
    [file("a", ["one merge", "two", "three merge slow"]), file("b", ["four slow", "five"])]
  }

  @Test func `everything is taken in order when nothing is said`() {
    let chosen = JourneyChoice().apply(to: files)
    #expect(names(chosen) == ["one", "two", "three", "four", "five"])
    #expect(chosen.declared == 5)
  }

  @Test func `all that is said must hold`() throws {
    var choice = JourneyChoice()
    choice.expression = try SelectionExpression("merge or slow")
    choice.name = NameFilter("o")
    choice.failed = ["a > one", "a > two"]
    #expect(names(choice.apply(to: files)) == ["one"])
    choice.failed = nil
    #expect(names(choice.apply(to: files)) == ["one", "four"])
  }

  @Test func `lines choose within their file only`() {
    var choice = JourneyChoice()
    choice.lines = ["a": [LineFilter(line: 15), LineFilter(line: 30)]]
    #expect(names(choice.apply(to: files)) == ["one", "three", "four", "five"])
  }

  @Test func `marked journeys leave all others out, in every file`() {
    let chosen = JourneyChoice().apply(
      to: [file("a", ["one", "two only"]), file("b", ["three"]), file("c", ["four only"])])
    #expect(names(chosen) == ["two", "four"])
    #expect(chosen.marked.map(\.ownName) == ["two", "four"])
    #expect(chosen.notMarked == 2)
  }

  @Test func `a mark on a journey that is not selected does not matter`() throws {
    var choice = JourneyChoice()
    choice.expression = try SelectionExpression("merge")
    let chosen = choice.apply(to: [file("a", ["one merge", "two only"])])
    #expect(names(chosen) == ["one"])
    #expect(chosen.marked.isEmpty)
  }

  @Test func `shards keep files whole unless they may be divided`() throws {
    let files = [
      file("a", ["one", "two"]), file("b", ["three"]),
      file("c", ["four", "five", "six"], isParallel: true),
    ]
    var seen: [String] = []
    for number in 1...3 {
      var choice = JourneyChoice()
      choice.shard = try Shard("\(number)/3")
      let own = names(choice.apply(to: files, durations: ["c > four": 2, "b > three": 2]))
      #expect(own.contains("one") == own.contains("two"))
      #expect(!own.isEmpty && own.count < 4)
      seen += own
    }
    #expect(seen.sorted() == ["five", "four", "one", "six", "three", "two"])
  }

  @Test func `a file that does not load is told of, by one shard`() throws {
    var broken = file("x", [])
    broken.failure = Failure(kind: .error, message: "no")
    #expect(JourneyChoice().apply(to: [broken]).files.count == 1)
    let all = try (1...3).map { number in
      var choice = JourneyChoice()
      choice.shard = try Shard("\(number)/3")
      return choice.apply(to: files + [broken]).files.filter { $0.failure != nil }.count
    }
    #expect(all.sorted() == [0, 0, 1])
  }

  @Test func `a journey that is repeated has a name for each run and one in the record`() {
    var choice = JourneyChoice()
    choice.repeats = 3
    let journeys = choice.apply(to: [file("b", ["five"])]).files[0].journeys
    #expect(journeys.map(\.id) == ["b > five", "b > five (run 2)", "b > five (run 3)"])
    #expect(journeys.map(\.recordID) == ["b > five", "b > five", "b > five"])
  }

  @Test func `an order of chance changes files and journeys`() {
    var choice = JourneyChoice()
    let files = (0..<6).map { number in
      file("f\(number)", (0..<6).map { "\(number)-\($0)" })
    }
    let declared = names(choice.apply(to: files))
    choice.shuffleSeed = 3
    let once = names(choice.apply(to: files))
    #expect(once != declared)
    #expect(once.sorted() == declared.sorted())
    #expect(names(choice.apply(to: files.reversed())) == once)
    // A file alone is in the order that it has among others.
    let alone = names(choice.apply(to: [files[2]]))
    #expect(once.filter { $0.hasPrefix("2-") } == alone)
  }

  @Test func `nothing selected leaves nothing`() throws {
    var choice = JourneyChoice()
    choice.expression = try SelectionExpression("nothing")
    let chosen = choice.apply(to: files)
    #expect(chosen.isEmpty)
    #expect(chosen.declared == 5)
  }
}
