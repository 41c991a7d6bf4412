@testable import Prompt
import Testing

@Suite struct LuaLanguageTests {
  private final class Nothing: CompletionSource {
    let builtins: Set<String> = ["print"]

    func items(_ context: CompletionContext) -> [Completions.Item] {
      ["alpha", "alpine", "beta"].map { Completions.Item($0) }
    }
  }

  private let language = LuaLanguage(Nothing())

  private func kinds(_ text: String) -> [(String, ColouredPart.Kind)] {
    let bytes = Array(text.utf8)
    return language.colours(of: text).map {
      (String(decoding: bytes[$0.range], as: UTF8.self), $0.kind)
    }
  }

  @Test func `words, texts, numbers and comments have their colours`() {
    let found = kinds("local x = print 'é' .. 0x1F --note")
    let expected: [(String, ColouredPart.Kind)] = [
      ("local", .keyword), ("x", .name), ("=", .symbol), ("print", .builtin), ("'é'", .string),
      ("..", .symbol), ("0x1F", .number), ("--note", .comment),
    ]
    #expect(found.map(\.0) == expected.map(\.0))
    #expect(found.map(\.1) == expected.map(\.1))
  }

  @Test(arguments: [
    ("'begun", ColouredPart.Kind.string), ("[[begun\nmore", .string), ("@", .error), ("é", .error),
    ("--[[ begun", .comment), ("[==[ a ]=] ]==]", .string), ("1e+5", .number),
    ("0xA.8p-3", .number),
    ("'a\\z  \n b'", .string), ("'a\\\nb'", .string),
  ])
  func `what is begun is coloured as what it is`(_ text: String, _ kind: ColouredPart.Kind) {
    #expect(kinds(text).map(\.1) == [kind])
  }

  @Test(
    arguments: [
      ("f(a[1])", 1, 6), ("f(a[1])", 6, 1), ("f(a[1])", 3, 5), ("f(')')", 1, 5), ("{ --}\n}", 0, 6),
    ] as [(String, Int, Int)])
  func `brackets find each other`(_ text: String, _ position: Int, _ partner: Int) {
    #expect(language.partner(of: position, in: text) == partner)
  }

  @Test(arguments: [("f(", 1), ("f(]", 1), (")", 0), ("f'('", 2), ("", 0)] as [(String, Int)])
  func `a bracket alone has no partner`(_ text: String, _ position: Int) {
    #expect(language.partner(of: position, in: text) == nil)
  }

  @Test(
    arguments: [
      ("if x then", 2), ("function f()\n  for i = 1, 2 do", 4), ("t = {", 2), ("f(function()", 4),
      ("do end", 0), ("x = 1", 0), ("if a then\n  b()\nelse", 2), ("end end", 0),
      ("repeat", 2), ("while true do", 2), ("if a then b() elseif c then", 2),
    ] as [(String, Int)])
  func `a new line is indented by what is open`(_ text: String, _ blanks: Int) {
    #expect(language.indentation(after: text) == blanks)
  }

  @Test func `the words that end a block stand below its beginning`() {
    for word in ["end", "until", "else", "elseif", "}", ")", "]"] {
      #expect(language.outdent(word) == 2)
    }
    for word in ["", "ending", "then", "x", "e"] { #expect(language.outdent(word) == 0) }
  }

  @Test(arguments: [".help", ".load x.lua", "auth?", "1 + 1", "x = = 1"])
  func `a text that no line can help is complete`(_ text: String) {
    #expect(language.isComplete(text))
  }

  @Test(arguments: ["f(", "if x then", "x = [[", "local t = {\n  1,"])
  func `an open text is not complete`(_ text: String) { #expect(!language.isComplete(text)) }

  @Test func `completions begin with what was begun`() {
    let found = language.completions(of: "x = al", at: 6)
    #expect(found.replaced == 4..<6)
    #expect(found.items.map(\.text) == ["alpha", "alpine"])
  }
}

@Suite struct CompletionContextTests {
  @Test(
    arguments: [
      ("", .name), ("pri", .name), ("x = a", .name),
      ("auth.", .member(of: ["auth"], isMethod: false)),
      ("auth.currentUser:get", .member(of: ["auth", "currentUser"], isMethod: true)),
      ("f(a, b.c.d", .member(of: ["b", "c"], isMethod: false)),
      ("f().", .result(of: ValueChain(.name("f"), [.call]), isMethod: false)),
      ("x = (\"a\"):up", .result(of: ValueChain(.text), isMethod: true)),
      (
        "((\"a\")):rep(3):",
        .result(of: ValueChain(.text, [.method("rep"), .call]), isMethod: true)
      ),
      (
        "g(a.b:c { d = 1 }.e.f \"x\".",
        .result(
          of: ValueChain(
            .name("a"),
            [.field("b"), .method("c"), .call, .field("e"), .field("f"), .call]), isMethod: false)
      ),
      ("(f()):", .result(of: ValueChain(.name("f"), [.call]), isMethod: true)),
      ("(a .. b):", .nothing), ("(1).", .nothing), ("f()[1].", .nothing), ("{}.", .nothing),
      ("): ", .nothing), ("function() end)():", .nothing),
      ("_err.code == ", .value(compared: "code")), ("x.code ~= we", .value(compared: "code")),
      ("f() == ", .name),
      ("a[1].", .nothing), ("-- auth.", .nothing), ("12", .nothing),
      ("auth:signIn {", .option(of: ["auth", "signIn"], isMethod: true)),
      ("auth:signIn { email = 'a', pa", .option(of: ["auth", "signIn"], isMethod: true)),
      ("http.post(url, { he", .option(of: ["http", "post"], isMethod: false)),
      ("x = { a", .name), ("auth:signIn { email = a", .name),
      ("require \"lu", .text(call: ["require"], compared: nil)),
      ("require('lu", .text(call: ["require"], compared: nil)),
      ("if err.code == \"wr", .text(call: [], compared: "code")),
      ("f { providerID = '", .text(call: [], compared: "providerID")),
      ("x:unlink('micro", .text(call: ["x", "unlink"], compared: nil)),
      ("f(g(1), \"a", .text(call: ["f"], compared: nil)), (".lo", .command), (".", .command),
      (".load scr", .argument(of: "load")),
    ] as [(String, CompletionContext.Place)])
  func `a place is what stands before it`(_ text: String, _ place: CompletionContext.Place) {
    #expect(CompletionContext(text, at: text.utf8.count).place == place)
  }

  @Test(
    arguments: [
      ("require \"luath.a", "luath.a", 9), ("x.yé", "", 5), ("auth.cur", "cur", 5),
      (".lo", ".lo", 0),
      (".load a/b", "a/b", 6), ("'", "", 1), ("f[[ab", "ab", 3),
    ] as [(String, String, Int)])
  func `what was begun is replaced`(_ text: String, _ prefix: String, _ start: Int) {
    let context = CompletionContext(text, at: text.utf8.count)
    #expect(context.prefix == prefix)
    #expect(context.replaced == start..<text.utf8.count)
  }
}
