import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct YahooTests {
  // S1 S2 S5 S9
  @Test func `a person signs in with the permissions the app has`() async throws {
    try await Flow().run(
      """
      local yahoo = provider("yahoo.com", "yuki@yahoo.example", { prompt = "login", language = "fr" })
      yahoo.scopes = { "mail-r", "sdct-w" }
      local result = auth:signIn(yahoo:getCredential(function(page)
        local query = http.parseForm(page.url)
        equal(query.prompt, "login")
        equal(query.language, "fr")
        equal(query.scope, "openid profile email mail-r sdct-w")
        local start = http.get(page.url)
        local first = http.get(emulator.origin .. start:header "location",
          { headers = { Cookie = start:header("set-cookie"):match "[^;]+" } })
        assert(first.body:find('lang="fr', 1, true), "the page is not in French")
        return ui.show(form "yuki@yahoo.example", page.url, page.redirectURI)
      end))
      equal(result.additionalUserInfo.isNewUser, true)
      equal(result.additionalUserInfo.providerID, "yahoo.com")
      equal(result.user.email, "yuki@yahoo.example")
      equal(result.user.photoURL, "https://s.yimg.example/yuki.png")
      assert(result.credential.accessToken and result.credential.idToken)
      """)
  }

  // S11
  @Test func `the access token opens the profile under the person's uid`() async throws {
    try await Flow().run(
      """
      local result = auth:signIn(provider("yahoo.com", "yuki@yahoo.example"))
      local uid = way(result.user, "yahoo.com").uid
      equal(result.additionalUserInfo.profile.sub, uid)
      local function profile(of, token)
        return http.get(("https://social.yahooapis.com/v1/user/%s/profile?format=json"):format(of), { bearer = token })
      end
      local token = result.credential.accessToken
      local answer = profile(uid, token)
      equal(answer.status, 200)
      equal(answer:json().profile.guid, uid)
      equal(answer:json().profile.givenName, "Yuki")
      equal(profile("SOMEBODYELSE", token).status, 403)
      equal(profile(uid, nil).status, 401)
      equal(profile(uid, "guessed").status, 401)
      -- A token of another provider opens nothing here.
      local other = auth:signIn(provider("microsoft.com", "ada@contoso.example")).credential.accessToken
      equal(profile(uid, other).status, 401)
      """)
  }

  // S6
  @Test(arguments: [
    #"{ "mail-r" }"#, #"{ "mail-r", "sdct-r" }"#, #"{ "mail-r", "sdct-w", "one-more" }"#,
    #"{ "sdct-w" }"#,
  ])
  func `scopes that are not the app's permissions fail on Yahoo's page`(_ scopes: String)
    async throws
  {
    try await Flow().run(
      """
      local yahoo = provider("yahoo.com", "yuki@yahoo.example")
      yahoo.scopes = \(scopes)
      local err = refused("webSignInUserInteractionFailure", yahoo.getCredential, yahoo)
      assert(err.message:find("invalid_scope", 1, true) or err.serverName == "invalid_scope", tostring(err))
      equal(auth.currentUser, nil)
      """)
  }

  // S6
  @Test func `the order of the scopes does not matter, and none are needed`() async throws {
    try await Flow().run(
      """
      local yahoo = provider("yahoo.com", "yuki@yahoo.example")
      yahoo.scopes = { "sdct-w", "mail-r" }
      local uid = auth:signIn(yahoo).user.uid
      yahoo.scopes = {}
      equal(auth:signIn(yahoo).user.uid, uid)
      """)
  }
}
