import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct AliasTests {
  // S28
  @Test(arguments: [
    "Auth()", "Auth.auth()", "Auth.auth {}",
  ])
  func `the default Auth has several spellings`(_ spelling: String) async throws {
    try await Flow().run(
      "equal(tostring(\(spelling)), tostring(auth)) equal(\(spelling) == auth, true)")
  }

  // S28
  @Test(arguments: [
    "getCredential", "getCredentialWith", "credentialWithUIDelegate", "credential",
  ])
  func `a credential is got by every spelling`(_ spelling: String) async throws {
    try await Flow().run(
      """
      local microsoft = provider("microsoft.com", "ada@contoso.example")
      equal(auth:signIn(microsoft:\(spelling)(nil)).user.email, "ada@contoso.example")
      equal(auth:signIn(microsoft:\(spelling)(form "ada@contoso.example")).user.email, "ada@contoso.example")
      """)
  }

  // S28
  @Test(arguments: [
    "signIn", "signInWithCredential", "signInAndRetrieveData",
    "signInAndRetrieveDataWithCredential",
  ])
  func `a credential signs in by every spelling`(_ spelling: String) async throws {
    try await Flow().run(
      """
      local result = auth:\(spelling)(provider("yahoo.com", "yuki@yahoo.example"):getCredential())
      equal(result.user.email, "yuki@yahoo.example")
      equal(result.additionalUserInfo.isNewUser, true)
      assert(result.credential.accessToken)
      """)
  }

  // S28
  @Test(arguments: [
    "link", "linkWithCredential", "linkAndRetrieveData", "linkAndRetrieveDataWithCredential",
    "linkWithPopup", "linkWithRedirect",
  ])
  func `a link has many spellings, each with a credential or a page`(_ spelling: String)
    async throws
  {
    try await Flow().run(
      """
      local user = auth:signInAnonymously().user
      user:\(spelling)(provider("yahoo.com", "yuki@yahoo.example"):getCredential())
      user:\(spelling)(provider("google.com", "yuki@yahoo.example"))
      user:\(spelling)(provider("microsoft.com", "ada@contoso.example"), form "ada@contoso.example")
      equal(ways(user), "google.com microsoft.com yahoo.com")
      """)
  }

  // S28
  @Test(arguments: [
    "reauthenticate", "reauthenticateWithCredential", "reauthenticateAndRetrieveData",
    "reauthenticateAndRetrieveDataWithCredential", "reauthenticateWithPopup",
    "reauthenticateWithRedirect",
  ])
  func `so has a reauthentication`(_ spelling: String) async throws {
    try await Flow().run(
      """
      local yahoo = provider("yahoo.com", "yuki@yahoo.example")
      local user = auth:signIn(yahoo).user
      emulator.advance(400)
      refused("requiresRecentLogin", user.delete, user)
      user:\(spelling)(yahoo:getCredential())
      user:\(spelling)(yahoo)
      user:delete()
      """)
  }

  // S28
  @Test func `the ways of an address and the password have them too`() async throws {
    try await Flow().run(
      """
      emulator.configure { enumerationProtection = false }
      local user = auth:createUserWithEmailAndPassword("a@b.example", "correct horse").user
      equal(auth:signInWithEmailAndPassword("a@b.example", "correct horse").user.uid, user.uid)
      for _, name in ipairs { "fetchProviders", "fetchProvidersForEmail", "fetchSignInMethods", "fetchSignInMethodsForEmail" } do
        local found = auth[name](auth, "a@b.example")
        equal(#found, 1, name)
        assert(found:contains(Auth.EmailAuthProviderID))
      end
      equal(Auth.EmailAuthProviderID, "password")
      equal(user:getIDTokenForcingRefresh(true) ~= nil, true)
      auth.currentUser:link(provider("google.com", "ada@contoso.example"))
      equal(ways(auth.currentUser:unlinkFromProvider "google.com"), "password")
      equal(auth:signInWithPopup(provider("yahoo.com", "yuki@yahoo.example")).user.email, "yuki@yahoo.example")
      """)
  }

  // S28
  @Test func `a spelling that never was is refused with a guess`() async throws {
    try await Flow().run(
      """
      mistake("signIn", function() return auth.signln end)
      mistake("Auth", function() return Auth.OAuthProvidr end)
      """)
  }
}
