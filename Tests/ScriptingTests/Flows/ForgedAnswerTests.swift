@testable import Host
import Testing

/// What is forged or replayed is refused whoever shows the page: here by a client of a provider's
/// own, in a browser and by pasting.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ForgedAnswerTests {
  /// `ways` shows a page by a delegate, and brings it back as `answer` says: with a final address.
  private static let prelude = """
    local oidc, keyboard = require "luath.oidc", host.env "KEYBOARD" \
    local corp = oidc.client { issuer = emulator.origin .. "/oidc/implicit", clientID = "luath-client-oidc.implicit", \
      redirectURI = "http://127.0.0.1:8910/callback" } \
    local barbara, visited, seen = form "barbara@corp.example", {}, 0 \
    local function field(url, name) return http.parseForm(url)[name] end \
    local function honest(url) return ui.show(barbara, url, field(url, "redirect_uri")) end \
    local function visit(address) \
      local back, fragment = address:match "^([^#]*)#(.*)$" \
      if fragment then return http.post(back:match "^[^?]*" .. "/fragment", { form = { address = "#" .. fragment } }) end \
      return http.get(address) \
    end \
    local ways = {} \
    function ways.browser(answer) return ui.browser { open = function(url) \
      task.spawn(function() visited[#visited + 1] = visit(answer(url)).status end) \
    end } end \
    function ways.paste(answer) \
      task.spawn(function() \
        local shown, url \
        repeat \
          shown = http.get(keyboard).body \
          url = shown:sub(seen + 1):match "\\n  (http%S+)\\n.-Then paste" \
        until url \
        seen = #shown \
        http.post(keyboard, { body = answer(url) }) \
      end) \
      return ui.paste() \
    end\u{20}
    """

  private func run(
    _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let keyboard = try await Keyboard()
    defer { keyboard.stop() }
    let runner = ScriptRunner(
      environment: ["KEYBOARD": keyboard.origin], terminal: keyboard.terminal())
    try await Flow(runner: runner).run(Self.prelude + text, sourceLocation: sourceLocation)
  }

  @Test(arguments: ["browser", "paste"])
  func `a client signs in`(_ way: String) async throws {
    try await run(
      """
      for _, mode in ipairs { "query", "fragment" } do
        local tokens = corp:signIn(ways.\(way)(honest), { responseMode = mode })
        equal(tokens.claims.email, "barbara@corp.example")
      end
      """)
  }

  @Test(arguments: ["browser", "paste"])
  func `state, issuer, code and nonce of another sign-in are refused`(_ way: String) async throws {
    try await run(
      """
      local way = ways.\(way)
      local used
      corp:signIn(way(function(url) used = honest(url) return used end))
      local function changed(name, value) return function(url)
        local final = honest(url)
        local fields = http.parseForm(final)
        fields[name] = value
        return final:match "^[^?#]*" .. "?" .. http.form(fields)
      end end
      local tokens = {
        -- The tab of another sign-in, and this one's with another state.
        { "webStateMismatch", function(url) return field(url, "redirect_uri") .. "?" .. used:match "?(.*)" end },
        { "webStateMismatch", changed("state", "forged") },
        -- A server in the place of the one that was asked (RFC 9207).
        { "wrongIssuer", changed("iss", "https://evil.example") },
        -- A code that was used.
        { "refused", changed("code", field(used, "code")) },
        { "refused", changed("code", "guessed") },
      }
      for index, case in ipairs(tokens) do
        local ok, err = pcall(corp.signIn, corp, way(case[2]))
        assert(not ok and err.code == case[1], index .. ": " .. tostring(ok or err))
        assert(not tostring(err):find("guessed", 1, true) and not tostring(err):find("forged", 1, true))
      end
      -- An ID token of another sign-in: its nonce is not this one's.
      local function implicit(url)
        local other = corp:begin { responseType = "id_token", redirectURI = field(url, "redirect_uri") }
        local fields = http.parseForm(ui.show(barbara, other.url, other.redirectURI))
        fields.state = field(url, "state")
        return field(url, "redirect_uri") .. "#" .. http.form(fields)
      end
      local ok, err = pcall(corp.signIn, corp, way(implicit), { responseType = "id_token" })
      assert(not ok and err.code == "wrongNonce", tostring(ok or err))
      equal(corp:signIn(way(honest)).claims.email, "barbara@corp.example")
      """)
  }
}
