import Testing

/// What is easy to get wrong about a user's state, each by its number in the list of such things.
@Suite(.serialized, .timeLimit(.minutes(1))) struct UserStateTests {
  @Test func `9.12 a reauthentication as somebody else changes nothing and makes nobody`()
    async throws
  {
    try await Flow().run(
      """
      local function count() return #flows.owned("v1/projects/PROJECT/accounts:query", {}).userInfo end
      local other = Auth.session():createUser("bob@x.example", "battery staple").user
      local user = auth:createUser("ada@x.example", "correct horse").user
      local token, refreshToken = user:getIDToken(), user.refreshToken
      local heard = 0
      auth:onIDTokenChanged(function() heard = heard + 1 end)
      task.sleep(0)
      emulator.advance(1)
      local accounts = count()
      for _, proof in ipairs {
        Auth.EmailAuthProvider.credential("bob@x.example", "battery staple"),
        provider("yahoo.com", "yuki@yahoo.example"),
      } do
        local err = refused("userMismatch", user.reauthenticate, user, proof)
        equal(err.rawValue, 17024)
        equal(count(), accounts, "a stray account")
        equal(user:getIDToken(), token)
        equal(user.refreshToken, refreshToken)
        equal(auth.currentUser, user)
      end
      task.sleep(0)
      equal(heard, 1)
      other:reload()
      """)
  }

  @Test func `9.13 what a user is linked to is read again before a link`() async throws {
    try await Flow().run(
      """
      local here = auth:createUser("ada@x.example", "correct horse").user
      local elsewhere = Auth.session():signInWithEmail("ada@x.example", "correct horse").user
      elsewhere:link(provider("yahoo.com", "yuki@yahoo.example"))
      equal(ways(here), "password", "the object's own list")
      local err = refused("providerAlreadyLinked", here.link, here, provider("yahoo.com", "yuki@yahoo.example"))
      equal(err.rawValue, 17015)
      equal(ways(here), "password yahoo.com")
      -- The other way round: it is not linked any more, although the object says so.
      elsewhere:unlink("yahoo.com")
      equal(ways(here), "password yahoo.com")
      here:link(provider("yahoo.com", "yuki@yahoo.example"))
      refused("noSuchProvider", elsewhere.unlink, elsewhere, "google.com")
      elsewhere:unlink("yahoo.com")
      refused("noSuchProvider", here.unlink, here, "yahoo.com")
      """)
  }

  @Test func `9.14 a provider's data is found by its id, and its uid is the provider's`()
    async throws
  {
    try await Flow().run(
      """
      local user = auth:createUser("ada@x.example", "correct horse").user
      for _, id in ipairs { "yahoo.com", "google.com", "microsoft.com" } do
        user:link(provider(id, id == "yahoo.com" and "yuki@yahoo.example" or "ada@contoso.example"))
      end
      local identities = user:getIDTokenResult().claims.firebase.identities
      for _, id in ipairs { "google.com", "microsoft.com", "yahoo.com" } do
        equal(way(user, id).uid, identities[id][1], id)
        assert(way(user, id).uid ~= user.uid)
      end
      equal(way(user, "password").uid, "ada@x.example")
      equal(way(user, "github.com"), nil)
      """)
  }

  @Test func `9.26 a field is cleared by false or an empty text, and left alone by nil`()
    async throws
  {
    try await Flow().run(
      """
      local user = auth:createUser("ada@x.example", "correct horse").user
      local function profile()
        local there = Auth.session():signInWithEmail("ada@x.example", "correct horse").user
        equal(user.displayName, there.displayName)
        equal(user.photoURL, there.photoURL)
        return ("%s %s"):format(there.displayName, there.photoURL)
      end
      user:updateProfile { displayName = "Ada", photoURL = "https://x.example/a.png" }
      equal(profile(), "Ada https://x.example/a.png")
      user:updateProfile { displayName = nil, photoURL = false }
      equal(profile(), "Ada nil")
      user:updateProfile { displayName = "" }
      equal(profile(), "nil nil")
      user:updateProfile {}
      equal(profile(), "nil nil")
      """)
  }

  @Test func `9.31 signing out asks nobody, and deleting does and then signs out`() async throws {
    let trace = try await Flow().run(
      """
      local user = auth:createUser("ada@x.example", "correct horse").user
      http.get(emulator.origin .. "/mark")
      auth:signOut()
      equal(auth.currentUser, nil)
      http.get(emulator.origin .. "/mark")
      -- The account and its tokens stay as they were.
      user:getIDToken(true)
      auth:updateCurrentUser(user)
      emulator.advance(600)
      refused("requiresRecentLogin", user.delete, user)
      equal(auth.currentUser, user, "a refused deletion signs nobody out")
      user:reauthenticate(Auth.EmailAuthProvider.credential("ada@x.example", "correct horse"))
      user:delete()
      equal(auth.currentUser, nil)
      refused("invalidCredential", auth.signInWithEmail, auth, "ada@x.example", "correct horse")
      """)
    let marks = trace.indices.filter { trace[$0].contains(" mark ") }
    #expect(marks.count == 2 && marks[1] == marks[0] + 1)
    #expect(trace.filter { $0.contains("accounts:delete") }.count == 2)
  }
}
