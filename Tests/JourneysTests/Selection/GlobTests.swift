import Testing

@testable import Journeys

@Suite(.timeLimit(.minutes(1))) struct GlobTests {
  @Test(
    arguments: [
      ("", "", true), ("", "a", false), ("*", "", true), ("*", "abc", true), ("a*c", "abbc", true),
      ("a*c", "abcd", false), ("*b*", "abc", true), ("a?c", "abc", true), ("a?c", "ac", false),
      ("a\\*c", "a*c", true), ("a\\*c", "abc", false), ("a\\", "a\\", true), ("**a**", "a", true),
      ("*aab", "aaab", true), ("?", "é", true), ("*é?", "caféx", true), ("[a]", "a", false),
    ])
  func `a pattern stands for whole texts`(pattern: String, text: String, matches: Bool) {
    #expect(Glob(pattern).matches(text) == matches)
  }

  @Test func `many stars do not take for ever`() {
    let glob = Glob(String(repeating: "*a", count: 200) + "b")
    #expect(!glob.matches(String(repeating: "a", count: 5000)))
  }
}
