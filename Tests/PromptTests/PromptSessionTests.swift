@testable import Host
import Testing

@testable import Prompt

@Suite struct PromptSessionTests {
  private func last(_ texts: String...) async throws -> String {
    try await SessionWorld.run(texts).last ?? ""
  }

  // MARK: Variables

  @Test(arguments: [
    (["local x = 5", "x * 2"], "10"),
    (["local x = 1", "function f() return x end", "x = 2", "f()"], "2"),
    (["local x = 1", "function add() x = x + 1 end", "add() add()", "x"], "3"),
    (["local x = 1", "function f() return x end", "local x = 2", "f(), x"], "1\n2"),
    (["local x = 1", "local x = x + 1", "local x = x + 1", "x"], "3"),
    (["local function f(n) return n < 2 and 1 or n * f(n - 1) end", "f(5)"], "120"),
    (["local a, b, c = 1, 2", "a, b, c"], "1\n2\nnil"),
    (["local a = 1 local b = a + 1 function g() return a + b end a = 10", "g()"], "12"),
    (["local a <const> = 3", "a"], "3"),
    (["local a <const> = {}", "a.b = 1", "a.b"], "1"),
    (["do local hidden = 1 end", "rawget(_G, 'hidden')"], "nil"),
    (["function f() local inside = 1 return inside end", "f(), rawget(_G, 'inside')"], "1\nnil"),
    (["local x = 1 error 'late'", "x"], "1"),
    (["local ok, err = pcall(error, 'no') local z = 1", "ok, err, z"], "false\n\"no\"\n1"),
    (["local t = { f = function(self) return self.n end, n = 4 }", "t:f()"], "4"),
    (["local a = 1; local b = a; return a + b"], "2"),
    (["local x = 1", "for x = 5, 6 do end", "x"], "1"),
    (["local x = 1", "goto there", "x"], "1"),
    (["local a = 1 ::there:: local b = 2", "a + b"], "3"),
    (["local _ENV = { y = 7 }", "y"], "7"),
    (["y = 1", "local y = 2", "y = 3", "_G.y"], "1"),
    (["local s = [[a\nb]] local n = #s", "n"], "3"),
    (["local s = 'local q = 1'", "rawget(_G, 'q')"], "nil"),
  ])
  func `a variable of one text is the same variable in the next`(
    _ texts: [String], _ shown: String
  ) async throws {
    #expect(try await SessionWorld.run(texts).last == shown)
  }

  @Test(arguments: [
    (
      "local r = await auth:signIn(provider 'microsoft.com')",
      "write local r = auth:signIn(provider 'microsoft.com')"
    ),
    (
      "local q = new Auth.OAuthProvider('microsoft.com')",
      "write local q = Auth.OAuthProvider('microsoft.com')"
    ),
    ("local s = try auth:signInAnonymously()", "write local"),
    ("x = undefined", "write x = nil"), ("provder 'x'", "did you mean 'provider'?"),
    ("local ok, err = pcall(auth:signOut())", "write local ok, err = pcall(auth.signOut, auth)"),
    ("pcall(auth:signIn, nil)", "write pcall(auth.signIn, auth, nil)"),
    ("'a' + 'b'", "write 'a' .. 'b'"), ("json:decode('{}')", "write json.decode('{}')"),
  ])
  func `an entry that means nothing in Lua shows the line to write`(
    _ text: String, _ shown: String
  ) async throws {
    let words = try await last(text)
    #expect(words.hasPrefix("error: "))
    #expect(words.contains("  hint: ") && words.contains(shown), "\(words)")
  }

  @Test(arguments: [
    (["function f() return g() end", "function g() return 4 end", "f()"], "4"),
    (["x = nil", "x"], "nil"), (["load 'y = 1' ()", "y"], "1"), (["_"], "nil"),
    (["local ok, error = true, { code = 5 }", "error.code"], "5"),
  ])
  func `names that an earlier or later entry defines are no mistakes`(
    _ texts: [String], _ shown: String
  ) async throws {
    #expect(try await SessionWorld.run(texts).last == shown)
  }

  @Test func `a constant stays one`() async throws {
    let words = try await last("local limit <const> = 3", "limit = 4")
    #expect(words.contains("attempt to assign to const variable 'limit'"))
  }

  @Test func `a constant that is known to the compiler can be used and not assigned`() async throws
  {
    let answers = try await SessionWorld.run([
      "local a <const>, b <const> = 1, 'two'", "a, b", "b = 3", "function f() return a end", "f()",
    ])
    #expect(answers[1] == "1\n\"two\"")
    #expect(answers[2].contains("const variable 'b'"))
    #expect(answers[4] == "1")
  }

