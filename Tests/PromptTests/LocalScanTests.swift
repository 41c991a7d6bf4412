@testable import Lua
import Testing

@testable import Prompt

@Suite struct LocalScanTests {
  private func declarations(_ text: String) -> [(names: [String], rest: String)] {
    let scanned = LocalScan.declarations(in: LuaLexer.tokens(of: text))
    let bytes = Array(text.utf8)
    return scanned.map { ($0.names, String(decoding: bytes[$0.end...], as: UTF8.self)) }
  }

  @Test(arguments: [
    ("local a = 1 b = 2", " b = 2"),
    ("local a, b = f(x)[1]:m{} 'text' print(a)", " print(a)"),
    ("local a = 1 (f)()", " (f)()"),
    ("local a = f\n(g)()", ""),
    ("local a = not -b .. c ^ 2 return a", " return a"),
    ("local a = function(x) if x then return end end f()", " f()"),
    ("local a = { 1, function() end; b = 2 } f()", " f()"),
    ("local function f() local b = 1 end g()", " g()"),
    ("local a <const>, b <close> = 1, nil f()", " f()"),
    ("local a f()", " f()"),
    ("local a; f()", "; f()"),
    ("local a = ... f()", " f()"),
    ("local a = 'local b = 1' --[[ local c ]] f()", " --[[ local c ]] f()"),
    ("local a = x.y.z and (1 + 2) // 3 ::done::", " ::done::"),
    ("local a = #t < 5 goto done", " goto done"),
  ])
  func `a declaration ends where Lua ends it`(_ text: String, _ rest: String) throws {
    let found = declarations(text)
    #expect(found.first?.rest == rest)
  }

  @Test(
    arguments: [
      ("do local a = 1 end", []), ("if x then local a end", []),
      ("for i = 1, 2 do local a end", []),
      ("while f() do local a end local b", ["b"]), ("repeat local a until a local b", ["b"]),
      ("function f() local a end local b", ["b"]), ("f(function() local a end) local b", ["b"]),
      ("t = { function() local a end } local b", ["b"]),
      ("if a then b() elseif c then d() else e() end local f", ["f"]),
    ] as [(String, [String])])
  func `what blocks declare stays in them`(_ text: String, _ names: [String]) {
    #expect(declarations(text).flatMap(\.names) == names)
  }

  @Test func `attributes are told`() throws {
    let text = "local a <const>, b <close>, c = 1"
    let found = try #require(LocalScan.declarations(in: LuaLexer.tokens(of: text)).first)
    #expect(found.names == ["a", "b", "c"])
    #expect(found.constants == ["a", "b"])
    #expect(found.closing == "b")
  }
}
