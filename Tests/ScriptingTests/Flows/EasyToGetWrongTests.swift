@testable import Emulator
@testable import System
import Testing

/// What is easy to get wrong in a client of Firebase Auth.
///
/// Each number of the list has a test of that name; further suites look at most of them more closely.
@Suite(.serialized, .timeLimit(.minutes(1))) struct EasyToGetWrongTests {
  @Test func `no. 1 a conflict is raised by signIn and never by getCredential`() async throws {
    try await Flow().run(
      """
      auth:createUser("ada@contoso.example", "correct horse")
      local credential = provider("microsoft.com", "ada@contoso.example"):getCredential()
      local err = refused("accountExistsWithDifferentCredential", auth.signIn, auth, credential)
      equal(err.email, "ada@contoso.example")
      """)
  }

  @Test func `no. 2 an answer of status 200 is searched for failures in the right order`()
    async throws
  {
    try await Flow().runScripted(
      """
      local all = { providerId = "google.com", email = "a@x.example", needConfirmation = true,
        errorMessage = "FEDERATED_USER_ID_ALREADY_LINKED", mfaPendingCredential = "m",
        mfaInfo = { { mfaEnrollmentId = "E1" } }, pendingToken = "P" }
      local credential = Auth.GoogleAuthProvider.credential "i"
      for _, step in ipairs {
        { "accountExistsWithDifferentCredential", "needConfirmation" },
        { "credentialAlreadyInUse", "errorMessage" }, { "secondFactorRequired", "mfaInfo" },
      } do
        answer("signInWithIdp", 200, all)
        refused(step[1], auth.signIn, auth, credential)
        all[step[2]] = nil
        equal(auth.currentUser, nil)
      end
      all.mfaPendingCredential = nil
      answer("signInWithIdp", 200, all)
      refused("invalidUserToken", auth.signIn, auth, credential)
      -- false is no confirmation that is needed.
      accept("google.com", { needConfirmation = false })
      equal(auth:signIn(credential).user.uid, "U1")
      """)
  }

  @Test func `no. 3 the values of the posted body are percent-encoded`() async throws {
    try await Flow().runScripted(
      """
      local value = "a+b/c=d.e&f%g ü"
      accept "google.com"
      auth:signIn(Auth.GoogleAuthProvider.credential(value, value))
      local body = sent("signInWithIdp").postBody
      equal(body, ("providerId=google.com&id_token=%s&access_token=%s"):format(
        "a%2Bb%2Fc%3Dd.e%26f%25g%20%C3%BC", "a%2Bb%2Fc%3Dd.e%26f%25g%20%C3%BC"))
      equal(http.parseForm(body).id_token, value)
      """)
  }

  @Test func `no. 4 Azure's tenant and the Identity Platform's are two things`() async throws {
    try await Flow().runScripted(
      """
      auth.tenantID = "t1"
      local microsoft = Auth.OAuthProvider "microsoft.com"
      microsoft.customParameters = { tenant = "contoso.example" }
      answer("createAuthUri", 200, { authUri = "https://idp.example/?state=s", sessionId = "S" })
      local credential = microsoft:getCredential(function(page) return page.redirectURI .. "?code=c&state=s" end)
      equal(sent("createAuthUri").customParameter.tenant, "contoso.example")
      equal(sent("createAuthUri").tenantId, "t1")
      accept "microsoft.com"
      equal(auth:signIn(credential).user.tenantID, "t1")
      equal(sent("signInWithIdp").tenantId, "t1")
      """)
  }

  @Test func `no. 5 the session id of createAuthUri comes back unchanged`() async throws {
    try await Flow().runScripted(
      """
      answer("createAuthUri", 200, { authUri = "https://idp.example/?state=s", sessionId = "QWERTYUIOP" })
      local credential = Auth.OAuthProvider("google.com"):getCredential(function(page)
        return page.redirectURI .. "?code=c&state=s"
      end)
      equal(sent("createAuthUri").sessionId, nil, "the server makes it")
      accept "google.com"
      auth:signIn(credential)
      equal(sent("signInWithIdp").sessionId, "QWERTYUIOP")
      assert(sent("signInWithIdp").requestUri:find("?code=c&state=s", 1, true))
      """)
  }

  @Test func `no. 6 the raw nonce goes to the backend and its hash to the provider`() async throws {
    let issuer = try await TokenIssuer()
    defer { issuer.stop() }
    var runner = ScriptRunner()
    var own = ProviderConfiguration(id: "oidc.own")
    (own.issuer, own.clientID) = (issuer.origin, issuer.clientID)
    runner.project.providers["oidc.own"] = own
    let hash = "5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5"
    let tokens = [
      try issuer.idToken(["sub": "ada", "nonce": .string(hash)]),
      try issuer.idToken(["sub": "ada"]),
    ]
    try await Flow(runner: runner).run(
      """
      local withNonce, without = "\(tokens[0])", "\(tokens[1])"
      local credential = Auth.OAuthProvider.credential
      equal(crypto.sha256 "12345", "\(hash)")
      equal(crypto.claims(withNonce).nonce, crypto.sha256 "12345")
      refused("missingOrInvalidNonce", auth.signIn, auth, credential("oidc.own", withNonce, crypto.sha256 "12345"))
      refused("missingOrInvalidNonce", auth.signIn, auth, credential("oidc.own", withNonce))
      local user = auth:signIn(credential("oidc.own", withNonce, "12345")).user
      equal(auth:signIn(credential("oidc.own", without, nil)).user.uid, user.uid)
      """)
    try await Flow().runScripted(
      """
      for _, nonce in ipairs { false, "", "12345" } do
        accept "oidc.corp"
        auth:signIn(Auth.OAuthProvider.credential("oidc.corp", "i", nonce or nil))
        local fields = http.parseForm(sent("signInWithIdp").postBody)
        equal(fields.nonce, nonce ~= "" and nonce or nil)
      end
      """)
  }

  @Test func `no. 7 the pending token stands beside the posted body, and both are sent`()
    async throws
  {
    try await Flow().runScripted(
      """
      answer("signInWithIdp", 200, { providerId = "microsoft.com", needConfirmation = true,
        email = "a@x.example", oauthAccessToken = "a", pendingToken = "P" })
      local credential = Auth.GoogleAuthProvider.credential "i"
      local err = refused("accountExistsWithDifferentCredential", auth.signIn, auth, credential)
      accept "microsoft.com"
      auth:signIn(err.pendingCredential)
      equal(sent("signInWithIdp").pendingToken, "P")
      equal(sent("signInWithIdp").postBody, "providerId=microsoft.com&access_token=a")
      """)
  }

  @Test func `no. 8 the updated credential is made of a pending token alone, or is absent`()
    async throws
  {
    try await Flow().runScripted(
      """
      local credential = Auth.GoogleAuthProvider.credential "i"
      local conflict = { providerId = "saml.corp", needConfirmation = true, email = "a@x.example" }
      answer("signInWithIdp", 200, conflict)
      local err = refused("accountExistsWithDifferentCredential", auth.signIn, auth, credential)
      equal(err.pendingCredential, nil)
      assert(err.hint:find("getCredential", 1, true), err.hint)
      conflict.pendingToken = "P"
      answer("signInWithIdp", 200, conflict)
      local err = refused("accountExistsWithDifferentCredential", auth.signIn, auth, credential)
      equal(err.pendingCredential.providerID, "saml.corp")
      """)
  }

  @Test func `no. 9 after a conflict the updated credential is the one to use`() async throws {
    try await Flow().run(
      """
      auth:signIn(provider("yahoo.com", "yuki@yahoo.example"))
      local yuki = auth.currentUser.uid
      local user = auth:signInAnonymously().user
      local original = provider("yahoo.com", "yuki@yahoo.example"):getCredential()
      local err = refused("credentialAlreadyInUse", user.link, user, original)
      refused("invalidCredential", auth.signIn, auth, original)
      equal(auth:signIn(err.pendingCredential).user.uid, yuki)
      -- The updated one is not used up.
      equal(auth:signIn(err.pendingCredential).user.uid, yuki)
      emulator.advance(3601)
      refused("invalidCredential", auth.signIn, auth, err.pendingCredential)
      """)
  }

  @Test func `no. 10 a link refused for its address or identity carries both`() async throws {
    try await Flow().run(
      """
      auth:createUser("ada@contoso.example", "correct horse")
      auth:signIn(provider("yahoo.com", "yuki@yahoo.example"))
      auth:signOut()
      local user = auth:signInAnonymously().user
      local taken = refused("emailAlreadyInUse", user.link, user, provider("microsoft.com", "ada@contoso.example"))
      equal(taken.serverName, "EMAIL_EXISTS")
      equal(taken.email, "ada@contoso.example")
      equal(taken.pendingCredential.providerID, "microsoft.com")
      local linked = refused("credentialAlreadyInUse", user.link, user, provider("yahoo.com", "yuki@yahoo.example"))
      equal(linked.serverName, "FEDERATED_USER_ID_ALREADY_LINKED")
      equal(linked.email, "yuki@yahoo.example")
      equal(linked.pendingCredential.providerID, "yahoo.com")
      """)
  }

  @Test func `no. 11 a link can need a confirmation too`() async throws {
    try await Flow().runScripted(
      """
      accept "google.com"
      local user = auth:signIn(Auth.GoogleAuthProvider.credential "i").user
      local before = user.refreshToken
      answer("lookup", 200, { users = { { localId = "U1" } } })
      answer("signInWithIdp", 200, { providerId = "github.com", needConfirmation = true,
        email = "a@x.example", oauthAccessToken = "a" })
      local err = refused("accountExistsWithDifferentCredential", user.link, user, Auth.GitHubAuthProvider.credential "a")
      equal(err.pendingCredential.accessToken, "a")
      equal(user.refreshToken, before)
      """)
  }

  @Test func `no. 12 a reauthentication as somebody else fails, changes nothing, makes nobody`()
    async throws
  {
    try await Flow().run(
      """
      auth:signIn(provider("google.com", "grace@fabrikam.example"))
      local user = auth:signIn(provider("google.com", "ada@contoso.example")).user
      local token, refreshToken = user:getIDToken(), user.refreshToken
      refused("userMismatch", user.reauthenticate, user, provider("google.com", "grace@fabrikam.example"))
      refused("userMismatch", user.reauthenticate, user, provider("yahoo.com", "yuki@yahoo.example"))
      equal(user:getIDToken(), token)
      equal(user.refreshToken, refreshToken)
      equal(auth.currentUser, user)
      equal(auth:signIn(provider("yahoo.com", "yuki@yahoo.example")).additionalUserInfo.isNewUser, true)
      """)
    // Firebase's emulator makes the account whatever it is told, so at least it is named.
    try await Flow(runner: ScriptRunner(rules: .compatible)).run(
      """
      local function google(sub)
        return Auth.GoogleAuthProvider.credential(json.encode { sub = sub, email = sub .. "@x.example", email_verified = true })
      end
      local user = auth:signIn(google "ada").user
      local err = refused("userMismatch", user.reauthenticate, user, google "yuki")
      equal(auth.currentUser, user)
      equal(err.details.strayAccount, auth:signIn(google "yuki").user.uid)
      assert(err.hint:find("stray", 1, true), err.hint)
      """)
  }

  @Test func `no. 13 what is linked already is judged by the backend's list`() async throws {
    try await Flow().run(
      """
      local here, there = auth:session(), auth:session()
      local one = here:signIn(provider("microsoft.com", "ada@contoso.example")).user
      local other = there:signIn(provider("microsoft.com", "ada@contoso.example")).user
      one:link(provider("google.com", "ada@contoso.example"))
      equal(ways(other), "microsoft.com")
      refused("providerAlreadyLinked", other.link, other, provider("google.com", "ada@contoso.example"))
      one:unlink "google.com"
      other:link(provider("google.com", "ada@contoso.example"))
      """)
  }

  @Test func `no. 14 providerData has no order, and its uid is the raw one`() async throws {
    try await Flow().runScripted(
      """
      accept("google.com", nil, { localId = "U1", providerUserInfo = {
        { providerId = "google.com", rawId = "raw-1", federatedId = "https://accounts.google.com/raw-1" },
        { providerId = "yahoo.com", federatedId = "fed-2" },
      } })
      local user = auth:signIn(Auth.GoogleAuthProvider.credential "i").user
      equal(way(user, "google.com").uid, "raw-1")
      equal(way(user, "yahoo.com").uid, "fed-2")
      """)
  }

  @Test func `no. 15 under enumeration protection no ways are told, and no error either`()
    async throws
  {
    try await Flow().run(
      """
      auth:createUser("ada@contoso.example", "correct horse")
      equal(#auth:fetchProviders "ada@contoso.example", 0)
      equal(#auth:fetchProviders "nobody@contoso.example", 0)
      for _, email in ipairs { "ada@contoso.example", "nobody@contoso.example" } do
        local err = refused("invalidCredential", auth.signInWithEmail, auth, email, "battery staple")
        equal(err.rawValue, 17004)
        equal(err.serverName, "INVALID_LOGIN_CREDENTIALS")
      end
      """)
  }

  @Test func `no. 16 providers say password where methods say e-mail link`() async throws {
    try await Flow().run(
      """
      emulator.configure { enumerationProtection = false }
      auth:sendSignInLink("ada@contoso.example", { url = "http://localhost/", handleCodeInApp = true })
      auth:signInWithEmailLink("ada@contoso.example", emulator.oobCodes()[1].oobLink)
      equal(table.concat(auth:fetchProviders "ada@contoso.example", " "), "password")
      equal(table.concat(auth:fetchSignInMethods "ada@contoso.example", " "), "emailLink")
      """)
  }

  @Test func `no. 17 the old spellings work`() async throws {
    try await Flow().run(
      """
      equal(Auth(), Auth.auth())
      local credential = provider("yahoo.com", "yuki@yahoo.example"):getCredentialWith(nil)
      local user = Auth():signInAndRetrieveData(credential).user
      user:linkAndRetrieveData(provider("google.com", "ada@contoso.example"):getCredential())
      user:reauthenticateAndRetrieveData(provider("google.com", "ada@contoso.example"):getCredential())
      equal(ways(user), "google.com yahoo.com")
      """)
  }
}