  @Test func `what wants to be closed is closed when the session ends, newest first`()
    async throws
  {
    let output = SessionWorld.Output()
    try await SessionWorld.with(output: output) { session in
      let make = "setmetatable({}, { __close = function() print 'NAME' end })"
      for name in ["one", "two"] {
        _ = await session.run(
          "local \(name) <close> = \(make.replacing("NAME", with: name))")
      }
      #expect(output.text == "")
      #expect(SessionWorld.words(await session.run("one ~= nil, two ~= nil")) == "true\ntrue")
    }
    #expect(output.text == "two\none\n")
  }

  @Test(arguments: [
    "type", "select", "require", "setmetatable", "getmetatable", "coroutine", "table", "math",
    "ipairs", "pairs", "next", "tostring", "string", "debug", "error", "pcall", "rawget", "load",
    "utf8", "os", "io", "package", "_G",
  ])
  func `a global may have the name of one of Lua's own`(_ name: String) async throws {
    let answers = try await SessionWorld.run([
      "\(name) = 'mine'", "\(name)", "{ 1, { a = 2.5 } }", "totp.generateSecret ~= nil",
      "expect.equal(1, 2)", "local x <close> = nil", "_3",
    ])
    #expect(answers[1] == "\"mine\"")
    #expect(answers[2] == "{ 1, { a = 2.5 } }")
    #expect(answers[4].hasPrefix("error: expected 2, got 1"))
    #expect(answers[6] == answers[2])
  }

  @Test func `three hundred variables are no trouble`() async throws {
    let texts = (1...300).map { "local v\($0) = \($0)" } + ["v1 + v299 + v300"]
    #expect(try await SessionWorld.run(texts).last == "600")
  }

  // MARK: Results and errors

  @Test func `results have names`() async throws {
    let answers = try await SessionWorld.run(["10", "x = 1", "20, 21", "_, _1, _3", "nil", "_"])
    #expect(answers[3] == "20\n10\n20")
    #expect(answers[5] == "nil")
  }

