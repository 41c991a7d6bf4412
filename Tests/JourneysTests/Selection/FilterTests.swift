import Testing

@testable import Journeys

@Suite(.timeLimit(.minutes(1))) struct FilterTests {
  private let journeys = [
    (3, ["first"]), (10, ["block", "second"]), (10, ["block", "third"]), (20, ["last"]),
  ]
  .map { line, names in
    PlannedJourney(id: names.joined(), index: 1, name: names, file: "a_spec.lua", line: line)
  }

  @Test(
    arguments: [
      (3, ["first"]), (9, ["first"]), (10, ["second", "third"]), (19, ["second", "third"]),
      (20, ["last"]), (9999, ["last"]), (2, []),
    ])
  func `a line takes the journeys that begin last before it`(line: Int, names: [String]) {
    #expect(LineFilter(line: line).taken(of: journeys).map(\.ownName) == names)
  }

  @Test func `a path may end with a line`() {
    #expect(LineFilter.split("a/b_spec.lua:12")?.path == "a/b_spec.lua")
    #expect(LineFilter.split("a/b_spec.lua:12")?.filter == LineFilter(line: 12))
    #expect(LineFilter.split("C:4:5")?.path == "C:4")
    for text in [
      "a_spec.lua", "a_spec.lua:", "a_spec.lua:0", "a:-1", "a:1x", ":5", "a:99999999999999999999",
    ] {
      #expect(LineFilter.split(text) == nil, "\(text)")
    }
  }

  @Test(
    arguments: [
      ("second", ["second"]), ("block", ["second", "third"]), ("block > third", ["third"]),
      ("block third", ["third"]), ("*ir*", ["first", "third"]), ("thi?d", ["third"]),
      ("SECOND", []), ("", ["first", "second", "third", "last"]),
    ])
  func `a name takes journeys by a part or a pattern`(text: String, names: [String]) {
    #expect(journeys.filter(NameFilter(text).takes).map(\.ownName) == names)
  }
}
