@testable import HTTP
import Testing

extension EasyToGetWrongTests {
  @Test func `no. 18 scopes are JSON by provider, joined with commas, without empty ones`()
    async throws
  {
    try await Flow().runScripted(
      """
      local yahoo = Auth.OAuthProvider "yahoo.com"
      local function body(scopes)
        yahoo.scopes = scopes
        answer("createAuthUri", 200, { authUri = "https://idp.example/?state=s", sessionId = "S" })
        refused("webContextCancelled", yahoo.getCredential, yahoo, function() end)
        return sent "createAuthUri"
      end
      equal(body({ "mail-r", "", "sdct-w" }).oauthScope, '{"yahoo.com":"mail-r,sdct-w"}')
      equal(body({ "" }).oauthScope, nil)
      equal(body({}).oauthScope, nil)
      """)
  }

  @Test func `no. 19 numbers come as numbers and as text, and tokens in snake case`() async throws {
    try await Flow().runScripted(
      """
      for _, lifetime in ipairs { 3599, "3599" } do
        accept("google.com", { oauthAccessToken = "a", oauthExpireIn = lifetime, expiresIn = "100" },
          { localId = "U1", createdAt = "1500000000000", lastLoginAt = 1600000000000 })
        local result = auth:signIn(Auth.GoogleAuthProvider.credential "i")
        equal(result.credential.expiresIn, 3599)
        equal(result.user.metadata.creationDate, 1500000000000)
        equal(result.user.metadata.lastSignInDate, 1600000000000)
      end
      local renewed = jwt { sub = "U1", user_id = "U1", iat = 200, exp = 3800 }
      answer("token", 200, { access_token = renewed, id_token = renewed, expires_in = "3600",
        refresh_token = "r2", token_type = "Bearer", user_id = "U1", project_id = "123" })
      equal(auth.currentUser:getIDToken(), renewed)
      equal(auth.currentUser.refreshToken, "r2")
      """)
  }

  @Test func `no. 20 the user name has two names, and the profile is text`() async throws {
    try await Flow().runScripted(
      """
      for _, row in ipairs {
        { { screenName = "ada" } }, { { username = "ada" } },
        { { rawUserInfo = '{"login":"ada"}' } }, { { rawUserInfo = '{"screen_name":"ada"}' } },
      } do
        accept("github.com", row[1])
        equal(auth:signIn(Auth.GitHubAuthProvider.credential "a").additionalUserInfo.username, "ada")
      end
      accept("github.com", { rawUserInfo = '{"id":7,"name":"Ada"}' })
      local info = auth:signIn(Auth.GitHubAuthProvider.credential "a").additionalUserInfo
      equal(info.profile.id, 7)
      equal(info.profile.name, "Ada")
      equal(info.username, nil)
      """)
  }

  @Test func `no. 21 which parameters are reserved depends on the provider`() async throws {
    try await Flow().run(
      """
      local function set(id, name)
        Auth.OAuthProvider(id).customParameters = { [name] = "x" }
      end
      for _, id in ipairs { "microsoft.com", "yahoo.com", "oidc.corp", "twitter.com" } do
        for _, name in ipairs { "client_id", "response_type", "redirect_uri", "state", "scope" } do
          refused("invalidCustomParameter", set, id, name)
        end
      end
      refused("invalidCustomParameter", set, "microsoft.com", "response_mode")
      set("yahoo.com", "response_mode")
      for _, name in ipairs { "consumer_key", "nonce", "signature", "signature_method", "timestamp", "token", "version" } do
        refused("invalidCustomParameter", set, "twitter.com", "oauth_" .. name)
        set("google.com", "oauth_" .. name)
      end
      """)
  }

  @Test func `no. 22 Yahoo's scopes match those of the application or the flow fails`()
    async throws
  {
    try await Flow().run(
      """
      local yahoo = provider("yahoo.com", "yuki@yahoo.example")
      yahoo.scopes = { "mail-r", "sdct-w" }
      auth:signIn(yahoo)
      yahoo.scopes = { "mail-r", "sdct-w", "sdct-r" }
      local err = refused("webSignInUserInteractionFailure", yahoo.getCredential, yahoo)
      assert(err.message:find("invalid_scope", 1, true) or err.serverName == "invalid_scope", tostring(err))
      """)
  }

  @Test func `no. 23 raw tokens of Microsoft and Yahoo are refused`() async throws {
    try await Flow().run(
      """
      for _, id in ipairs { "microsoft.com", "yahoo.com" } do
        for _, credential in ipairs {
          Auth.OAuthProvider.credential(id, "an-id-token"),
          Auth.OAuthProvider.credential { providerID = id, accessToken = "an-access-token" },
        } do
          local err = refused("invalidCredential", auth.signIn, auth, credential)
          assert(err.hint:find("custom token", 1, true), err.hint)
        end
      end
      """)
  }

