import Testing

@testable import Prompt

@Suite struct JourneyTextTests {
  private func entry(
    _ number: Int, _ text: String, _ expected: [(String, Bool)] = [], isExpression: Bool = true,
    isGood: Bool = true, code: String? = nil
  ) -> SessionEntry {
    SessionEntry(
      number: number, text: text, isExpression: isExpression, isGood: isGood, code: code,
      expected: expected.map { SessionEntry.Expected(source: $0.0, isExact: $0.1) })
  }

  private func body(_ entries: [SessionEntry]) -> String {
    let names = ["auth": "require(\"luath.auth\").auth()"]
    let clean: (String) -> String = { $0.replacing("hunter2", with: "[secret]") }
    let text = JourneyText(entries: entries, names: names, clean: clean).text(named: "a") ?? ""
    let start = text.firstRange(of: "journey(\"a\", function()\n")?.upperBound ?? text.startIndex
    return String(text[start...])
  }

  @Test func `what was seen is expected`() {
    #expect(
      body([
        entry(1, "local x = 1", isExpression: false), entry(2, "x", [("1", true)]),
        entry(3, "f() -- why", [("expect.any.uid", false)]), entry(4, "g()"),
        entry(5, "y", [("nil", true)]), entry(6, "a, b", [("1", true), ("nil", true)]),
      ]) == """
          local x = 1
          expect.equal(x, 1)
          expect.same(f(), expect.any.uid)
          g()
          expect.isNil(y)
          expect.same(table.pack(a, b), { n = 2, 1, nil })
        end)

        """)
  }

  @Test func `what became known as a secret later is neither written nor expected`() {
    let text = body([
      entry(1, "local pw = \"hunter2\"", isExpression: false),
      entry(2, "pw", [("\"hunter2\"", true)]),
      entry(3, "{ [pw] = 1 }", [("{ hunter2 = 1 }", true)]),
    ])
    #expect(!text.contains("hunter2"))
    #expect(text.contains("expect.same(pw, expect.any.string)"))
  }

  @Test func `results that are used later have names`() {
    #expect(
      body([entry(1, "f()", [("1", true)]), entry(2, "_ + _1", [("2", true)])]) == """
          local _1 <const> = f()
          local _ = _1
          expect.equal(_1, 1)
          expect.equal(_ + _1, 2)
        end)

        """)
  }

  @Test func `a failure is left out unless the story goes on with its error`() {
    #expect(
      body([entry(1, "f()", isGood: false, code: "odd"), entry(2, "x = 1", isExpression: false)])
        == "  x = 1\nend)\n")
    #expect(
      body([
        entry(1, "f()", isGood: false, code: "odd"), entry(2, "_err.code", [("\"odd\"", true)]),
      ]) == """
          local _err = expect.raises("odd", function()
            return f()
          end)
          expect.equal(_err.code, "odd")
        end)

        """)
  }

  @Test func `secrets are made up anew, each once`() {
    let text = body([
      entry(1, "auth:create('a', 'hunter2')"),
      entry(2, "auth:check 'hunter2' -- hunter2", isExpression: false),
      entry(3, "auth:signIn { password = 'other one' }"), entry(4, "reveal('hunter2')"),
    ])
    #expect(!text.contains("hunter2"))
    #expect(!text.contains("other one"))
    #expect(text.contains("local auth = require(\"luath.auth\").auth()\n"))
    #expect(text.contains("auth:create('a', secret1)"))
    #expect(text.contains("auth:check (secret1) -- [secret]\n"))
    #expect(text.contains("password = secret2"))
    #expect(!text.contains("reveal"))
  }

  @Test(arguments: [
    ("string.upper('hunter2')", "\"HUNTER2\"", "string.upper(secret1), expect.any.string"),
    ("#'hunter2'", "7", "#secret1, expect.any.number"),
    ("'hunter2' == 'x'", "false", "secret1 == 'x', false"),
    (
      "{ pass = 'x', pin = '1234' }", "{ pass = \"x\", pin = \"1234\" }",
      "{ pass = secret1, pin = secret2 }, { pass = expect.any.string, pin = expect.any.string }"
    ),
    (
      "f('hunter2', -1)", "{ -1, [5] = -2.5 }",
      "f(secret1, -1), { expect.any.number, "
        + "[5] = expect.any.number }"
    ),
    (
      "auth:createUser('a', 'hunter2').email", "\"a\"",
      "auth:createUser('a', secret1).email, \"a\""
    ),
    ("os.date('*t').year", "2026", "os.date('*t').year, expect.any.number"),
    ("#user:getIDToken()", "1073", "#user:getIDToken(), expect.any.number"),
  ])
  func `what is made of a secret, a time or a token is expected by its kind`(
    _ text: String, _ seen: String, _ checked: String
  ) {
    let made = body([entry(1, text, [(seen, !seen.hasPrefix("{"))])])
    #expect(
      made.replacing("expect.same(", with: "expect.equal(")
        .contains("expect.equal(\(checked))\n"))
  }

  @Test func `what is made of a secret is followed through variables and results`() {
    let made = body([
      entry(1, "local a, b = 1, 'hunter2'", isExpression: false),
      entry(2, "t.x = b:upper()", isExpression: false), entry(3, "#t.x", [("7", true)]),
      entry(4, "_ + 1", [("8", true)]), entry(5, "2", [("2", true)]),
      entry(6, "_ + 1", [("3", true)]), entry(7, "{ b = 1 }.b", [("1", true)]),
      entry(8, "auth:createUser('a@b.c', b).user.email", [("\"a@b.c\"", true)]),
      entry(9, "user.id", [("expect.any.jwt", false)]), entry(10, "#_", [("1073", true)]),
    ])
    #expect(
      made.contains("expect.same(#t.x, expect.any.number)")
        || made.contains(
          "expect.same(_3, expect.any.number)")
    )
    #expect(made.contains("expect.same(_ + 1, expect.any.number)"))
    #expect(made.contains("expect.equal(_ + 1, 3)"))
    #expect(made.contains("{ b = 1 }.b, 1)"))
    #expect(made.contains(".user.email, \"a@b.c\")"))
    #expect(made.contains("expect.same(#_, expect.any.number)"))
  }

  @Test func `lines inside of texts are not moved`() {
    #expect(
      body([entry(1, "s = [[a\nb]]\nt = 1", isExpression: false)])
        == "  s = [[a\nb]]\n  t = 1\nend)\n")
  }

  @Test func `of nothing there is no journey`() {
    let nothing = [entry(1, "f()", isGood: false), entry(2, "help(x)")]
    #expect(JourneyText(entries: nothing, names: [:], clean: { $0 }).text(named: "a") == nil)
  }

  @Test func `a script has results by their numbers where they are used`() {
    let made = ScriptText(
      entries: [
        entry(1, "{ a = 1 }", [("{ a = 1 }", false)]), entry(2, "_1.a, _", [("1", true)]),
        entry(3, "return 5", [("5", true)], isExpression: false), entry(4, "_3", [("5", true)]),
      ],
      names: [:], clean: { $0 }, isStatement: { LuaParser().isStatement($0) }
    ).text
    #expect(
      made.text == """
        _ = { a = 1 }
        local _1 <const> = _
        _ = _1.a, _
        _ = (function()
        return 5
        end)()
        local _3 <const> = _
        _ = _3

        """)
  }

  @Test func `a script has statements only, and reads secrets from the environment`() {
    let parser = LuaParser()
    let made = ScriptText(
      entries: [
        entry(1, "auth:create('a', 'hunter2')"), entry(2, "x.y", [("1", true)]),
        entry(3, "error()", isGood: false), entry(4, "z = 2", isExpression: false),
      ],
      names: ["auth": "A", "luath": "L"], clean: { $0.replacing("hunter2", with: "[secret]") },
      isStatement: { parser.isStatement($0) }
    ).text
    #expect(
      made.text == """
        local auth = A
        local luath = L
        auth:create('a', luath.secret "SECRET_1")
        _ = x.y
        z = 2

        """)
    #expect(made.variables == ["SECRET_1"])
  }
}

