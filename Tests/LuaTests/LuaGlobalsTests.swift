@testable import Lua
import Testing

/// Reading the globals that a source text uses.
@Suite struct LuaGlobalsTests {
  @Test(arguments: [
    ("print(x)", "print x"), ("local x = x", "x"), ("local x print(x)", "print"),
    ("local function f() return f end", ""), ("function f() end f()", "f"),
    ("for i = 1, n do a = i end", "n"),
    ("for k, v in pairs(t) do print(k, v) end", "pairs t print"),
    ("local t = { a = b, [c] = d, e }", "b c d e"),
    ("function t.f(a) return self, a end", "t self"),
    ("function t:f(a) return self, a end", "t"), ("a.b, c = d, e", "a d e"),
    ("repeat local x = f() until x", "f"), ("do local x end print(x)", "print x"),
    ("if a then b() elseif c then d() else e() end", "a b c d e"), ("goto l ::l:: return a", "a"),
    ("local f = function(...) return ..., a end", "a"), ("f 'x' { y } [z]()", "f y z"),
    ("return function(_, x) return x, y end", "y"), ("local a <const> = 1 return a, b", "b"),
    ("x = -a + #b .. not c", "a b c"), ("(a or b).c = d", "a b d"), ("return -- a\n b", "b"),
  ])
  func `names that are no local variables are read as globals`(_ source: String, _ names: String) {
    #expect(LuaGlobals(source).reads.map(\.name).joined(separator: " ") == names, "\(source)")
  }

  @Test(arguments: [
    ("a = 1 local b b = 2", "a"), ("function f() g = 1 end", "f g"), ("function t.f() end", ""),
    ("_G.x = 1 _G['y'] = 2", "x y"), ("if rawget(_G, 'x') then print(x) end", "x"),
    ("local a = 1 do a, c = 2, 3 end", "c"),
  ])
  func `assignments to other names define globals`(_ source: String, _ names: String) {
    let globals = LuaGlobals(source)
    #expect(globals.writes.sorted().joined(separator: " ") == names, "\(source)")
    #expect(!globals.isOpen, "\(source)")
  }

  @Test(arguments: [
    "_ENV = {}", "local _ENV = {}", "setmetatable(_G, {})", "_G[name] = 1", "load('x = 1')()",
    "dofile 'x.lua'", "package.path = 'x'", "package.loaded._G.x = 1", "require(name)",
    "local f = require f(name)", "local G = _G",
  ])
  func `a text that may define any global is open`(_ source: String) {
    #expect(LuaGlobals(source).isOpen, "\(source)")
  }

  @Test(arguments: [
    "print(_G.x)", "rawget(_G, 'x')", "for k in pairs(_G) do print(k) end", "require 'a'",
    "local load = 1 load = 2", "pcall(require, 'a')",
  ])
  func `a text that only reads globals is not`(_ source: String) {
    #expect(!LuaGlobals(source).isOpen, "\(source)")
  }

  @Test func `the modules that it requires are those with literal names`() {
    let source = "require 'a.b' require(\"c\") local ok, m = pcall(require, 'd') print(require)"
    #expect(LuaGlobals(source).modules == ["a.b", "c", "d"])
  }

  @Test func `a value that is only tested is marked`() {
    let source = "if a then end local x = b or c or d() return not e, f == nil, g.h"
    let tested = LuaGlobals(source).reads.filter(\.isTested).map(\.name)
    #expect(tested == ["a", "b", "c", "e", "f"])
  }

  @Test(arguments: [
    "end end end", "(", "local", "function", "for", "x =", "a.", "a:", "{ [", "if x", "::", "\"",
    "return return", "local function", "= = =", "f(", "for in do", "until", "goto",
  ])
  func `source that does not compile ends the reading`(_ source: String) {
    _ = LuaGlobals(source)
  }
}