  @Test func `no. 24 Azure's oid is the uid, padded for personal accounts, and sub is not`()
    async throws
  {
    try await Flow().run(
      """
      local function signIn(email, tenant)
        local result = auth:signIn(provider("microsoft.com", email, { tenant = tenant }))
        return crypto.claims(result.credential.idToken), way(result.user, "microsoft.com").uid
      end
      local claims, uid = signIn("ada@contoso.example", "contoso.example")
      equal(claims.oid, uid)
      assert(claims.sub ~= uid)
      local claims, uid = signIn("alan@outlook.example", "consumers")
      equal(#uid, 16)
      equal(claims.oid, ("00000000-0000-0000-%s-%s"):format(uid:sub(1, 4), uid:sub(5)))
      assert(claims.sub ~= uid)
      """)
  }

  @Test func `no. 26 a profile field is cleared by deleting the attribute`() async throws {
    try await Flow().runScripted(
      """
      accept "google.com"
      local user = auth:signIn(Auth.GoogleAuthProvider.credential "i").user
      answer("update", 200, { localId = "U1" })
      answer("lookup", 200, { users = { { localId = "U1" } } })
      user:updateProfile { displayName = false, photoURL = "https://a.example/p" }
      local body = sent "update"
      equal(table.concat(body.deleteAttribute, " "), "DISPLAY_NAME")
      equal(body.displayName, nil)
      equal(body.photoUrl, "https://a.example/p")
      """)
  }

  @Test func `no. 31 signing out asks nobody, and deleting signs out`() async throws {
    try await Flow().runScripted(
      """
      accept "google.com"
      auth:signIn(Auth.GoogleAuthProvider.credential "i")
      local before = #requests()
      auth:signOut()
      equal(auth.currentUser, nil)
      equal(#requests(), before)
      accept "google.com"
      local user = auth:signIn(Auth.GoogleAuthProvider.credential "i").user
      fails("delete", "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
      refused("requiresRecentLogin", user.delete, user)
      equal(auth.currentUser, user)
      answer("delete", 200, { kind = "x" })
      user:delete()
      equal(auth.currentUser, nil)
      """)
  }

  @Test func `no. 33 where a page comes back to has no fragment and no state`() async throws {
    try await Flow().runScripted(
      """
      answer("createAuthUri", 200, { authUri = "https://idp.example/?state=s", sessionId = "S" })
      local google = Auth.OAuthProvider "google.com"
      refused("webContextCancelled", google.getCredential, google, function() end)
      local address = sent("createAuthUri").continueUri
      assert(not address:find "#" and not address:find "state", address)
      equal(address, emulator.origin .. "/__/auth/handler")
      for _, domain in ipairs { "x/y", "x?state=1", "x#f", "" } do
        auth.customAuthDomain = domain
        refused("unauthorizedDomain", google.getCredential, google)
      end
      """)
    try await Flow().run(
      """
      auth.customAuthDomain = "elsewhere.example"
      local google = provider("google.com", "ada@contoso.example")
      refused("unauthorizedDomain", google.getCredential, google)
      """)
  }

  @Test func `no. 34 a request URI is sent even where nothing redirected`() async throws {
    try await Flow().runScripted(
      """
      accept "google.com"
      auth:signIn(Auth.GoogleAuthProvider.credential "i")
      equal(sent("signInWithIdp").requestUri, "http://localhost")
      answer("signInWithIdp", 200, { providerId = "saml.corp", needConfirmation = true, pendingToken = "P" })
      local err = refused("accountExistsWithDifferentCredential", auth.signIn, auth, Auth.GoogleAuthProvider.credential "i")
      accept "saml.corp"
      auth:signIn(err.pendingCredential)
      equal(sent("signInWithIdp").requestUri, "http://localhost")
      """)
  }

  @Test func `no. 35 a message is parted at its first colon`() async throws {
    try await Flow().runScripted(
      """
      for message, words in pairs {
        ["INVALID_EMAIL : a: b : c"] = ": a: b : c", ["INVALID_EMAIL:a"] = ": a",
        ["INVALID_EMAIL : ((the emulator's words))"] = ": the emulator's words",
        [" INVALID_EMAIL "] = "the e-mail address is badly formed",
      } do
        fails("signUp", message)
        local err = refused("invalidEmail", auth.signInAnonymously, auth)
        equal(err.serverName, "INVALID_EMAIL")
        equal(err.message:sub(-#words), words)
      end
      """)
  }

  @Test func `no. 36 two names have no prefix`() async throws {
    try await Flow().runScripted(
      """
      for code, name in pairs {
        missingAppCredential = "MISSING_APP_CREDENTIAL", invalidAppCredential = "INVALID_APP_CREDENTIAL",
        missingPhoneNumber = "ERROR_MISSING_PHONE_NUMBER",
      } do
        fails("signUp", (name:gsub("^ERROR_", "")))
        equal(refused(code, auth.signInAnonymously, auth).name, name)
      end
      """)
  }

  @Test func `no. 37 the application identifies itself to a restricted key`() async throws {
    let runner = ScriptRunner(headers: ["X-Ios-Bundle-Identifier": "example.app"])
    try await Flow(runner: runner).runScripted(
      """
      accept "google.com"
      auth:signIn(Auth.GoogleAuthProvider.credential "i")
      for _, name in ipairs { "signInWithIdp", "lookup" } do
        local _, request = sent(name)
        equal(request.headers["x-ios-bundle-identifier"], "example.app")
      end
      """)
  }
}
