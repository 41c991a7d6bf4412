import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct CredentialTests {
  @Test func `each provider's tokens are sent under the names of the wire`() async throws {
    try await Flow().runScripted(
      """
      local rows = {
        { "google.com", "id_token=i%2B%2F%3D&access_token=a%26", Auth.GoogleAuthProvider.credential("i+/=", "a&") },
        { "google.com", "access_token=a", Auth.GoogleAuthProvider.credential(nil, "a") },
        { "facebook.com", "access_token=a", Auth.FacebookAuthProvider.credential "a" },
        { "facebook.com", "id_token=i&nonce=n", Auth.OAuthProvider.credential("facebook.com", "i", "n") },
        { "github.com", "access_token=a", Auth.GitHubAuthProvider.credential "a" },
        { "twitter.com", "access_token=a&oauth_token_secret=s", Auth.TwitterAuthProvider.credential("a", "s") },
        { "apple.com", "id_token=i&nonce=n", Auth.OAuthProvider.appleCredential("i", "n") },
        { "oidc.corp", "id_token=i&access_token=a",
          Auth.OAuthProvider.credential { providerID = "oidc.corp", idToken = "i", accessToken = "a" } },
        { "oidc.corp", "id_token=i&nonce=n", Auth.OAuthProvider.credential("oidc.corp", "i", "n") },
        { "linkedin.com", "access_token=a", Auth.OAuthProvider.credential { providerID = "linkedin.com", accessToken = "a" } },
      }
      for _, row in ipairs(rows) do
        local id, fields, credential = table.unpack(row)
        equal(credential.providerID, id)
        equal(credential.provider, id)
        accept(id)
        equal(auth:signIn(credential).additionalUserInfo.providerID, id)
        equal(sent("signInWithIdp").postBody, "providerId=" .. id .. "&" .. fields)
        equal(sent("signInWithIdp").requestUri, "http://localhost")
        equal(sent("signInWithIdp").pendingToken, nil)
      end
      """)
  }

  @Test func `Apple's name goes along once, as Apple writes it`() async throws {
    try await Flow().runScripted(
      """
      local apple = Auth.OAuthProvider.appleCredential
      local names = {
        { { givenName = "Ada", familyName = "Lovelace" }, { firstName = "Ada", lastName = "Lovelace" } },
        { { givenName = "Ada & co" }, { firstName = "Ada & co" } },
      }
      for _, row in ipairs(names) do
        accept "apple.com"
        auth:signIn(apple("i", "n", row[1]))
        local user = json.decode(http.parseForm(sent("signInWithIdp").postBody).user)
        equal(user.name.firstName, row[2].firstName)
        equal(user.name.lastName, row[2].lastName)
      end
      accept "apple.com"
      auth:signIn(apple("i", "n", {}))
      equal(http.parseForm(sent("signInWithIdp").postBody).user, nil)
      refused("invalidCredential", apple, "")
      mistake("no option 'name'", apple, "i", "n", { name = "Ada" })
      """)
  }

  @Test func `a pending token is kept, sent beside the body, and enough alone`() async throws {
    try await Flow().runScripted(
      """
      -- SAML gives nothing else.
      answer("signInWithIdp", 200, { providerId = "saml.corp", email = "a@x.example",
        needConfirmation = true, pendingToken = "P1", verifiedProvider = { "google.com" } })
      local err = refused("accountExistsWithDifferentCredential", auth.signIn, auth,
        Auth.GoogleAuthProvider.credential "i")
      local pending = err.pendingCredential
      equal(pending.providerID, "saml.corp")
      equal(pending.idToken, nil)
      equal(pending.accessToken, nil)
      equal(tostring(pending), "saml.corp credential")
      accept "google.com"
      local user = auth:signIn(Auth.GoogleAuthProvider.credential "i").user
      answer("lookup", 200, { users = { { localId = "U1" } } })
      accept "saml.corp"
      user:link(pending)
      equal(sent("signInWithIdp").pendingToken, "P1")
      equal(sent("signInWithIdp").postBody, "providerId=saml.corp")
      equal(sent("signInWithIdp").idToken, token)
      -- Beside tokens it is sent as well, and so are they.
      answer("signInWithIdp", 200, { providerId = "microsoft.com", email = "a@x.example",
        needConfirmation = true, pendingToken = "P2", oauthAccessToken = "a", oauthIdToken = "i" })
      local err = refused("accountExistsWithDifferentCredential", auth.signIn, auth,
        Auth.GoogleAuthProvider.credential "i")
      accept "microsoft.com"
      auth:signIn(err.pendingCredential)
      equal(sent("signInWithIdp").pendingToken, "P2")
      equal(sent("signInWithIdp").postBody, "providerId=microsoft.com&id_token=i&access_token=a")
      -- A credential is nothing that could be written down without it.
      mistake("Credential", json.encode, err.pendingCredential)
      mistake("Credential", json.encode, { credential = err.pendingCredential })
      """)
  }

  @Test func `a credential without a token is refused before it is sent`() async throws {
    try await Flow().run(
      """
      refused("invalidCredential", Auth.GoogleAuthProvider.credential)
      refused("invalidCredential", Auth.FacebookAuthProvider.credential, "")
      refused("invalidCredential", Auth.GitHubAuthProvider.credential, "")
      refused("invalidCredential", Auth.TwitterAuthProvider.credential, "t", "")
      refused("invalidCredential", Auth.TwitterAuthProvider.credential, "", "s")
      refused("invalidCredential", Auth.OAuthProvider.credential, "oidc.corp", "", "nonce")
      refused("invalidCredential", Auth.OAuthProvider.credential, { providerID = "oidc.corp" })
      refused("invalidProviderID", Auth.OAuthProvider.credential, { providerID = "oidc", idToken = "i" })
      mistake("table", Auth.OAuthProvider.credential, { providerID = "oidc.corp", idToken = "i" }, "i")
      mistake("no option", Auth.OAuthProvider.credential, { providerID = "oidc.corp", id_token = "i" })
      refused("invalidProviderID", Auth.OAuthProvider.credential, { idToken = "i" })
      """)
  }

  @Test func `the SDK's names of providers are their ids`() async throws {
    try await Flow().run(
      """
      local ids = Auth.AuthProviderID
      equal(ids.apple, "apple.com")
      equal(ids.email, Auth.EmailAuthProvider.id)
      equal(ids.facebook, Auth.FacebookAuthProvider.id)
      equal(ids.gameCenter, "gc.apple.com")
      equal(ids.gitHub, Auth.GitHubAuthProvider.id)
      equal(ids.google, Auth.GoogleAuthProvider.id)
      equal(ids.phone, "phone")
      equal(ids.twitter, Auth.TwitterAuthProvider.id)
      equal(ids.microsoft, Auth.OAuthProvider(ids.microsoft).providerID)
      equal(ids.yahoo, "yahoo.com")
      equal(ids.custom "oidc.corp", "oidc.corp")
      refused("invalidProviderID", ids.custom, "corp")
      mistake("did you mean 'gitHub'", function() return ids.github end)
      """)
  }

  @Test(arguments: ["facebook.com", "apple.com"])
  func `a provider that the SDK has another library for shows its page here`(
    _ id: String
  ) async throws {
    try await Flow().runScripted(
      """
      answer("createAuthUri", 200, { authUri = "https://idp.example/login?state=s", sessionId = "S" })
      local credential = Auth.OAuthProvider("\(id)"):getCredential(function(request)
        equal(request.providerID, "\(id)")
        return request.redirectURI .. "?code=c&state=s"
      end)
      accept "\(id)"
      equal(auth:signIn(credential).additionalUserInfo.providerID, "\(id)")
      equal(sent("signInWithIdp").sessionId, "S")
      """)
  }

  @Test func `nobody gets an account where a sign-in makes none`() async throws {
    try await Flow().run(
      """
      local session = auth:session()
      equal(session.createsAccounts, true)
      session.createsAccounts = false
      refused("userNotFound", session.signIn, session, provider("yahoo.com", "yuki@yahoo.example"))
      equal(session.currentUser, nil)
      local yuki = auth:signIn(provider("yahoo.com", "yuki@yahoo.example"))
      equal(yuki.additionalUserInfo.isNewUser, true)
      equal(session:signIn(provider("yahoo.com", "yuki@yahoo.example")).user.uid, yuki.user.uid)
      mistake("createsAccounts", function() session.createsAccounts = "no" end)
      """)
    // Firebase's emulator makes the account all the same, and then at least says so.
    try await Flow().runScripted(
      """
      local session = auth:session()
      session.createsAccounts = false
      accept("google.com", { isNewUser = true })
      local err = refused("userNotFound", session.signIn, session, Auth.GoogleAuthProvider.credential "i")
      equal(err.details.strayAccount, "U1")
      equal(session.currentUser, nil)
      """)
  }

  @Test func `a session beside another has its target and tenant and nobody in it`() async throws {
    try await Flow().run(
      """
      auth:signInAnonymously()
      auth.tenantID, auth.languageCode, auth.customAuthDomain = "t1", "fr", "localhost"
      local beside = auth:session()
      equal(beside.currentUser, nil)
      equal(beside.tenantID, "t1")
      equal(beside.languageCode, "fr")
      equal(beside.customAuthDomain, "localhost")
      auth.tenantID = nil
      equal(beside.tenantID, "t1")
      assert(beside ~= auth and auth.currentUser)
      """)
  }

  @Test func `a script makes errors as luath does`() async throws {
    try await Flow().run(
      """
      local function fail() error(Auth.createError("userMismatch", "that was not you", "ask somebody else")) end
      local err = refused("userMismatch", fail)
      equal(err.rawValue, 17024)
      equal(err.name, "ERROR_USER_MISMATCH")
      equal(err.webCode, "auth/user-mismatch")
      equal(err.message, "that was not you")
      equal(err.hint, "ask somebody else")
      assert(#Auth.createError("userMismatch").hint > 8)
      mistake("ErrorCode", Auth.createError, "userMissmatch")
      """)
  }
}
