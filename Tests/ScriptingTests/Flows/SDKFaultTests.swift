import Testing

/// Where Apple's SDK is known to do the wrong thing, luath does the right one.
@Suite(.serialized, .timeLimit(.minutes(1))) struct SDKFaultTests {
  @Test func `a user mismatch raises, where the async reauthenticate of the SDK succeeds`()
    async throws
  {
    try await Flow().run(
      """
      auth:signIn(provider("yahoo.com", "yuki@yahoo.example"))
      local ada = auth:signIn(provider("google.com", "ada@contoso.example")).user
      local before = ada.refreshToken
      local ok, err = pcall(ada.reauthenticate, ada, provider("yahoo.com", "yuki@yahoo.example"))
      equal(ok, false)
      equal(err.code, "userMismatch")
      equal(ada.refreshToken, before)
      equal(auth.currentUser.uid, ada.uid)
      """)
  }

  @Test func `a lost pending token: it is kept, alone and beside other tokens`() async throws {
    try await Flow().runScripted(
      """
      for _, tokens in ipairs { {}, { oauthAccessToken = "a" }, { oauthIdToken = "i", oauthTokenSecret = "s" } } do
        tokens.providerId, tokens.needConfirmation, tokens.pendingToken = "saml.corp", true, "the-pending-token"
        answer("signInWithIdp", 200, tokens)
        local err = refused("accountExistsWithDifferentCredential", auth.signIn, auth, Auth.GoogleAuthProvider.credential "i")
        accept "saml.corp"
        auth:signIn(err.pendingCredential)
        equal(sent("signInWithIdp").pendingToken, "the-pending-token")
      end
      """)
  }

  @Test func `an unescaped posted body: every value arrives as it was`() async throws {
    try await Flow().runScripted(
      """
      for _, value in ipairs { "a&providerId=evil.com", "a=b", "a+b", "100%41", "ü€", " " } do
        accept "google.com"
        auth:signIn(Auth.GoogleAuthProvider.credential(value))
        local fields = http.parseForm(sent("signInWithIdp").postBody)
        equal(fields.id_token, value)
        equal(fields.providerId, "google.com")
      end
      """)
  }

  @Test func `a stray account of a refused reauthenticate is not made, or named`() async throws {
    try await Flow().run(
      """
      local ada = auth:signIn(provider("google.com", "ada@contoso.example")).user
      local err = refused("userMismatch", ada.reauthenticate, ada, provider("yahoo.com", "yuki@yahoo.example"))
      equal((err.details or {}).strayAccount, nil)
      local known = http.post(emulator.origin .. "/identitytoolkit.googleapis.com/v1/projects/" .. host.projectID
        .. "/accounts:query", { bearer = "owner", json = { returnUserInfo = true } }):json()
      equal(#known.userInfo, 1)
      """)
    try await Flow().runScripted(
      """
      accept "google.com"
      local user = auth:signIn(Auth.GoogleAuthProvider.credential "i").user
      accept("google.com", { localId = "U2", isNewUser = true })
      local err = refused("userMismatch", user.reauthenticate, user, Auth.GoogleAuthProvider.credential "j")
      equal(sent("signInWithIdp").autoCreate, false)
      equal(err.details.strayAccount, "U2")
      """)
  }

  @Test func `a link that needs a confirmation is an error, where the SDK crashes`() async throws {
    try await Flow().runScripted(
      """
      accept "google.com"
      local user = auth:signIn(Auth.GoogleAuthProvider.credential "i").user
      answer("lookup", 200, { users = { { localId = "U1" } } })
      answer("signInWithIdp", 200, { providerId = "github.com", needConfirmation = true, pendingToken = "P" })
      refused("accountExistsWithDifferentCredential", user.link, user, Auth.GitHubAuthProvider.credential "a")
      equal(auth.currentUser, user)
      """)
  }
}
