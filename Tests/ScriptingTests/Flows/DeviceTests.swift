@testable import System
@testable import HTTP
@testable import OIDC
@testable import Host
import Testing

/// Signing in on another device: a second task of the script is the person there.
@Suite(.serialized, .timeLimit(.minutes(1))) struct DeviceTests {
  /// What all of these begin with.
  private static let prelude = """
    local corp = Auth.OAuthProvider "oidc.corp" \
    local function person(info, answers) \
      local all = { fields = { user_code = info.userCode } } \
      for name, value in pairs(answers or {}) do all[name] = value end \
      return ui.show(form("barbara@corp.example", all), info.verificationURI, \
        emulator.origin .. "/oidc/corp/device/done") \
    end \
    local function device(options) \
      local all = { issuer = emulator.origin .. "/oidc/corp", clientID = "luath-client-oidc.corp", \
        clientSecret = "luath-secret-oidc.corp", prompt = person } \
      for name, value in pairs(options or {}) do all[name] = value end \
      return ui.device(all) \
    end\u{20}
    """

  private func run(_ text: String) async throws { try await Flow().run(Self.prelude + text) }

  @Test func `a person types the code elsewhere, and is signed in here`() async throws {
    try await run(
      """
      local seen, finished
      local way = device { prompt = function(info)
        seen = info
        finished = task.spawn(person, info)
      end }
      assert(tostring(way):find("ui.device", 1, true), tostring(way))
      local credential = corp:getCredential(way)
      finished:await()
      equal(credential.provider, "oidc.corp")
      assert(seen.userCode:match "^%u%u%u%u%-%u%u%u%u$", seen.userCode)
      equal(seen.verificationURI, emulator.origin .. "/oidc/corp/device")
      equal(seen.verificationURIComplete, seen.verificationURI .. "?user_code=" .. seen.userCode)
      equal(seen.expiresIn, 900)
      equal(seen.interval, 1)
      local result = auth:signIn(credential)
      equal(result.user.email, "barbara@corp.example")
      """)
  }

  @Test func `the address with the code in it needs no typing, and Google knows devices too`()
    async throws
  {
    try await run(
      """
      local function complete(info)
        ui.show(form "barbara@corp.example", info.verificationURIComplete,
          emulator.origin .. "/oidc/corp/device/done")
      end
      local result = auth:signIn(corp, device { prompt = complete, scopes = { "openid", "email" } })
      equal(result.user.email, "barbara@corp.example")
      auth:signOut()
      local google = auth:signIn(Auth.OAuthProvider "google.com", device {
        issuer = "https://accounts.google.com", clientID = "luath-client-google.com",
        clientSecret = "luath-secret-google.com",
        prompt = function(info)
          ui.show(form("grace@fabrikam.example", { fields = { user_code = info.userCode } }),
            info.verificationURI,
            emulator.origin .. "/accounts.google.com/o/oauth2/device/usercode/done")
        end,
      })
      equal(google.user.email, "grace@fabrikam.example")
      """)
  }

  @Test func `every way it can end has its own code`() async throws {
    try await run(
      """
      local function fails(code, options, provider)
        return refused(code, corp.getCredential, provider or corp, device(options))
      end
      fails("webConsentDenied", { prompt = function(info) person(info, { consent = false }) end })
      fails("webContextTimedOut", { prompt = function() emulator.advance(901) end })
      fails("webContextTimedOut", { prompt = function() end, timeout = 0.2 })
      local err = fails("webSignInUserInteractionFailure", { prompt = function() error "no screen" end })
      assert(err.message:find("no screen", 1, true), err.message)
      err = fails("webPageUnusable", { issuer = emulator.origin .. "/api.login.yahoo.com" })
      assert(err.message:find("device_authorization_endpoint", 1, true), err.message)
      fails("invalidClientID", { clientSecret = "wrong" })
      fails("invalidClientID", { clientID = "other" })
      fails("webNetworkRequestFailed", { issuer = "http://127.0.0.1:1" })
      fails("webInternalError", { issuer = emulator.origin .. "/oidc/nowhere" })
      for _, id in ipairs { "microsoft.com", "yahoo.com", "facebook.com" } do
        err = fails("invalidCredential", { issuer = "http://127.0.0.1:1" }, Auth.OAuthProvider(id))
        assert(err.message:find("which app", 1, true), err.message)
      end
      -- Whoever shows pages cannot use it.
      refused("webPageUnusable", ui.show, device(), emulator.origin, emulator.origin)
      """)
  }

  private static let key = Result { try SigningKey.generate() }

  /// A provider whose devices get an ID token with one claim changed.
  private static func provider(_ claim: String, _ value: JSON) throws
    -> @Sendable (HTTPRequest) ->
    ServerResponse
  {
    let key = try key.get()
    return { request in
      let issuer = "http://" + (request.headers["Host"] ?? "")
      switch request.url.path {
      case "/.well-known/openid-configuration":
        return ServerResponse(json: [
          "issuer": .string(issuer), "authorization_endpoint": .string("\(issuer)/authorize"),
          "token_endpoint": .string("\(issuer)/token"), "jwks_uri": .string("\(issuer)/jwks"),
          "device_authorization_endpoint": .string("\(issuer)/device"),
          "response_types_supported": ["code"],
        ])
      case "/jwks": return ServerResponse(json: ["keys": [.object(key.publicJWK)]])
      case "/device":
        return ServerResponse(json: [
          "device_code": "d", "user_code": "WDJB-MJHT", "interval": 1, "expires_in": 600,
          "verification_uri": .string("\(issuer)/enter"),
        ])
      case "/token":
        var claims: JSONObject = [
          "iss": .string(issuer), "aud": "client-1", "sub": "ada", "iat": 1_000_000_000,
          "exp": 99_999_999_999,
        ]
        claims[claim] = value
        guard let token = try? key.sign(claims) else { return ServerResponse(status: 500) }
        return ServerResponse(json: ["id_token": .string(token), "access_token": "a"])
      default: return ServerResponse(status: 404)
      }
    }
  }

  @Test(
    arguments: [
      ("iss", "https://other.example", "from another issuer"),
      ("aud", "client-2", "for another client"), ("exp", 1_000_000_001, "has expired"),
    ] as [(String, JSON, String)])
  func `an ID token that is not for this app is no credential`(
    claim: String, value: JSON, words: String
  ) async throws {
    try await CannedServer.run(try Self.provider(claim, value)) { server in
      try await run(
        """
        local err = refused("invalidCredential", corp.getCredential, corp,
          ui.device { issuer = "\(server.origin)", clientID = "client-1", prompt = function() end })
        assert(err.message:find("the ID token", 1, true), err.message)
        assert(err.message:find("\(words)", 1, true), err.message)
        """)
    }
  }

  @Test func `without a function the terminal shows address and code`() async throws {
    let keyboard = try await Keyboard()
    defer { keyboard.stop() }
    let runner = ScriptRunner(
      environment: ["KEYBOARD": keyboard.origin], terminal: keyboard.terminal(columns: 80))
    try await Flow(runner: runner).run(
      Self.prelude + """
        local waiting = task.spawn(function()
          return corp:getCredential(ui.device { issuer = emulator.origin .. "/oidc/corp",
            clientID = "luath-client-oidc.corp", clientSecret = "luath-secret-oidc.corp" })
        end)
        local shown, address, code
        repeat
          shown = http.get(host.env "KEYBOARD").body
          address, code = shown:match "\\n  (http%S+)\\n", shown:match "code there: (%u+%-%u+)"
        until code
        assert(shown:find("█", 1, true), "no picture")
        person { userCode = code, verificationURI = address }
        equal(auth:signIn(waiting:await()).user.email, "barbara@corp.example")
        """)
  }

  @Test func `a cancelled task stops asking`() async throws {
    try await run(
      """
      local shown = false
      local waiting = task.spawn(function()
        return corp:getCredential(device { prompt = function() shown = true end })
      end)
      while not shown do task.sleep(0.01) end
      waiting:cancel()
      refused("cancelled", waiting.await, waiting)
      -- And the next one is free to begin.
      equal(auth:signIn(corp, device()).user.email, "barbara@corp.example")
      """)
  }

  @Test func `a device needs an issuer, a client and somebody who sees the code`() async throws {
    try await run(
      """
      mistake("option 'issuer' is missing", ui.device, { clientID = "c" })
      mistake("option 'clientID' is missing", ui.device, { issuer = "http://127.0.0.1" })
      mistake("option 'clientID' is missing", ui.device, { issuer = "http://127.0.0.1", clientID = "" })
      mistake("86400 seconds", device, { timeout = 0 })
      mistake("86400 seconds", device, { timeout = 0 / 0 })
      mistake("bad argument", ui.device)
      mistake("bad argument", device, { prompt = "x" })
      local silent = ui.device { issuer = emulator.origin .. "/oidc/corp",
        clientID = "luath-client-oidc.corp", clientSecret = "luath-secret-oidc.corp" }
      local err = refused("webPageUnusable", corp.getCredential, corp, silent)
      assert(err.hint:find("prompt", 1, true), err.hint)
      """)
  }
}