@Suite struct HistoryCleanerTests {
  @Test(arguments: [
    (
      "auth:createUser('ada@contoso.example', 'x y z')",
      "auth:createUser('ada@contoso.example', \"‹secret removed›\")"
    ),
    (
      "auth:signIn { email = 'a@b.c', password = \"x\" }",
      "auth:signIn { email = 'a@b.c', password = \"‹secret removed›\" }"
    ),
    ("user:updatePassword 'new one'", "user:updatePassword (\"‹secret removed›\")"),
    ("t['apiKey'] = 'AIza'", "t['apiKey'] = \"‹secret removed›\""),
    ("print 'hunter2'", "print (\"‹secret removed›\")"),
    ("print 'hello'", "print 'hello'"), ("provider 'microsoft.com'", "provider 'microsoft.com'"),
    (
      "Auth.OAuthProvider.credential('google.com', tokenOf 'x')",
      "Auth.OAuthProvider.credential('google.com', tokenOf 'x')"
    ),
    (
      "Auth.OAuthProvider.credential('google.com', 'eyJ')",
      "Auth.OAuthProvider.credential('google.com', \"‹secret removed›\")"
    ),
    ("x = 'unfinished hunter2", "x = 'unfinished ‹secret removed›"),
    (
      "auth:creatUser(\"a3@b.example\", \"three 3\")",
      "auth:creatUser(\"a3@b.example\", \"‹secret removed›\")"
    ),
    (
      "auht:SignInWithEmial('a@b.example', 'three 3')",
      "auht:SignInWithEmial('a@b.example', \"‹secret removed›\")"
    ),
    ("user:updatePasword 'new one'", "user:updatePasword (\"‹secret removed›\")"),
    ("totp.code('JBSWY3DPEHPK3PXP')", "totp.code(\"‹secret removed›\")"),
    ("map.code('JBSWY3DPEHPK3PXP')", "map.code('JBSWY3DPEHPK3PXP')"),
    ("check('this') several('that')", "check('this') several('that')"),
    ("auth:signIn('microsoft.com', 'popup')", "auth:signIn('microsoft.com', 'popup')"),
    ("auth:sigIn('microsoft.com', 'popup')", "auth:sigIn('microsoft.com', 'popup')"),
    (
      "http.get('https://a.example/x?page=2&key=sekretten10#top')",
      "http.get('https://a.example/x?page=2&key=‹secret removed›')"
    ),
    (
      "http.post(url, 'password=sesame&page=2')",
      "http.post(url, 'password=‹secret removed›&page=2')"
    ),
  ])
  func `secrets do not get into the history`(_ text: String, _ kept: String) {
    let cleaner = HistoryCleaner { $0.replacing("hunter2", with: "[secret]") }
    #expect(cleaner(text) == kept)
    #expect((HistoryCleaner.problem(of: kept) == nil) == (text == kept))
  }

