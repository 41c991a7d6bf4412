@testable import HTTP
@testable import Host
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct HTTPModuleTests {
  @Test func `a request carries what the options say`() async throws {
    try await Flow().run(
      """
      local origin = emulator.origin
      local answer = http.request("GET", origin .. "/emulator/v1/clock")
      equal(answer.status, 200)
      equal(answer.ok, true)
      equal(answer.url, origin .. "/emulator/v1/clock")
      equal(math.type(answer:json().seconds), "integer")
      equal(answer:header "CONTENT-type", answer.headers["content-type"])
      equal(answer:header "no-such-header", nil)
      local missing = http.get(origin .. "/nowhere")
      equal(missing.status, 404)
      equal(missing.ok, false)
      equal(http.head(origin .. "/emulator/v1/clock").body, "")
      local moved = http.patch(origin .. "/emulator/v1/clock", { json = { advanceSeconds = 5 } })
      equal(moved:json().advancedSeconds, 5)
      equal(http.post(origin .. "/identitytoolkit.googleapis.com/v1/accounts:signUp", { query = { key = "a&b=c" }, json = {} }).status, 200)
      equal(http.form { b = "2 &", a = "é" }, "a=%C3%A9&b=2%20%26")
      local parsed = http.parseForm "http://x.example/?a=1&b=%26+x#c=3"
      equal(parsed.a, "1")
      equal(parsed.b, "& x")
      equal(parsed.c, "3")
      equal(http.parseForm("a=1&a=2").a, "1")
      """)
  }

  @Test(arguments: [
    ("http.get('ftp://x.example')", "http or https"), ("http.get('/relative')", "http or https"),
    ("http.get('')", "http or https"), ("http.get('http://')", "http or https"),
    ("http.get(O, { body = 'x', json = {} })", "keep one"),
    ("http.get(O, { form = {}, json = 1 })", "keep one"),
    ("http.get(O, { headers = { ['a b'] = 'x' } })", "forbids"),
    ("http.get(O, { headers = { [''] = 'x' } })", "forbids"),
    ("http.get(O, { headers = { a = 'x\\r\\nSet-Cookie: y' } })", "forbids"),
    ("http.get(O, { headers = { a = 7 } })", "bad argument"),
    ("http.get(O, { bearer = '' })", "bearer"), ("http.get(O, { bearer = 'a b' })", "bearer"),
    ("http.get(O, { timeout = 0 })", "timeout"), ("http.get(O, { timeout = -1 })", "timeout"),
    ("http.get(O, { timeout = 0/0 })", "timeout"), ("http.get(O, { timeout = 1e9 })", "timeout"),
    ("http.get(O, { redirects = -1 })", "redirects"),
    ("http.get(O, { redirects = 51 })", "redirects"), ("http.get(O, { limit = 0 })", "limit"),
    ("http.get(O, { limit = 2^40 })", "limit"), ("http.get(O, { query = 'x' })", "bad argument"),
    ("http.get(O, { timout = 1 })", "no option"), ("http.get(O, { 7 })", "no option"),
    ("http.get(O, { json = print })", "JSON"), ("http.get(O, { json = 0/0 })", "JSON"),
    ("http.get(O, { json = { a = { 1, x = 2 } } })", "JSON"),
    ("http.request('GET X', O)", "method"), ("http.request('', O)", "method"),
    ("http.request('GÉT', O)", "method"), ("http.get()", "bad argument"),
    ("http.get(7)", "bad argument"), ("http.parseForm()", "bad argument"),
    ("http.form { a = 1 }", "bad argument"),
  ])
  func `senseless options are refused before anything is sent`(code: String, word: String)
    async throws
  {
    let trace = try await Flow().run(
      """
      local O = emulator.origin
      mistake("\(word)", function() \(code) end)
      """)
    #expect(trace.isEmpty)
  }

  @Test func `what goes wrong on the way has a code and a hint`() async throws {
    let issuer = try await TokenIssuer()
    defer { issuer.stop() }
    try await Flow(runner: ScriptRunner(environment: ["PAGES": issuer.origin])).run(
      """
      local function fails(code, f, ...)
        local err = refused(code, f, ...)
        assert(not err.message:find("hidden", 1, true), err.message)
      end
      fails("connect", http.get, "http://127.0.0.1:1/hidden?hidden=1", { bearer = "hidden" })
      fails("resolve", http.get, "http://no-such-host.invalid/")
      fails("tooManyRedirects", http.get, host.env "PAGES" .. "/circle", { redirects = 3 })
      equal(http.get(host.env "PAGES" .. "/circle").status, 302)
      fails("tooLarge", http.get, emulator.origin .. "/oidc/corp/.well-known/openid-configuration", { limit = 10 })
      local ok, err = pcall(function() return http.get(emulator.origin .. "/__/auth/handler"):json() end)
      equal(err.code, "invalidJSON")
      """)
  }

  @Test func `what is secret does not follow a redirect to another origin`() async throws {
    try await CannedServer.run({ _ in ServerResponse(text: "here") }) { elsewhere in
      let target = elsewhere.origin
      try await CannedServer.run({ request in
        let status = Int(request.url.path.dropFirst()) ?? 200
        return ServerResponse(status: status, headers: ["Location": "\(target)/end"])
      }) { server in
        var flow = Flow(runner: ScriptRunner(timeout: .seconds(30)))
        flow.runner.environment["FIRST"] = server.origin
        flow.runner.environment["WORD"] = "open-sesame"
        flow.runner.environment["DB_PASSWORD"] = "tulips&roses"
        try await flow.run(
          """
          local first, word = host.env "FIRST", host.secret "WORD"
          local headers = {
            Authorization = "Bearer a", Cookie = "a=b", ["X-Api-Key"] = "k", ["X-Goog-Api-Key"] = "k",
            ["X-Session-Token"] = "t", ["X-Note"] = "by " .. word, ["X-Basic"] = crypto.base64("a:" .. word),
            ["X-Database"] = "tulips&roses", ["X-Own"] = "a password that nobody named", Accept = "text/plain",
            ["User-Agent"] = "tool " .. word,
          }
          equal(http.get(first .. "/302", { headers = headers, redirects = 1 }).body, "here")
          equal(http.get(first .. "/302", { bearer = "b", redirects = 1 }).body, "here")
          for _, status in ipairs { "/307", "/308" } do
            local body = { json = { password = word }, redirects = 1 }
            local err = refused("bodyRedirected", http.post, first .. status, body)
            assert(err.hint:find("redirectBody = true", 1, true), err.hint)
            body.redirectBody = true
            equal(http.post(first .. status, body).body, "here")
          end
          equal(http.post(first .. "/302", { form = { a = "b" }, redirects = 1 }).body, "here")
          """)
        let names: Set<String> = [
          "authorization", "cookie", "x-api-key", "x-goog-api-key", "x-session-token", "x-note",
          "x-basic", "x-database", "x-own",
        ]
        let seen = elsewhere.received
        #expect(seen.map(\.method) == ["GET", "GET", "POST", "POST", "GET"])
        #expect(seen.first?.headers["Accept"] == "text/plain")
        for request in seen {
          #expect(!request.headers.fields.contains { names.contains($0.name.lowercased()) })
          #expect(!request.headers.fields.contains { $0.value.contains("open-sesame") })
        }
        let sent = server.received.first
        #expect(sent?.headers["X-Note"] == "by open-sesame")
      }
    }
  }

  @Test func `large bodies and headers are refused in their own words`() async throws {
    try await Flow().run(
      """
      local big = ("x"):rep(11 * 1024 * 1024)
      local ok, answer = pcall(http.post, emulator.origin .. "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k",
        { body = big, headers = { ["Content-Type"] = "application/json" } })
      equal(answer.status, 400)
      assert(answer:json().error.message:find("Invalid JSON payload", 1, true))
      equal(http.get(emulator.origin .. "/emulator/v1/clock").status, 200)
      local header = ("x"):rep(60000)
      local ok, answer = pcall(http.get, emulator.origin .. "/", { headers = { a = header } })
      -- Whoever stops reading may close before the client has written everything.
      assert(ok and answer.status >= 400 or not ok and answer.code == "broken", tostring(answer))
      local ok, err = pcall(auth.createUser, auth, "a@b.example", ("p"):rep(5000))
      assert(not ok and err.code, tostring(err))
      equal(http.get(emulator.origin .. "/emulator/v1/clock").status, 200)
      """)
  }

  @Test func `the hosts of providers are the emulator's, and only those`() async throws {
    let trace = try await Flow().run(
      """
      local page = http.get "https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration"
      equal(page.status, 200)
      equal(http.get("https://accounts.google.com/.well-known/openid-configuration").status, 200)
      equal(http.get("https://api.login.yahoo.com/.well-known/openid-configuration").status, 200)
      equal(http.get("https://graph.microsoft.com/v1.0/other").status, 404)
      """)
    #expect(trace.count == 4 && trace.allSatisfy { $0.hasSuffix("(answered by the emulator)") })
  }
}
