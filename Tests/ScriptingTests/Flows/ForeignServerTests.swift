@testable import Emulator
@testable import System
@testable import HTTP
@testable import OIDC
@testable import Host
import Testing

@Suite(.serialized, .timeLimit(.minutes(3))) struct ForeignServerTests {
  // MARK: Logins where none was begun

  @Test(arguments: ["form", "webdriver"])
  func `a sign-out types nothing into a login form`(_ delegate: String) async throws {
    let seen = try await ForeignServer().run(
      """
      local corp = client "/login"
      local err = refused("webLoginAtSignOut", corp.logout, corp, "a.b.c", ada "\(delegate)")
      equal(err.details.reason, "loginAtSignOut")
      equal(err.details.field, "pw")
      assert(err.hint:find("keepsSession", 1, true), err.hint)
      local url = corp:logoutURL { redirectURI = back }
      refused("webLoginAtSignOut", ui.show, ada "\(delegate)", url, back)
      """)
    #expect(!seen.contains { $0.method == "POST" })
    #expect(!seen.contain("horse"))
  }

  @Test(arguments: ["form", "webdriver"])
  func `prompt=none types nothing into a login form`(_ delegate: String) async throws {
    let seen = try await ForeignServer().run(
      """
      local corp = client "/login"
      local err = refused("webPageDespitePromptNone", corp.signIn, corp, ada "\(delegate)", { prompt = "none" })
      equal(err.details.reason, "pageDespitePromptNone")
      assert(err.hint:find("login_required", 1, true), err.hint)
      """)
    #expect(!seen.contains { $0.method == "POST" })
    #expect(!seen.contain("horse"))
  }

  @Test func `a delegate without a password meets the same error`() async throws {
    try await ForeignServer().run(
      """
      local corp = client "/login"
      local nobody = ui.form { username = "ada@idp.example" }
      refused("webLoginAtSignOut", corp.logout, corp, "a.b.c", nobody)
      refused("webPageDespitePromptNone", corp.signIn, corp, nobody, { prompt = "none" })
      equal(refused("webPageUnusable", corp.signIn, corp, nobody).details.reason, "missingAnswer")
      """)
  }

  // MARK: Sign-out pages

  @Test(arguments: ["form", "webdriver"])
  func `a sign-out page may ask in sentences, with buttons outside of its form`(
    _ delegate: String
  ) async throws {
    let seen = try await ForeignServer().run(
      """
      for _, path in ipairs { "/sentence", "/verb" } do
        local corp = client(path)
        corp:logout("a.b.c", ada "\(delegate)")
        local err = refused("webConsentDenied", corp.logout, corp, "a.b.c", ada("\(delegate)", { consent = false }))
        assert(err.message:find("sign-out was denied", 1, true), err.message)
      end
      """)
    let answers = seen.filter { $0.method == "POST" }.map { $0.form["answer"] }
    #expect(answers == ["1", "0", "1", "0"])
  }

  // MARK: Keys

  @Test func `those who verify at the same time share one fetch of the keys`() async throws {
    let key = try SigningKey.generate()
    let now = TokenIssuer.now
    let strange = try SigningKey.generate().sign(["iat": .integer(now), "exp": .integer(now + 300)])
    var server = ForeignServer(keys: ["keys": [.object(key.publicJWK)]])
    server.runner.environment["STRANGE"] = strange
    let seen = try await server.run(
      """
      local corp = client "/login"
      for _ = 1, 4 do
        local all = {}
        for number = 1, 30 do
          all[number] = function()
            refused("unknownKey", corp.verify, corp, host.env "STRANGE", { nonce = false })
          end
        end
        task.all(all)
      end
      """)
    #expect(seen.filter { $0.url.path == "/login/keys" }.count == 4)
  }

  @Test func `the emulator takes Microsoft's shared issuer with the token's tenant`() async throws {
    let key = try SigningKey.generate()
    var server = ForeignServer(keys: ["keys": [.object(key.publicJWK)]])
    let now = TokenIssuer.now
    // Signed once the server's address is known, by a claim that the script names.
    server.sign = { origin, tenant, named in
      try key.sign([
        "iss": .string("\(origin)/ms/\(named)/v2.0"), "aud": "app", "sub": "s-1",
        "tid": tenant.map { JSON.string($0) } ?? .null, "iat": .integer(now),
        "exp": .integer(now + 300),
      ])
    }
    try await server.run(
      """
      admin.admin():createProviderConfig {
        providerID = "oidc.ms", displayName = "ms", enabled = true, clientID = "app",
        clientSecret = "s", issuer = base .. "/ms/common/v2.0", responseType = { code = true },
      }
      local function token(tenant, named)
        return http.get(base .. "/ms/sign?" .. http.form { tenant = tenant, named = named or tenant }).body
      end
      local credential = Auth.OAuthProvider.credential
      local tenant, other = "72f988bf-86f1-41af-91ab-2d7cd011db47", "9188040d-6c67-4c5b-b112-36a304b66dad"
      assert(auth:signIn(credential("oidc.ms", token(tenant))).user.uid)
      assert(auth:signIn(credential("oidc.ms", token(other))).user.uid)
      local err = refused("invalidCredential", auth.signIn, auth, credential("oidc.ms", token(tenant, other)))
      equal(err.details and err.details.reason, "wrongIssuer", tostring(err))
      assert(err.hint:find("iss", 1, true) and not err.hint:find("getCredential", 1, true), err.hint)
      refused("invalidCredential", auth.signIn, auth, credential("oidc.ms", token(nil, "{tenantid}")))
      """)
  }

  // MARK: What is wrong with a server

  @Test func `each fault of a server has a code and a hint of its own`() async throws {
    let seen = try await ForeignServer().run(
      """
      local function fails(code, words, hint, ...)
        local err = refused(code, ...)
        assert(err.message:find(words, 1, true), err.message)
        assert(err.hint:find(hint, 1, true), err.hint)
        return err
      end
      fails("issuerUnreachable", "127.0.0.1:1", "its server runs", client, "", { issuer = "http://127.0.0.1:1" })
      fails("issuerMismatch", "https://idp.example", "to the last slash", client, "/renamed")
      local corp = client("/login", { clientSecret = "not the secret" })
      local err = fails("clientRefused", "Bad secret.", "client_secret_basic", corp.signIn, corp, ada "form")
      equal(err.providerError, "invalid_client")
      local away = client "/unregistered"
      err = fails("webRedirectNotRegistered", "Mismatching redirect URI.", back, away.signIn, away, ada "form")
      equal(err.details.reason, "redirectNotRegistered")
      local odd = client "/json"
      fails("webSignInUserInteractionFailure", "invalid_request: The display is unknown.", "", odd.signIn, odd, ada "form")
      local far = client "/address"
      fails("webSignInUserInteractionFailure", "invalid_request: Unknown claims.", "", far.signIn, far, ada "form")
      fails("discoveryFailed", base .. "/down/.well-known/openid-configuration answers with status 500",
        "its discovery document", client, "/down")
      fails("discoveryFailed", base .. "/html/.well-known/openid-configuration answers with something other than JSON",
        "its discovery document", client, "/html")
      local grant = client("/grant", { clientSecret = "not the secret" })
      err = fails("clientRefused", "Invalid client credentials.", "allow this kind of grant", grant.signIn, grant, ada "form")
      equal(err.providerError, "unauthorized_client")
      local alone = client("/away", { clientSecret = "not the secret" })
      fails("transport", "http://127.0.0.1:1/token", "", alone.signIn, alone, ada "form")
      """)
    #expect(!seen.contain("not the secret"))
  }

  @Test func `signing keys that cannot be had are named by their address`() async throws {
    var server = ForeignServer()
    server.runner.environment["TOKEN"] = try SigningKey.generate().sign(["sub": "ada"])
    try await server.run(
      """
      for habit, words in pairs { ["/keyless"] = "status 500", ["/unkeyed"] = "something other than JSON" } do
        local corp = client(habit)
        local err = refused("keysUnavailable", corp.verify, corp, host.env "TOKEN", { nonce = false })
        assert(err.message:find(base .. habit .. "/keys answers with " .. words, 1, true), err.message)
        assert(not err.message:find("version", 1, true), err.message)
        assert(err.hint:find("jwks_uri", 1, true), err.hint)
      end
      """)
  }

  @Test(arguments: ["form", "webdriver"])
  func `an error page is read to its end`(_ delegate: String) async throws {
    try await ForeignServer().run(
      """
      for _, habit in ipairs { "/text", "/list", "/table", "/paragraphs" } do
        if "\(delegate)" == "form" or habit ~= "/text" then
          local odd = client(habit)
          local err = refused("webSignInUserInteractionFailure", odd.signIn, odd, ada "\(delegate)")
          assert(err.message:find("invalid_request", 1, true), err.message)
          assert(err.message:find("The display is unknown.", 1, true), err.message)
          assert(not err.message:find("Home", 1, true), err.message)
        end
      end
      """)
  }

  @Test func `a refused redirect address has one code, wherever that is reported`() async throws {
    try await ForeignServer().run(
      """
      for _, habit in ipairs { "/whitelist", "/answered" } do
        local corp = client(habit)
        local err = refused("webRedirectNotRegistered", corp.signIn, corp, ada "form")
        assert(err.message:find("redirect_uri", 1, true), err.message)
        assert(err.hint:find("register", 1, true), err.hint)
      end
      """)
  }

  @Test(arguments: ["form", "webdriver"])
  func `a search box is no part of a sign-out`(_ delegate: String) async throws {
    let seen = try await ForeignServer().run(
      """
      for _, habit in ipairs { "/search", "/link" } do
        local corp = client(habit)
        corp:logout("a.b.c", ada "\(delegate)")
      end
      """)
    #expect(!seen.contains { $0.url.path == "/find" })
  }

  @Test func `a browser reports the same faults of pages`() async throws {
    try await ForeignServer().run(
      """
      local away, far = client "/unregistered", client "/address"
      local err = refused("webRedirectNotRegistered", away.signIn, away, ada "webdriver")
      assert(err.message:find("Mismatching redirect URI.", 1, true) and err.hint:find(back, 1, true), tostring(err))
      err = refused("webSignInUserInteractionFailure", far.signIn, far, ada "webdriver")
      assert(err.message:find("invalid_request: Unknown claims.", 1, true), err.message)
      """)
  }

  /// By the emulator, which is the server's client then: the code is production's, the cause is in
  /// the details.
  @Test func `a foreign provider of the project fails with its cause`() async throws {
    try await ForeignServer().run(
      """
      local function configure(name, issuer)
        admin.admin():createProviderConfig {
          providerID = "oidc." .. name, displayName = name, enabled = true, clientID = "app",
          clientSecret = "not the secret", issuer = issuer, responseType = { code = true },
        }
        return Auth.OAuthProvider("oidc." .. name)
      end
      local function fails(reason, hint, name, issuer)
        local err = refused("invalidCredential", auth.signIn, auth, configure(name, issuer), ada "form")
        equal(err.details and err.details.reason, reason, tostring(err))
        assert(err.hint:find(hint, 1, true) and not err.hint:find("getCredential", 1, true), err.hint)
        assert(not tostring(err):find("not the secret", 1, true))
      end
      fails("issuerUnreachable", "its server runs", "gone", "http://127.0.0.1:1")
      fails("issuerMismatch", "to the last slash", "renamed", base .. "/renamed")
      fails("clientRefused", "client identifier and secret", "secret", base .. "/login")
      refused("webRedirectNotRegistered", auth.signIn, auth, configure("away", base .. "/unregistered"), ada "form")
      """)
  }
}
