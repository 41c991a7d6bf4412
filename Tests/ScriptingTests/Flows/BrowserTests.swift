@testable import Emulator
@testable import System
@testable import IdentityToolkit
import Testing

/// `ui.browser`, with a function in the place of the person's browser.
@Suite(.serialized, .timeLimit(.minutes(1))) struct BrowserTests {
  /// A browser whose person signs in, and what it is shown at the end.
  private static let person = """
    local shown
    -- A browser goes on after its page was opened, and after the sign-in.
    local function beside(f) return function(url)
      shown = nil
      task.spawn(function() shown = f(url) end)
    end end
    local function page() while not shown do task.sleep(0) end return shown end
    local function redirect(url) return http.parseForm(url).redirect_uri end
    local function state(url) return http.parseForm(url).state end
    local function person(email, answers) return beside(function(url)
      return http.get(ui.show(form(email, answers), url, redirect(url)))
    end) end
    local one = provider("microsoft.com", "ada@contoso.example", { prompt = "consent" }) \u{20}
    """

  @discardableResult
  private func run(
    _ text: String, _ runner: ScriptRunner = ScriptRunner(),
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> [String] {
    try await Flow(runner: runner).run(Self.person + text, sourceLocation: sourceLocation)
  }

  @Test(arguments: [
    "nil", "'http://127.0.0.1'", "'http://localhost/back/here?from=luath'", "'http://localhost/'",
  ])
  func `a person signs in with their own browser`(_ redirectURI: String) async throws {
    try await run(
      """
      local browser = ui.browser { redirectURI = \(redirectURI), open = person "ada@contoso.example" }
      for _ = 1, 2 do
        equal(auth:signIn(one, browser).user.email, "ada@contoso.example")
        equal(page().status, 200)
        assert(shown.body:find("Sign-in handed over", 1, true), shown.body)
        assert(not pcall(http.get, shown.url), "the port is still open")
      end
      """)
  }

  @Test(arguments: [
    ("oidc.corp", "barbara@corp.example"), ("yahoo.com", "yuki@yahoo.example"),
    ("google.com", "ada@contoso.example"),
  ])
  func `other providers come back too`(id: String, email: String) async throws {
    try await run(
      """
      local result = auth:signIn(provider("\(id)", "\(email)"), ui.browser { open = person "\(email)" })
      equal(result.user.email, "\(email)")
      """)
  }

  @Test func `a fragment and a posted body are answers too`() async throws {
    try await run(
      """
      local two = provider("oidc.implicit", "barbara@corp.example")
      local implicit = beside(function(url)
        local back = redirect(url)
        local final = ui.show(form "barbara@corp.example", url, back)
        local fragment = final:match "#.*"
        assert(fragment, final)
        assert(http.get(back).body:find("location.hash", 1, true))
        return http.post(back .. "/fragment", { form = { address = fragment } })
      end)
      equal(auth:signIn(two, ui.browser { open = implicit }).user.email, "barbara@corp.example")
      equal(page().status, 200)
      local posted = beside(function(url)
        local final = ui.show(form "ada@contoso.example", url, redirect(url))
        return http.post(redirect(url), { form = http.parseForm(final) })
      end)
      equal(auth:signIn(one, ui.browser { open = posted }).user.email, "ada@contoso.example")
      equal(page().status, 200)
      """)
  }

  @Test func `a person who denies is told apart, and so is a provider that fails`() async throws {
    try await run(
      """
      local denying = ui.browser { open = beside(function(url)
        return http.get(redirect(url) .. "?error=access_denied&state=" .. state(url))
      end) }
      refused("webConsentDenied", one.getCredential, one, denying)
      assert(page().status == 200 and shown.body:find("Sign-in refused", 1, true), shown.body)
      local failing = ui.browser { open = function(url)
        http.get(redirect(url) .. "?error=server_error&error_description=%1B%5B31mtired&state=" .. state(url))
      end }
      local err = refused("webSignInUserInteractionFailure", one.getCredential, one, failing)
      equal(err.serverName, "server_error")
      assert(not err.message:find "\\27", err.message)
      assert(auth:signIn(one, ui.browser { open = person "ada@contoso.example" }).user.uid)
      """)
  }

  @Test func `a forged answer ends the sign-in at once`() async throws {
    let trace = try await run(
      """
      for _, query in ipairs { "code=stolen&state=forged", "code=stolen", "state=forged",
        "error=access_denied&state=forged", "code=a&code=b&state=STATE", "code=a&state=STATE&state=b" } do
        local forging = ui.browser { open = function(url)
          beside(function() return http.get(redirect(url) .. "?" .. query:gsub("STATE", state(url))) end)(url)
          task.sleep(1000)
        end }
        local err = refused("webStateMismatch", one.getCredential, one, forging)
        equal(err.rawValue, 18101)
        assert(not tostring(err):find("stolen", 1, true) and not tostring(err):find("forged", 1, true))
        equal(page().status, 400)
        assert(not shown.body:find("forged", 1, true))
      end
      """)
    #expect(!trace.contains { $0.contains("signInWithIdp") }, "refused before the backend hears")
  }

  @Test func `an answer is taken once, and no other sign-in takes it`() async throws {
    try await run(
      """
      local final
      local first = ui.browser { redirectURI = "http://127.0.0.1", open = beside(function(url)
        final = ui.show(form "ada@contoso.example", url, redirect(url))
        return http.get(final)
      end) }
      local credential = one:getCredential(first)
      equal(page().status, 200)
      local port = final:match ":(%d+)/"
      -- The address of the first sign-in, in the tab of the second.
      local other = ui.browser { redirectURI = "http://127.0.0.1:" .. port, open = beside(function(url)
        equal(redirect(url), final:match "[^?]+")
        return http.get(final)
      end) }
      refused("webStateMismatch", one.getCredential, one, other)
      equal(page().status, 400)
      assert(auth:signIn(credential).user.uid)
      refused("invalidCredential", auth.signIn, auth, credential)
      -- A code that was used, in a sign-in whose state is right.
      local replaying = ui.browser { open = function(url)
        http.get(redirect(url) .. "?" .. http.form { code = http.parseForm(final).code, state = state(url) })
      end }
      local replayed = one:getCredential(replaying)
      equal(refused("invalidCredential", auth.signIn, auth, replayed).serverName, "INVALID_IDP_RESPONSE")
      """)
  }

  @Test func `a port that is taken is told`() async throws {
    try await run(
      """
      local port = emulator.origin:match ":(%d+)$"
      local browser = ui.browser { redirectURI = "http://127.0.0.1:" .. port, open = person "x" }
      local err = refused("webRedirectUnavailable", one.getCredential, one, browser)
      equal(err.rawValue, 18148)
      assert(err.message:find(port, 1, true), err.message)
      refused("webRedirectUnavailable", one.getCredential, one,
        ui.browser { redirectURI = "http://localhost:" .. port, open = person "x" })
      """)
  }

  @Test func `a domain that is not authorized is named`() async throws {
    var project = ScriptRunner().project
    project.authorizedDomains = ["app.example"]
    try await run(
      """
      local err = refused("unauthorizedDomain", one.getCredential, one, ui.browser { open = person "x" })
      assert(err.hint:find("localhost", 1, true), err.hint)
      """, ScriptRunner(project: project))
  }

  @Test func `a browser that does not come back is left when the time is over`() async throws {
    try await run(
      """
      local address
      local lost = ui.browser { timeout = 0.05, open = function(url)
        address = redirect(url)
        task.sleep(1000)
      end }
      local err = refused("webContextTimedOut", one.getCredential, one, lost)
      assert(err.hint:find(address, 1, true), err.hint)
      assert(not pcall(http.get, address))
      -- Nor by whoever cancels it.
      local waiting = task.spawn(function() return one:getCredential(ui.browser { open = function(url)
        address = redirect(url)
      end }) end)
      address = nil
      while not address do task.sleep(0) end
      refused("webContextAlreadyPresented", one.getCredential, one, ui.browser { open = person "x" })
      waiting:cancel()
      local ok, err = pcall(waiting.await, waiting)
      equal(ok, false)
      equal(err.code, "cancelled")
      assert(not pcall(http.get, address))
      assert(auth:signIn(one, ui.browser { open = person "ada@contoso.example" }).user.uid)
      """)
  }

  @Test func `a function that fails or refuses to open ends the sign-in`() async throws {
    try await run(
      """
      local err = refused("webSignInUserInteractionFailure", one.getCredential, one, ui.browser {
        open = function() error "the window broke" end,
      })
      assert(err.message:find("the window broke", 1, true), err.message)
      err = refused("webBrowserUnavailable", one.getCredential, one, ui.browser { open = function() return false end })
      equal(err.rawValue, 18143)
      -- There is neither a display nor a terminal in this run.
      refused("webBrowserUnavailable", one.getCredential, one, ui.browser())
      mistake("localhost, 127.0.0.1", ui.browser, { redirectURI = "http://example.com/" })
      mistake("not http", ui.browser, { redirectURI = "https://localhost/" })
      mistake("expected", ui.browser, { redirectURI = "localhost" })
      mistake("fragment", ui.browser, { redirectURI = "http://localhost/#x" })
      mistake("timeout", ui.browser, { timeout = 0 })
      mistake("timeout", ui.browser, { timeout = 1e9 })
      mistake("bad argument", ui.browser, { open = "firefox" })
      mistake("bad argument", ui.browser, { opener = print })
      """)
  }

  @Test func `a flow of one's own comes back to its own address`() async throws {
    try await run(
      """
      local bare = beside(function(url) return http.get(redirect(url) .. "?code=c&state=s") end)
      local page = "http://127.0.0.1:9/authorize?" .. http.form { state = "s", redirect_uri = "REDIRECT" }
      local free
      refused("webContextTimedOut", one.getCredential, one, ui.browser { timeout = 0.01, open = function(url) free = redirect(url) end })
      free = free:gsub("localhost", "127.0.0.1")
      local url = page:gsub("REDIRECT", (free:gsub("%%", "%%%%")))
      equal(ui.show(ui.browser { open = bare }, url, free), free .. "?code=c&state=s")
      refused("webPageUnusable", ui.show, ui.browser { open = bare }, url, "https://app.example/callback")
      refused("webPageUnusable", ui.show, ui.browser { open = bare }, url, "http://127.0.0.1/callback")
      """)
  }

  @Test func `without a browser the person pastes`() async throws {
    let keyboard = try await Keyboard()
    defer { keyboard.stop() }
    let runner = ScriptRunner(
      environment: ["KEYBOARD": keyboard.origin, "SSH_CONNECTION": "here"],
      terminal: keyboard.terminal())
    try await run(
      """
      local keyboard = host.env "KEYBOARD"
      local last
      local function begin(browser)
        local waiting, url = task.spawn(function() return auth:signIn(one, browser) end)
        repeat
          url = http.get(keyboard).body:match ".*\\n  (http%S+)\\n\\nThen paste"
        until url and url ~= last
        last = url
        return waiting, url
      end
      for _, browser in ipairs { ui.browser(), ui.browser { open = function() return false end } } do
        local waiting, url = begin(browser)
        http.post(keyboard, { body = ui.show(form "ada@contoso.example", url, redirect(url)) })
        equal(waiting:await().user.email, "ada@contoso.example")
      end
      -- A click on the printed address serves as well.
      local waiting, url = begin(ui.browser())
      person "ada@contoso.example" (url)
      equal(page().status, 200)
      equal(waiting:await().user.email, "ada@contoso.example")
      http.delete(keyboard)
      local err = refused("webBrowserUnavailable", one.getCredential, one, ui.browser())
      assert(err.message:find("ssh", 1, true), err.message)
      """, runner)
    #expect(!keyboard.isRead)
  }

  @Test(arguments: [true, false])
  func `a real project's page is for the person at the terminal`(
    isInteractive: Bool
  ) async throws {
    let keyboard = try await Keyboard()
    defer { keyboard.stop() }
    // Nobody answers for Google here.
    let real = Target(
      projectID: "demo-real", apiKey: Secret("the-key"), backend: .production,
      hostOverrides: Target.HostOverrides(places: ["identitytoolkit.googleapis.com": "127.0.0.1:1"])
    )
    let runner = ScriptRunner(
      terminal: keyboard.terminal(isInteractive: isInteractive), targets: ["real": real])
    try await run(
      """
      local two = Auth.OAuthProvider("microsoft.com", Auth.auth { target = "real" })
      if \(isInteractive) then
        refused("networkError", two.getCredential, two)
      else
        local err = refused("webPageUnusable", two.getCredential, two)
        for _, name in ipairs { "form", "webdriver", "browser", "paste" } do
          assert(err.hint:find("ui." .. name, 1, true), err.hint)
        end
      end
      -- The emulator's people are there with and without a terminal.
      assert(auth:signIn(one).user.uid)
      """, runner)
  }
}
