import Testing

@testable import Prompt

@Suite struct LuaParserTests {
  @Test(
    arguments: [
      ("1 + 1", .expression), ("f()", .expression), ("", .expression), ("a, b", .expression),
      ("x = 1", .statements), ("return 5", .statements), ("for i = 1, 2 do end", .statements),
      ("f(", .incomplete), ("1 +", .incomplete), ("if x then", .incomplete),
      ("function f()\n  return 1", .incomplete), ("x = [[a", .incomplete), ("--[[ a", .incomplete),
      ("x = 'a\\", .incomplete), ("local t = {", .incomplete),
    ] as [(String, LuaParser.Finding)])
  func `a text is what Lua's compiler says`(_ text: String, _ finding: LuaParser.Finding) {
    #expect(LuaParser().find(text) == finding)
  }

  @Test(arguments: ["x = = 1", "x = 'a", "end", "f)", "\u{1B}Lua", "1 end", "goto nowhere"])
  func `what no line can make whole is wrong`(_ text: String) {
    guard case .wrong = LuaParser().find(text) else {
      Issue.record("\(text) is not refused")
      return
    }
  }
}