  @Test func `an error shows its line and the calls up to the text`() async throws {
    let answers = try await SessionWorld.run([
      "function inner()\n  error 'deep'\nend", "function outer() inner() return 1 end", "outer()",
      "_err",
    ])
    #expect(
      answers[2] == """
        error: [1]:2: deep
          2 |   error 'deep'
            |   ^^^^^^^^^^^^
          called from:
            [1]:2: in function 'inner'
            [2]:1: in function 'outer'
            [3]:1

        """)
    #expect(answers[3] == "\"[1]:2: deep\"")
  }

  @Test func `a text that does not compile shows where`() async throws {
    let words = try await last("x = = 1")
    #expect(words.hasPrefix("error: unexpected symbol near '='\n  1 | x = = 1\n"))
    #expect(try await last("foo(").contains("<eof>"))
  }

  @Test func `os exit leaves with its status`() async throws {
    #expect(try await last("os.exit(3)") == "left 3")
  }

  @Test func `a session that took too much memory goes on`() async throws {
    let answers = try await SessionWorld.run(
      ["local t = {} while true do t[#t + 1] = ('x'):rep(1000) end", "1 + 1"], memory: 8 << 20)
    #expect(answers[0].contains("memory"))
    #expect(answers[1] == "2")
  }

  @Test func `a task that fails is told once`() async throws {
    try await SessionWorld.with { session in
      _ = await session.run("task.spawn(function() error 'alone' end) task.sleep(0.001)")
      #expect(session.interpreter.takeUnseenFailures().map(\.message) == ["alone"])
      #expect(session.interpreter.takeUnseenFailures().isEmpty)
    }
  }

  // MARK: Help

  /// What is shown of a name.
  private func explained(_ name: String, after texts: [String]) async throws -> String {
    let output = SessionWorld.Output()
    try await SessionWorld.with(output: output) { session in
      for text in texts { _ = await session.run(text) }
      _ = await session.explain(path: name)
    }
    return output.text
  }

  @Test(arguments: [
    ("x", ["x = 5"], "x: a global of this session\n  5\n"),
    ("x", ["local x = 5"], "x: a variable of this session\n  5\n"),
    ("x", ["local x"], "x: a variable of this session\n  nil\n"),
    ("x", ["local x <const> = {}"], "x: a constant of this session\n  {}\n"),
    (
      "t.a", ["t = { a = { b = 1 } }"], "t.a: a field of this session's t\n  { b = 1 }\n"
    ),
    ("f", ["function f() end"], "f: a global of this session\n  function ([1]:1)\n"),
    ("_err", [], "_err: the last error of this session\n  there is none yet\n"),
    ("_", ["6 * 7"], "_: the last result of this session\n  42\n"),
    ("qq", [], "nothing is called or mentions qq\n"),
    ("ai", [], "nothing is called or mentions ai\n"),
  ])
  func `a name of the session's own is explained by its value`(
    _ name: String, _ texts: [String], _ words: String
  ) async throws {
    #expect(try await explained(name, after: texts) == words)
  }

  @Test func `the last error is explained by its value and its class`() async throws {
    let plain = try await explained("_err", after: ["error 'no such luck'"])
    #expect(plain.hasPrefix("_err: the last error of this session\n"))
    #expect(plain.contains("no such luck"))
    let failing = "auth:signIn { email = 'nobody@example.com', password = 'secret' }"
    let refused = try await explained("_err", after: [failing])
    #expect(refused.hasPrefix("_err: the last error of this session\n"))
    #expect(refused.contains("\nAuthError\n  class\n"))
    #expect(!refused.contains("MergeConflict"))
  }

  @Test func `names of luath are explained by the reference`() async throws {
    #expect(try await explained("auth", after: ["local x = auth"]).hasPrefix("Auth\n"))
    #expect(try await explained("link", after: []).contains("user:link("))
  }

  // MARK: Ctrl-C

  @Test(arguments: [
    ("print 'begun' while true do end", "error: interrupted"),
    // The task runs once the call waits.
    ("task.spawn(print, 'begun') task.sleep(60)", "interrupted"),
    // What catches the interruption is stopped for good.
    ("while true do pcall(function() print 'begun' while true do end end) end", "interrupted"),
  ])
  func `Ctrl-C ends a call, and the session goes on`(_ text: String, _ words: String) async throws {
    let interrupts = PromptInterrupts(SessionWorld.console)
    let output = SessionWorld.Output()
    let interrupter = Task.detached {
      await output.first("begun")
      // A second one would end the process.
      interrupts.interrupt()
    }
    try await SessionWorld.with(interrupts: interrupts, output: output) { session in
      _ = await session.run("local kept = 1")
      #expect(SessionWorld.words(await session.run("started = true " + text)).hasPrefix(words))
      #expect(SessionWorld.words(await session.run("kept, started")) == "1\ntrue")
    }
    await interrupter.value
  }
}

/// What a journey may expect of what was seen.
@Suite struct ExpectationTests {
  @Test(
    arguments: [
      ("1", "1", true), ("'a'", "\"a\"", true), ("nil", "nil", true), ("1.5", "1.5", true),
      ("(1.5)", "expect.any.number", false), ("os.time()", "expect.any.timestamp", false),
      ("'w26kW1LGhhhylG30AvqijCbB0Uf2'", "expect.any.uid", false),
      ("'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.'", "expect.any.jwt", false),
      ("'2026-01-31T12:00:00Z'", "expect.any.timestamp", false),
      ("'http://127.0.0.1:4123/x'", "expect.any.string", false),
      ("'Sun Nov 22 16:46:34 2026'", "expect.any.string", false),
      ("'person-abc@luath.example'", "expect.any.email", false),
      ("print", "expect.any.func", false),
      ("auth", "expect.any.object \"Auth\"", false), ("io.stdout", "expect.any.userdata", false),
      ("{ 1, { b = true } }", "{ 1, { b = true } }", false), ("{}", "{}", false),
      ("{ uid = 'x' }", "{ uid = expect.any.uid }", false),
      ("{ password = 'sesame' }", "{ password = \"sesame\" }", false),
      ("setmetatable({}, {})", "expect.any.table", false),
      ("(function() local t = {} t.t = t return t end)()", "{ t = expect.any.table }", false),
      (
        "(function() local t = {} for i = 1, 99 do t[i] = i end return t end)()",
        "expect.any.table",
        false
      ),
    ] as [(String, String, Bool)])
  func `a value is expected as it is, or by its shape`(
    _ text: String, _ source: String, _ isExact: Bool
  ) async throws {
    try await SessionWorld.with { session in
      _ = await session.run(text)
      let expected = session.entries.last?.expected.first
      #expect(expected?.source == source)
      #expect(expected?.isExact == isExact)
    }
  }
}
