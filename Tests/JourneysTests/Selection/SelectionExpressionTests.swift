import Testing

@testable import Journeys

@Suite(.timeLimit(.minutes(1))) struct SelectionExpressionTests {
  private func declared(_ name: [String], _ tags: [String]) -> PlannedJourney {
    PlannedJourney(id: "a > b", index: 1, name: name, file: "a", line: 1, tags: tags)
  }

  @Test(
    arguments: [
      ("merge", true), ("slow", false), ("not slow", true), ("merge and not slow", true),
      ("slow or merge", true), ("slow and merge or google", true),
      ("google or merge and slow", true), ("(google or merge) and slow", false),
      ("not merge and slow", false), ("not (merge and slow)", true), ("not not merge", true),
      ("m*ge", true), ("m?rge", true), ("m?ge", false), ("#merge", true), ("#sign-in", false),
      ("\"adds a provider\"", true), ("'*provider'", true), ("provider", false),
      ("*provider", true), ("linking", true), ("\"linking > adds a provider\"", true),
      ("\"merge\"", false), ("merge(google)", nil), ("((merge))", true), ("Merge", false),
    ] as [(String, Bool?)])
  func `an expression takes what it says`(text: String, expected: Bool?) throws {
    let journey = declared(["linking", "adds a provider"], ["merge", "google"])
    guard let expected else {
      #expect(throws: SelectionError.self) { try SelectionExpression(text) }
      return
    }
    #expect(try SelectionExpression(text).takes(journey) == expected)
  }

  @Test(
    arguments: [
      ("", 0, "a tag or a name is missing at the end"),
      ("  ", 2, "a tag or a name is missing at the end"),
      ("merge and", 9, "a tag or a name is missing at the end"),
      ("and merge", 0, "a tag or a name is missing before 'and'"),
      ("merge slow", 6, "'slow' follows without and or or"),
      ("merge and )", 10, "a tag or a name is missing before ')'"),
      ("merge)", 5, "')' closes nothing"),
      ("(merge and slow", 15, "the '(' at character 1 is not closed"),
      ("(merge slow)", 7, "'slow' stands where and, or or ')' is wanted"),
      ("merge && slow", 6, "'&' means nothing here"),
      ("!merge", 0, "'!' means nothing here"), ("merge, slow", 5, "',' means nothing here"),
      ("not \"adds a", 4, "the quotation mark \" is not closed"),
      ("merge # slow", 6, "a tag is missing after '#'"),
      ("ünter and é &", 12, "'&' means nothing here"),
    ])
  func `a mistake is shown with its place`(text: String, position: Int, message: String) throws {
    let error = try #require(throws: SelectionError.self) { try SelectionExpression(text) }
    #expect(error.message == message)
    #expect(error.position == position)
    #expect(error.excerpt == "  \(text)\n  \(String(repeating: " ", count: position))^\n")
    #expect(!error.hint.isEmpty)
  }

  @Test func `what nobody wrote by hand is refused, not recursed into`() {
    let deep = String(repeating: "(", count: 100_000)
    #expect(throws: SelectionError.self) { try SelectionExpression(deep + "a") }
    #expect(throws: SelectionError.self) {
      try SelectionExpression(String(repeating: "not ", count: 100_000) + "a")
    }
  }

  @Test func `words without wildcards are known, to look for slips of the finger`() throws {
    let expression = try SelectionExpression("merge and not (#slow or w* or \"a name\")")
    #expect(expression.literals == ["merge", "slow"])
  }

  @Test func `a quoted name may have any character`() throws {
    let name = "says \"no\" & waits (long)*"
    let journey = declared([name], [])
    #expect(try SelectionExpression(#""says \"no\" & waits (long)\*""#).takes(journey))
    #expect(
      try !SelectionExpression(#""says \"no\" & waits (long)\*""#)
        .takes(declared([name + "!"], [])))
  }
}
