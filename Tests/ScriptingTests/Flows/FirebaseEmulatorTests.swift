@testable import Emulator
@testable import System
@testable import HTTP
import Testing

/// What scripts can and cannot do when the target is Firebase's emulator.
@Suite(.serialized, .timeLimit(.minutes(1))) struct FirebaseEmulatorTests {
  /// A flow against a stand-in for Firebase's emulator.
  private let flow = Flow(runner: ScriptRunner(rules: .compatible, isFirebase: true))

  /// Raises unless a call fails because Firebase's emulator lacks something.
  private static let lacks = """
    local function lacks(what, f, ...) \
      local err = refused("notImplemented", f, ...) \
      equal(err.message, "Firebase's emulator has no " .. what) \
      assert(err.hint:find("luath emulator --rules production", 1, true), err.hint) \
      return err \
    end\u{20}
    """

  @Test func `the program behind the address is recognised`() async throws {
    try await flow.run(#"equal(emulator.kind(), "firebase") equal(emulator.kind(), "firebase")"#)
    for rules in [Rules.production, .compatible] {
      try await Flow(runner: ScriptRunner(rules: rules)).run(#"equal(emulator.kind(), "luath")"#)
    }
  }

  @Test func `an address where something else answers is no emulator that is known`() async throws {
    for answer in [
      ServerAnswer.page, .strangeJSON, .failure,
    ] {
      try await CannedServer.run({ _ in answer.response }) { server in
        try await Flow(runner: ScriptRunner(origin: server.origin)).run(
          """
          equal(emulator.kind(), nil)
          refused("emulatorRefused", emulator.advance, 1)
          """)
      }
    }
  }

  @Test func `every control that only luath has says so`() async throws {
    try await flow.run(
      Self.lacks + """
        lacks("clock that can be moved", emulator.advance, 60)
        lacks("clock that can be moved", emulator.setClock, "2030-01-31T12:00:00Z")
        lacks("faults", emulator.setFaults, { { operation = "signUp", error = "503" } })
        lacks("faults", emulator.listFaults)
        lacks("service account", emulator.serviceAccount)
        lacks("test users of identity providers", emulator.people)
        """)
  }

  @Test func `settings that Firebase's emulator would ignore are refused, and the others hold`()
    async throws
  {
    try await flow.run(
      Self.lacks + """
        emulator.configure { enumerationProtection = true, oneAccountPerEmail = false }
        local function settings()
          return http.get(emulator.origin .. "/emulator/v1/projects/" .. host.projectID .. "/config"):json()
        end
        emulator.configure {}
        for _, own in ipairs { { identityPlatform = true }, { providers = { ["yahoo.com"] = false } } } do
          own.enumerationProtection = false
          lacks("settings of providers and of Identity Platform", emulator.configure, own)
        end
        equal(settings().emailPrivacyConfig.enableImprovedEmailPrivacy, true)
        equal(settings().signIn.allowDuplicateEmails, true)
        """)
    try await Flow(runner: ScriptRunner(rules: .compatible)).run(
      """
      local err = refused("notImplemented", emulator.configure, { identityPlatform = false })
      assert(err.message:find("rules of this emulator", 1, true), err.message)
      assert(err.hint:find("+projectSettings", 1, true), err.hint)
      """)
  }

  @Test func `sign-in pages, OIDC clients and devices need luath's providers`() async throws {
    try await flow.run(
      Self.lacks + """
        local pages <const> = "identity providers with sign-in pages"
        for _, id in ipairs { "microsoft.com", "yahoo.com", "google.com", "oidc.corp" } do
          lacks(pages, auth.signIn, auth, provider(id, "ada@contoso.example"))
          lacks(pages, auth.signIn, auth, provider(id, "ada@contoso.example"), form "ada@contoso.example")
        end
        local oidc = require "luath.oidc"
        for _, issuer in ipairs { emulator.origin .. "/oidc/corp", "https://accounts.google.com" } do
          lacks(pages, oidc.client, { issuer = issuer, clientID = "c" })
          lacks(pages, auth.signIn, auth, provider "oidc.corp", ui.device {
            issuer = issuer, clientID = "c", prompt = print })
        end
        """)
  }

  @Test func `an OIDC server elsewhere that has no description is not blamed on the emulator`()
    async throws
  {
    try await CannedServer.run({ _ in .init(status: 404, json: ["error": ["status": "NOT_FOUND"]]) }
    ) {
      server in
      try await flow.run(
        """
        local oidc = require "luath.oidc"
        refused("discoveryFailed", oidc.client, { issuer = "\(server.origin)", clientID = "c" })
        """)
    }
  }

  @Test func `authenticator apps need luath's emulator, or its rule`() async throws {
    let script = """
      local user = auth:createUser("a@x.example", "correct horse").user
      user:sendEmailVerification()
      auth:applyActionCode(emulator.oobCodes()[1].oobCode)
      user:reload()
      local generate, session = Auth.TOTPMultiFactorGenerator.generateSecret, user.multiFactor:getSession()
      """
    try await flow.run(
      Self.lacks + script + #" lacks("authenticator apps (TOTP)", generate, session)"#)
    try await Flow(runner: ScriptRunner(rules: .compatible)).run(
      script + """
         local err = refused("notImplemented", generate, session)
        assert(err.message:find("rules of this emulator", 1, true), err.message)
        """)
  }

  @Test
  func `people sign in by password, and need luath's emulator for what providers know of them`()
    async throws
  {
    try await flow.run(
      Self.lacks + """
        local actor = require "luath.actor"
        local ada = actor.new { email = "ada@x.example", password = "correct horse", name = "Ada" }
        equal(ada:signIn().user.email, "ada@x.example")
        lacks("identity providers with sign-in pages", ada.link, ada, "microsoft.com")
        ada:cleanUp()
        refused("userNotFound", ada.signIn, ada)
        for key, value in pairs {
          providers = { "microsoft.com" }, microsoft = { tenant = "contoso.example" }, yahoo = {}, google = {},
          oidc = {}, providerPassword = "battery staple",
        } do
          lacks("test users of identity providers", actor.new, { [key] = value })
        end
        """)
  }

  @Test func `a missing page for people is an error elsewhere`() async throws {
    try await CannedServer.run({ _ in ServerAnswer.page.response }) { server in
      try await Flow(runner: ScriptRunner(origin: server.origin)).run(
        """
        mistake("status 404", require("luath.actor").new, {})
        """)
    }
  }

  @Test func `ID tokens of Microsoft and Yahoo are sent, as its rules believe them`() async throws {
    try await flow.run(
      """
      for _, id in ipairs { "microsoft.com", "yahoo.com", "oidc.corp" } do
        local claims = { sub = "s", email = "ada@" .. id, email_verified = true }
        local result = auth:signIn(Auth.OAuthProvider.credential(id, json.encode(claims)))
        equal(result.user.email, "ada@" .. id)
        equal(way(result.user, id).uid, "s")
      end
      """)
    try await Flow().run(
      """
      local err = refused("invalidCredential", auth.signIn, auth, Auth.OAuthProvider.credential("microsoft.com", "i"))
      assert(err.message:find("audience", 1, true), err.message)
      """)
  }

  @Test func `imported hashes are warned of, which it never checks`() async throws {
    let script = """
      local hash = { algorithm = "MD5", rounds = 1 }
      local rows = { {
        uid = "u", email = "a@x.example", passwordHash = "N2ZiYjhjMTIyNjczNzQ3ZDlhN2Q5ZDZlOWVmOGQ5YzY=", passwordSalt = "TmFDbA==",
      } }
      equal(admin.admin():importUsers(rows, { hash = hash }).successCount, 1)
      """
    let lines = try await flow.run(script)
    #expect(
      lines.contains { $0.hasPrefix("warning: Firebase's emulator has no check of imported") })
    let own = try await Flow().run(script)
    #expect(!own.contains { $0.hasPrefix("warning") })
  }

  @Test func `custom tokens, codes and tenants work`() async throws {
    try await flow.run(
      """
      local token = admin.admin():createCustomToken("ada", { role = "chef" })
      equal(auth:signInWithCustomToken(token).user:getIDTokenResult().claims.role, "chef")
      local phone = Auth.PhoneAuthProvider()
      local id = phone:verifyPhoneNumber "+15555550100"
      auth:signIn(Auth.PhoneAuthProvider.credential(id, emulator.verificationCodes()[1].code))
      equal(#emulator.oobCodes { tenantID = "t" }, 0)
      emulator.clear()
      """)
  }
}

/// What a program that is no emulator may answer to everything.
private enum ServerAnswer {
  case page, strangeJSON, failure

  var response: ServerResponse {
    switch self {
    case .page: ServerResponse(status: 404, text: "<h1>Not Found</h1>", type: "text/html")
    case .strangeJSON: ServerResponse(status: 404, json: ["error": "gone"])
    case .failure: ServerResponse(status: 500, json: ["advancedSeconds": 1])
    }
  }
}
