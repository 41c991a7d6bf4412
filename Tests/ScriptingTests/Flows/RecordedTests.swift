@testable import Host
import Testing

@Suite(.timeLimit(.minutes(1))) struct RecordedTests {
  private static let tools = """
    local file = os.tmpname() \
    local function content() local f = assert(io.open(file)) local text = f:read "a" f:close() return text end \
    local function write(text) local f = assert(io.open(file, "w")) f:write(text) f:close() end \
    local function recorded(answers) local all = { file = file, username = "ada@contoso.example", password = flows.password } \
      for name, value in pairs(answers or {}) do all[name] = value end return ui.recorded(all) end\u{20}
    """

  @discardableResult
  private func run(
    _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [String] {
    try await Flow().run(
      Self.tools + text + "\nos.remove(file)", sourceLocation: sourceLocation)
  }

  @Test(arguments: ["microsoft.com", "google.com", "yahoo.com", "oidc.corp", "oidc.implicit"])
  func `a recorded sign-in is gone through and finished`(id: String) async throws {
    let people = ["yahoo.com": "yuki@yahoo.example"]
    let person =
      people[id] ?? (id.hasPrefix("oidc.") ? "barbara@corp.example" : "ada@contoso.example")
    try await run(
      """

      local id, person = "\(id)", "\(person)"
      local one = provider(id, person, id:find "google" and { prompt = "consent" } or nil)
      local first = auth:signIn(one:getCredential(ui.record(form(person), file))).user.uid
      local text = content()
      assert(text:find('"version": 1', 1, true) and text:find('"kind": "success"', 1, true), text)
      assert(not text:find(flows.password, 1, true), "the password is in the file")
      local result = auth:signIn(one:getCredential(recorded { username = person }))
      equal(result.user.uid, first)
      equal(result.user.email, person)
      -- The file is for later runs, and its sign-in may be gone through as often as one likes.
      assert(auth:signIn(one:getCredential(recorded { username = person })).user.uid)
      """)
  }

  @Test func `no secret of a sign-in is in the recording, which only its owner reads`() async throws
  {
    try await run(
      """

      local one = provider("microsoft.com", "ada@contoso.example")
      local seen
      local answer = one:getCredential(function(page)
        seen = page.url
        local final = ui.show(ui.record(form "ada@contoso.example", file), page.url, page.redirectURI)
        for name, value in pairs(http.parseForm(final)) do
          if #value > 7 then
            for _, spelling in ipairs { value, http.form { x = value }:sub(3), (crypto.base64(value):gsub("=", "")) } do
              assert(not content():find(spelling, 1, true), name .. " is in the recording")
            end
          end
        end
        return final
      end)
      for name, value in pairs(http.parseForm(seen)) do
        if name == "state" or name == "nonce" then
          assert(not content():find(value, 1, true), name .. " is in the recording")
        end
      end
      local handle = assert(io.popen("stat -c %a " .. file))
      equal(handle:read "l", "600")
      handle:close()
      assert(answer)
      """)
  }

  @Test func `what the script gets wrong fails as at the server`() async throws {
    try await run(
      """

      local one = provider("google.com", "ada@contoso.example", { prompt = "consent" })
      assert(one:getCredential(ui.record(form "ada@contoso.example", file)))
      local err = refused("webPageUnusable", one.getCredential, one,
        ui.recorded { file = file, username = "ada@contoso.example" })
      equal(err.details.reason, "missingAnswer")
      refused("webConsentDenied", one.getCredential, one, recorded { consent = false })
      assert(auth:signIn(one:getCredential(recorded())).user.uid)
      -- What is sent otherwise than then leads off the recording.
      write((content():gsub('"csrf"', '"token"')))
      err = refused("webPageUnusable", one.getCredential, one, recorded())
      equal(err.details.reason, "otherThanRecorded")
      assert(err.message:find("of the recording is POST", 1, true), err.message)
      """)
  }

  @Test func `a recorded failure fails again, each with its code`() async throws {
    let trace = try await run(
      """

      local one = provider("google.com", "ada@contoso.example", { prompt = "consent" })
      local wrong = { password = "not-the-password" }
      for code, answers in pairs { webCredentialsRefused = wrong, webConsentDenied = { consent = false } } do
        refused(code, one.getCredential, one, ui.record(form("ada@contoso.example", answers), file))
        assert(not content():find("not-the-password", 1, true))
        local err = refused(code, one.getCredential, one, recorded(answers))
        assert(err.message:find("google.com", 1, true), err.message)
      end
      """)
    #expect(!trace.contains { $0.contains("signInWithIdp") })
  }

  @Test func `a recorded error comes back with the state of today`() async throws {
    try await run(
      """

      local one = provider("yahoo.com", "yuki@yahoo.example")
      one.customParameters = { prompt = "none" }
      local live = refused("webSignInUserInteractionFailure", one.getCredential, one, ui.record(form "yuki@yahoo.example", file))
      local again = refused("webSignInUserInteractionFailure", one.getCredential, one, recorded { username = "yuki@yahoo.example" })
      equal(again.serverName, live.serverName)
      equal(again.serverName, "login_required")
      """)
  }

  @Test func `a file that is none of ours is refused with words`() async throws {
    try await run(
      """

      local one = provider("microsoft.com", "ada@contoso.example")
      assert(one:getCredential(ui.record(form "ada@contoso.example", file)))
      local whole = content()
      for text, words in pairs {
        [""] = "is damaged", ["{"] = "is damaged", ["[]"] = "is no recording", ["{}"] = "is no recording",
        [whole:sub(1, #whole // 2)] = "is damaged", ["\\0\\1\\2"] = "is damaged",
        [whole:gsub('"version": 1', '"version": 7')] = "has the version 7",
        [whole:gsub('"version": 1', '"version": "x"')] = "has the version unknown",
        [whole:gsub('"exchanges": %[', '"exchanges": [ 1,')] = "exchange 1 is not whole",
        [whole:gsub('"status": 200', '"status": 7', 1)] = "is not whole",
        [whole:gsub('"kind": "success"', '"kind": "x"')] = "answer is not whole",
        [whole:gsub('"microsoft.com"', '"yahoo.com"')] = "is of yahoo.com",
      } do
        write(text)
        local err = refused("webPageUnusable", one.getCredential, one, recorded())
        assert(err.message:find(words, 1, true), err.message .. " // " .. words)
      end
      os.remove(file)
      local err = refused("webPageUnusable", one.getCredential, one, recorded())
      assert(err.message:find("there is no recording", 1, true), err.message)
      err = refused("webPageUnusable", one.getCredential, one, recorded { file = "/tmp" })
      assert(err.message:find("cannot be read", 1, true), err.message)
      """)
  }

  @Test func `a file that cannot be written is told before anything is sent`() async throws {
    let trace = try await run(
      """

      local one = provider("microsoft.com", "ada@contoso.example")
      for _, place in ipairs { "/nowhere/at/all", "/tmp", "/dev/null" } do
        local err = refused("webPageUnusable", one.getCredential, one, ui.record(form "ada@contoso.example", place))
        assert(err.message:find("cannot be written", 1, true), err.message)
      end
      """)
    #expect(!trace.contains { $0.contains("createAuthUri") })
  }

  @Test func `a recording is of no use at a server that is not the emulator`() async throws {
    let trace = try await run(
      """

      local one = provider("microsoft.com", "ada@contoso.example")
      local foreign
      one:getCredential(function(page)
        foreign = page
        return ui.show(ui.record(form "ada@contoso.example", file), page.url, page.redirectURI)
      end)
      write((content():gsub('"provider": "[^"]*"', '"provider": "idp.invalid"')))
      local err = refused("webPageUnusable", ui.show, recorded(), "https://idp.invalid/authorize?state=s", foreign.redirectURI)
      assert(err.message:find("cannot be redeemed", 1, true), err.message)
      """)
    #expect(!trace.contains { $0.contains("idp.invalid") })
  }

  @Test func `wrong arguments are mistakes of the script`() async throws {
    try await run(
      """

      mistake("a delegate of ui.form expected", ui.record, recorded(), file)
      mistake("path of a file", ui.record, form "a@b.example", "")
      mistake("option 'file' is missing", ui.recorded, { username = "a", file = "" })
      mistake("file", ui.recorded, { username = "a" })
      mistake("username", ui.recorded, { file = file })
      mistake("option 'timeout'", ui.form, { username = "a", timeout = 0 })
      mistake("option 'timeout'", ui.form, { username = "a", timeout = 0/0 })
      mistake("option 'trustedOrigins'", ui.form, { username = "a", trustedOrigins = { "login.live.com" } })
      mistake("option 'trustedOrigins'", ui.form, { username = "a", trustedOrigins = { "https://a.example/path" } })
      mistake("option 'language'", ui.form, { username = "a", language = "de\\r\\nX: y" })
      mistake("option 'username'", ui.form, { username = "" })
      """)
  }

  @Test func `nothing of a forged recording gets into a sign-in`() async throws {
    let trace = try await run(
      """

      local one = provider("microsoft.com", "ada@contoso.example")
      local uid = auth:signIn(one:getCredential(ui.record(form "ada@contoso.example", file))).user.uid
      local text = content()
      write((text:gsub("code=%%5Bsecret%%5D&state=%%5Bsecret%%5D", "code=forged&state=forged")))
      equal(auth:signIn(one:getCredential(recorded())).user.uid, uid)
      -- An error made up is no more than an error, and says so with the state of this sign-in.
      write((text:gsub('"kind": "success"', '"kind": "error", "error": "access_denied", "place": "query"')))
      local err = refused("webConsentDenied", one.getCredential, one, recorded())
      equal(err.serverName, "access_denied")
      -- A page that would send the password elsewhere is refused as at the server.
      write((text:gsub('action=\\\\\"/login', 'action=\\\\\"https://evil.example/login')))
      refused("webPageUnsafe", one.getCredential, one, recorded())
      """)
    #expect(!trace.contains { $0.contains("evil.example") })
  }
}
