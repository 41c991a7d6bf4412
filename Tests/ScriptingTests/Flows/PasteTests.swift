@testable import Host
import Testing

/// `ui.paste`, with the script itself in the place of the person.
@Suite(.serialized, .timeLimit(.minutes(1))) struct PasteTests {
  /// What is pasted while a sign-in waits; STATE and BACK stand for its state and redirect address.
  private static let person = """
    local keyboard = host.env "KEYBOARD"
    local one = provider("microsoft.com", "ada@contoso.example")
    local last
    local function begin(delegate)
      local waiting = task.spawn(function() return one:getCredential(delegate or ui.paste()) end)
      local url
      repeat url = http.get(keyboard).body:match ".*\\n  (http%S+)\\n\\n.-Then paste" until url and url ~= last
      last = url
      return waiting, url
    end
    local function paste(...)
      for _, line in ipairs { ... } do http.post(keyboard, { body = line }) end
    end
    local function fields(url) return http.parseForm(url) end
    local function final(url) return ui.show(form "ada@contoso.example", url, fields(url).redirect_uri) end
    local function filled(text, url)
      return (text:gsub("STATE", fields(url).state):gsub("BACK", fields(url).redirect_uri))
    end \u{20}
    """

  @discardableResult
  private func run(
    _ text: String, columns: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [String] {
    let keyboard = try await Keyboard()
    defer { keyboard.stop() }
    let runner = ScriptRunner(
      environment: ["KEYBOARD": keyboard.origin], terminal: keyboard.terminal(columns: columns))
    let trace = try await Flow(runner: runner).run(
      Self.person + text, sourceLocation: sourceLocation)
    #expect(!keyboard.isRead, "somebody still waits for a line", sourceLocation: sourceLocation)
    return trace
  }

  @Test(arguments: [
    "%s", "  %s \\t", "<%s>", "\\\"%s\\\"", "'%s'", "<URL:%s>", "`%s`", "(%s)", "\\r%s\\r",
  ])
  func `an address is taken as people paste it`(_ shape: String) async throws {
    try await run(
      """
      local waiting, url = begin()
      paste(("\(shape)"):format((final(url):gsub("%%", "%%%%"))))
      equal(auth:signIn(waiting:await()).user.email, "ada@contoso.example")
      """)
  }

  @Test func `an address is put together from its lines`() async throws {
    try await run(
      """
      for width = 10, 120, 10 do
        -- At once, as a terminal gives what was pasted there.
        local waiting, url = begin()
        local whole, pieces = final(url), {}
        for start = 1, #whole, width do pieces[#pieces + 1] = whole:sub(start, start + width - 1) end
        paste(table.concat(pieces, "\\r\\n  "))
        assert(auth:signIn(waiting:await()).user.uid)
        -- Line by line, as a pipe does: the state tells when it is whole.
        waiting, url = begin()
        whole = filled("BACK?code=some-code&state=STATE", url)
        -- Cut the origin, and nothing shows that the address goes on.
        local first = math.max(width, #fields(url).redirect_uri + 2)
        paste(whole:sub(1, first), "")
        for start = first + 1, #whole, width do paste("  " .. whole:sub(start, start + width - 1)) end
        assert(waiting:await())
      end
      """)
  }

  @Test func `what is none of its addresses is asked for again, three times in all`() async throws {
    let trace = try await run(
      """
      for _, wrong in ipairs { "nonsense", "https://evil.example/?code=stolen&state=STATE", "BACK",
        "file:///etc/passwd", "javascript:alert(1)", "http://", "stolen" } do
        local waiting, url = begin()
        paste(filled(wrong, url), filled(wrong, url))
        paste(final(url))
        assert(waiting:await())
        waiting, url = begin()
        paste(filled(wrong, url), filled(wrong, url), filled(wrong, url))
        local err = refused("webStateMismatch", waiting.await, waiting)
        assert(not tostring(err):find("stolen", 1, true), tostring(err))
        assert(err.hint:find("whole address", 1, true), err.hint)
      end
      assert(not http.get(keyboard).body:find("stolen", 1, true))
      """)
    #expect(!trace.contains { $0.contains("signInWithIdp") })
  }

  @Test func `a forged or foreign answer ends the sign-in at once`() async throws {
    try await run(
      """
      for _, forged in ipairs { "BACK?code=stolen&state=forged", "BACK?code=a&code=b&state=STATE",
        "BACK?code=a&state=STATE&state=b", "BACK?error=access_denied&state=forged",
        "BACK?code=a&state=STATEx", "BACK#id_token=stolen&state=forged" } do
        local waiting, url = begin()
        paste(filled(forged, url))
        local err = refused("webStateMismatch", waiting.await, waiting)
        assert(not tostring(err):find("stolen", 1, true) and not tostring(err):find("forged", 1, true))
      end
      -- The answer of another sign-in, and one that was used.
      local waiting, url = begin()
      local first = final(url)
      paste(first)
      assert(auth:signIn(waiting:await()).user.uid)
      waiting, url = begin()
      paste(first)
      refused("webStateMismatch", waiting.await, waiting)
      waiting, url = begin()
      paste(filled("BACK?state=STATE&code=", url) .. fields(first).code)
      local replayed = waiting:await()
      equal(refused("invalidCredential", auth.signIn, auth, replayed).serverName, "INVALID_IDP_RESPONSE")
      """)
  }

  @Test func `an error of the provider is told, and so is the end of the input`() async throws {
    try await run(
      """
      local waiting, url = begin()
      paste(filled("BACK?error=access_denied&state=STATE", url))
      refused("webConsentDenied", waiting.await, waiting)
      waiting, url = begin()
      paste(filled("BACK?error=server_error&state=STATE", url))
      refused("webSignInUserInteractionFailure", waiting.await, waiting)
      waiting, url = begin()
      paste(final(url))
      assert(auth:signIn(waiting:await()).user.uid)
      waiting, url = begin()
      http.delete(keyboard)
      local err = refused("webContextCancelled", waiting.await, waiting)
      assert(err.message:find("input ended", 1, true), err.message)
      """)
  }

  @Test func `a person who pastes nothing is left when the time is over`() async throws {
    try await run(
      """
      local waiting = begin(ui.paste { timeout = 0.05 })
      local err = refused("webContextTimedOut", waiting.await, waiting)
      waiting = begin()
      waiting:cancel()
      local ok, err = pcall(waiting.await, waiting)
      equal(err.code, "cancelled")
      -- One person can paste for one sign-in at a time.
      local first, url = begin()
      refused("webContextAlreadyPresented", one.getCredential, one, ui.paste())
      local other = Auth.session()
      refused("webContextAlreadyPresented", other.signIn, other, one, ui.paste())
      paste(final(url))
      assert(first:await())
      mistake("timeout", ui.paste, { timeout = -1 })
      mistake("bad argument", ui.paste, { qr = "yes" })
      """)
  }

  @Test(arguments: [(300, "", true), (300, "{ qr = false }", false), (40, "", false)])
  func `a wide terminal shows a picture`(
    columns: Int, options: String, isShown: Bool
  ) async throws {
    try await run(
      """
      local waiting, url = begin(ui.paste(\(options)))
      equal(http.get(keyboard).body:find("█", 1, true) ~= nil, \(isShown))
      assert(not http.get(keyboard).body:find "\\27")
      paste(final(url))
      assert(waiting:await())
      """, columns: columns)
  }

  @Test func `without a terminal nothing can be pasted`() async throws {
    try await Flow().run("mistake('no terminal', ui.paste)")
  }
}
