@testable import Emulator
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct AdminTokenTests {
  /// What an administrator changes of an account.
  private static let change = """
    local function change(uid, fields, tenant)
      fields.localId = uid
      local path = "/identitytoolkit.googleapis.com/v1/projects/%s/accounts:update"
      if tenant then path = path:gsub("/accounts", "/tenants/" .. tenant .. "/accounts") end
      local answer = http.post(emulator.origin .. path:format(host.projectID), { bearer = "owner", json = fields })
      assert(answer.ok, answer.body)
    end

    """

  private func run(
    _ rules: Rules, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    try await Flow(runner: ScriptRunner(rules: rules)).run(
      "local admin = admin.admin()\n" + text, sourceLocation: sourceLocation)
  }

  @Test(arguments: [Rules.production, .compatible])
  func `a custom token signs in whom the administrator says`(rules: Rules) async throws {
    try await run(
      rules,
      """
      local uid = "yahoo:Ü-1"
      local result = auth:signInWithCustomToken(admin:createCustomToken(uid, { plan = "gold", seats = 3 }))
      equal(result.user.uid, uid)
      local token = result.user:getIDTokenResult()
      equal(token.claims.plan, "gold")
      equal(token.claims.seats, 3)
      equal(token.signInProvider, "custom")
      equal(admin:verifyIDToken(token.token, true).plan, "gold")
      assert(admin:createCustomToken(uid, {}))
      for _, name in ipairs { "sub", "aud", "firebase", "exp", "c_hash" } do
        local err = refused("invalidClaims", admin.createCustomToken, admin, uid, { [name] = "x" })
        assert(err.message:find(name, 1, true), err.message)
      end
      refused("invalidArgument", admin.createCustomToken, admin, "")
      refused("invalidArgument", admin.createCustomToken, admin, ("u"):rep(129))
      mistake("names expected", admin.createCustomToken, admin, uid, { "gold" })
      mistake("as JSON", admin.createCustomToken, admin, uid, { f = print })
      -- The clock of an emulator that others use may have been moved.
      local path = "/emulator/v1/clock"
      assert(http.patch(emulator.origin .. path, { bearer = "owner", json = { advanceSeconds = 86400 } }).ok)
      assert(auth:signInWithCustomToken(admin:createCustomToken("u2")).user.uid == "u2")
      """)
  }

  @Test func `a custom token is signed with the key that the administrator brings`() async throws {
    try await Flow().run(
      """
      local own = admin.admin { serviceAccount = emulator.serviceAccount() }
      equal(auth:signInWithCustomToken(own:createCustomToken("u1")).user.uid, "u1")
      local other = emulator.serviceAccount()
      other.client_email = "a@another.iam.gserviceaccount.com"
      local stranger = admin.admin { serviceAccount = other }
      refused("customTokenMismatch", auth.signInWithCustomToken, auth, stranger:createCustomToken("u1"))
      """)
  }

  @Test(arguments: [Rules.production, .compatible])
  func `an ID token is verified, and its end is noticed`(rules: Rules) async throws {
    try await run(
      rules,
      Self.change + """
        local user = auth:createUser("ada@example.com", "correct horse").user
        local token = user:getIDToken()
        local claims = admin:verifyIDToken(token, true)
        equal(claims.uid, user.uid)
        equal(claims.sub, user.uid)
        equal(claims.email, "ada@example.com")
        equal(claims.firebase.sign_in_provider, "password")
        equal(admin:verifyIdToken(token).uid, user.uid)
        change(user.uid, { disableUser = true })
        equal(admin:verifyIDToken(token).uid, user.uid)
        refused("userDisabled", admin.verifyIDToken, admin, token, true)
        change(user.uid, { disableUser = false, validSince = tostring(claims.auth_time + 1) })
        equal(refused("idTokenRevoked", admin.verifyIDToken, admin, token, true).webCode, "auth/id-token-revoked")
        equal(admin:verifyIDToken(token).uid, user.uid)
        emulator.advance(3600)
        local err = refused("idTokenExpired", admin.verifyIDToken, admin, token)
        equal(err.webCode, "auth/id-token-expired")
        equal(err.rawValue, 18130)
        emulator.clear()
        auth:signOut()
        local other = auth:signInAnonymously().user
        local gone = other:getIDToken()
        other:delete()
        refused("userNotFound", admin.verifyIDToken, admin, gone, true)
        equal(admin:verifyIDToken(gone).provider_id, "anonymous")
        """)
  }

  @Test func `forged tokens are refused by the production rules`() async throws {
    try await Flow().run(
      """
      local admin = admin.admin()
      local user = auth:createUser("ada@example.com", "correct horse").user
      local good = user:getIDToken()
      local function refuse(token)
        local err = refused("invalidIDToken", admin.verifyIDToken, admin, token)
        assert(token == "" or not tostring(err):find(token, 1, true))
        return err
      end
      refuse(flows.bent(good))
      refuse(flows.forged(good, { sub = "somebody" }))
      refuse("")
      refuse("a.b.c")
      refuse("not a token")
      local head, body = good:match "^(.-)%.(.-)%."
      refuse(crypto.base64url('{"alg":"none","typ":"JWT"}') .. "." .. body .. ".")
      refuse(crypto.base64url('{"alg":"none","typ":"JWT"}') .. "." .. body .. "." .. crypto.base64url("x"))
      refuse(crypto.base64url('{"alg":"RS256"}') .. "." .. body .. good:match "%.[^.]*$")
      refuse(crypto.base64url('{"alg":"RS256","kid":"x"}') .. "." .. body .. good:match "%.[^.]*$")
      -- Tokens of the same project by keys that have another purpose.
      assert(refuse(admin:createSessionCookie(good, { expiresIn = 300 })).hint:find "verifySessionCookie")
      assert(refuse(admin:createCustomToken("ada")).message:find "custom token")
      local google = auth:signIn(provider("google.com", "ada@contoso.example")).credential.idToken
      refuse(google)
      """)
  }

  @Test(arguments: [Rules.production, .compatible])
  func `a session cookie is made of an ID token and verified`(rules: Rules) async throws {
    try await run(
      rules,
      Self.change + """
        local user = auth:createUser("ada@example.com", "correct horse").user
        local token = user:getIDToken()
        local cookie = admin:createSessionCookie(token, { expiresIn = 7200 })
        local claims = admin:verifySessionCookie(cookie, true)
        equal(claims.uid, user.uid)
        equal(claims.exp - claims.iat, 7200)
        equal(claims.iss, "https://session.firebase.google.com/" .. host.projectID)
        assert(refused("invalidSessionCookie", admin.verifySessionCookie, admin, token).hint:find "verifyIDToken")
        refused("invalidSessionCookie", admin.verifySessionCookie, admin, "nonsense")
        emulator.advance(3601)
        equal(admin:verifySessionCookie(cookie, true).uid, user.uid)
        change(user.uid, { validSince = tostring(claims.auth_time + 1) })
        refused("sessionCookieRevoked", admin.verifySessionCookie, admin, cookie, true)
        emulator.advance(3600)
        refused("sessionCookieExpired", admin.verifySessionCookie, admin, cookie)
        for _, seconds in ipairs { 299, 1209601, 0, -300, 7200 * 1000 } do
          local err = refused("invalidSessionCookieDuration", admin.createSessionCookie, admin, token, { expiresIn = seconds })
          equal(err.webCode, "auth/invalid-session-cookie-duration")
        end
        refused("invalidIDToken", admin.createSessionCookie, admin, "nonsense", { expiresIn = 300 })
        mistake("expiresIn is missing", admin.createSessionCookie, admin, token, {})
        mistake("bad argument", admin.createSessionCookie, admin, token)
        mistake("bad argument", admin.createSessionCookie, admin, token, { expiresIn = 300.5 })
        """)
  }

  @Test func `the tokens of a tenant's people are its administrator's`() async throws {
    try await Flow().run(
      """
      local project = admin.admin()
      local id = project:createTenant { displayName = "Crimson", emailSignInConfig = { enabled = true } }.tenantID
      local red = project:authForTenant(id)
      equal(red.tenantID, id)
      equal(tostring(red), ("Admin(%s, tenant %s)"):format(host.projectID, id))
      auth.tenantID = id
      local user = auth:signInWithCustomToken(red:createCustomToken("ada")).user
      equal(user.tenantID, id)
      local token = user:getIDToken()
      equal(red:verifyIDToken(token, true).firebase.tenant, id)
      -- The project's administrator takes them as well, and asks the tenant for the account.
      equal(project:verifyIDToken(token, true).uid, "ada")
      local cookie = red:createSessionCookie(token, { expiresIn = 600 })
      equal(red:verifySessionCookie(cookie, true).uid, "ada")
      local blue = project:authForTenant(project:createTenant { displayName = "Blue" }.tenantID)
      refused("tenantIDMismatch", blue.verifyIDToken, blue, token)
      refused("tenantIDMismatch", blue.verifySessionCookie, blue, cookie)
      refused("invalidArgument", project.authForTenant, project, "")
      auth.tenantID = nil
      auth:signOut()
      refused("tenantIDMismatch", auth.signInWithCustomToken, auth, red:createCustomToken("ada"))
      local outside = auth:signInAnonymously().user:getIDToken()
      refused("tenantIDMismatch", red.verifyIDToken, red, outside)
      """)
  }
}