  @Test func `what was given as a secret once is removed from later lines`() {
    let cleaner = HistoryCleaner { $0 }
    #expect(cleaner("print('sesame street 1')") == "print('sesame street 1')")
    _ = cleaner("auth:creatUser('a@b.example', 'sesame street 1')")
    #expect(cleaner("print('sesame street 1')") == "print(\"‹secret removed›\")")
    #expect(cleaner("x = 1 -- sesame street 1") == "x = 1 -- ‹secret removed›")
    #expect(HistoryCleaner.problem(of: "x = 1 -- ‹secret removed›") == nil)
    _ = cleaner("user:updatePassword [[another, long]]")
    #expect(cleaner("x = 'not another, long'") == "x = 'not ‹secret removed›'")
    // A word that every other line has is no secret, though somebody took it for one.
    _ = cleaner("auth:createUser('a@b.example', 'password')")
    #expect(cleaner("f('password')") == "f('password')")
  }

  @Test func `an error's lines are without what the history would do without`() async throws {
    let answers = try await SessionWorld.run([
      "auht:createUser('a2@b.example', 'sesame street 2')",
      "auth:creatUser(\n  'a3@b.example',\n  [[\nsesame\nstreet 3]], _G.nobody.there)",
      "error('sesame street 2')", "auth:updatePassword('sesame street 4)",
      "http.get('https://a.example/?key=sekretten10', _G.nobody.there)",
    ])
    #expect(
      answers[0] == """
        error: nothing defines the global 'auht'
          1 | auht:createUser('a2@b.example', "[secret]")
            | ^^^^
          hint: did you mean 'auth'?

        """)
    #expect(answers[1].contains("1 | auth:creatUser("))
    #expect(!answers[1].contains("street"))
    #expect(!answers[2].contains("sesame"))
    #expect(answers[3].contains("unfinished string"))
    #expect(!answers[3].contains("sesame"))
    #expect(answers[4].contains("?key=[secret]'"))
  }
}
