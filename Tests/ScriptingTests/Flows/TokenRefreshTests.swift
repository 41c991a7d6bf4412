import Testing

/// When tokens are renewed, and what ends a session, against the emulator.
@Suite(.serialized, .timeLimit(.minutes(1))) struct TokenRefreshTests {
  private func renewals(_ trace: [String]) -> Int {
    trace.filter { $0.contains("securetoken.googleapis.com/v1/token") }.count
  }

  @Test func `9.30 many who wait for a token share one refresh`() async throws {
    let trace = try await Flow().run(
      """
      local user = auth:createUser("ada@x.example", "correct horse").user
      local before = user:getIDToken()
      emulator.setFaults { { operation = "token", latency = 30 } }
      emulator.advance(3301)
      local tasks = {}
      for index = 1, 40 do
        tasks[index] = function()
          if index % 4 == 0 then user:reload() end
          return user:getIDToken()
        end
      end
      local tokens = task.all(tasks)
      for _, token in ipairs(tokens) do equal(token, tokens[1]) end
      assert(tokens[1] ~= before)
      equal(emulator.listFaults()[1].seen, 1)
      """)
    #expect(renewals(trace) == 1)
  }

  @Test func `forced refreshes at the same time are one as well`() async throws {
    let trace = try await Flow().run(
      """
      local user = auth:createUser("ada@x.example", "correct horse").user
      emulator.setFaults { { operation = "token", latency = 30 } }
      local tasks = {}
      for index = 1, 20 do tasks[index] = function() return user:getIDToken(true) end end
      task.all(tasks)
      user:getIDToken(true)
      """)
    #expect(renewals(trace) == 2)
  }

  @Test func `one who gives up waiting does not take the others along`() async throws {
    try await Flow().run(
      """
      local user = auth:createUser("ada@x.example", "correct horse").user
      emulator.setFaults { { operation = "token", latency = 50 } }
      emulator.advance(3600)
      local first = task.spawn(function() return user:getIDToken() end)
      task.sleep(0)
      local others = {}
      for index = 1, 3 do others[index] = task.spawn(function() return user:getIDToken() end) end
      task.sleep(0)
      first:cancel()
      for _, other in ipairs(others) do equal(type(other:await()), "string") end
      equal(auth.currentUser, user)
      """)
  }

  @Test func `9.30 a token is renewed five minutes before its end, and auth_time stays`()
    async throws
  {
    let trace = try await Flow().run(
      """
      local user = auth:createUser("ada@x.example", "correct horse").user
      local first = user:getIDTokenResult()
      emulator.advance(3290)
      equal(user:getIDToken(), first.token)
      emulator.advance(20)
      local second = user:getIDTokenResult()
      assert(second.token ~= first.token)
      equal(second.authDate, first.authDate)
      assert(second.issuedAtDate >= first.issuedAtDate + 3290)
      refused("requiresRecentLogin", user.updatePassword, user, "battery staple")
      user:reauthenticate(Auth.EmailAuthProvider.credential("ada@x.example", "correct horse"))
      assert(user:getIDTokenResult().authDate > first.authDate)
      user:updatePassword("battery staple")
      """)
    #expect(renewals(trace) == 1)
  }

  @Test func `9.39 a link refreshes an old token first`() async throws {
    let trace = try await Flow().run(
      """
      local user = auth:signInAnonymously().user
      emulator.advance(7200)
      user:link(Auth.EmailAuthProvider.credential("ada@x.example", "correct horse"))
      equal(user.isAnonymous, false)
      emulator.advance(7200)
      user:link(provider("yahoo.com", "yuki@yahoo.example"))
      equal(ways(user), "password yahoo.com")
      """)
    #expect(renewals(trace) == 2)
  }

  /// The operations after which a session that is over signs the user out, and those after which not.
  private static let operations = [
    ("getIDToken", "token", "user:getIDToken(true)", true),
    ("reload", "lookup", "user:reload()", true),
    ("unlink", "update", "user:unlink 'yahoo.com'", true),
    ("updateProfile", "update", "user:updateProfile { displayName = 'Ada' }", true),
    ("updatePassword", "update", "user:updatePassword 'battery staple'", true),
    ("linkWithPassword", "signUp", "user:link(password)", true),
    ("link", "signInWithIdp", "user:link(provider('google.com', 'barbara@corp.example'))", true),
    ("verification", "sendOobCode", "user:sendEmailVerification()", true),
    ("updateEmail", "update", "user:updateEmail('new@x.example')", true),
    ("delete", "delete", "user:delete()", false),
    (
      "newAddress", "sendOobCode", "user:sendEmailVerificationBeforeUpdatingEmail('new@x.example')",
      false
    ),
    ("linkByLetter", "signInWithEmailLink", "user:link(letter)", false),
    ("reauthenticate", "signInWithIdp", "user:reauthenticate(yahoo)", false),
  ]

  @Test(arguments: operations)
  func `a session that is over signs the user out where the SDK does`(
    _ name: String, _ operation: String, _ call: String, _ isOver: Bool
  ) async throws {
    try await Flow().run(
      """
      local password = Auth.EmailAuthProvider.credential("ada@x.example", "correct horse")
      local yahoo = provider("yahoo.com", "yuki@yahoo.example")
      local letter = Auth.EmailAuthProvider.credentialWithLink("ada@x.example",
        "https://x.example/?apiKey=k&mode=signIn&oobCode=c")
      local rows = {
        { "TOKEN_EXPIRED", "userTokenExpired" }, { "USER_DISABLED", "userDisabled" },
        { "USER_NOT_FOUND", "userNotFound", reauthenticate = "userMismatch" },
        { "INVALID_ID_TOKEN", "invalidUserToken" },
      }
      for _, row in ipairs(rows) do
        local user = auth:signIn(yahoo).user
        emulator.setFaults { { operation = "\(operation)", error = row[1] } }
        refused(row.\(name) or row[2], function() \(call) end)
        emulator.setFaults {}
        equal(auth.currentUser == nil, \(isOver), row[1])
      end
      -- What says nothing about the session leaves the user signed in.
      local user = auth:signIn(yahoo).user
      for _, error in ipairs { "OPERATION_NOT_ALLOWED", "TOO_MANY_ATTEMPTS_TRY_LATER" } do
        emulator.setFaults { { operation = "\(operation)", error = error } }
        pcall(function() \(call) end)
        equal(auth.currentUser, user, error)
      end
      """)
  }

  @Test func `what an administrator does to an account ends its session`() async throws {
    try await Flow().run(
      """
      local other = Auth.session()
      local function sign(session)
        return session:signIn { email = "ada@x.example", password = "correct horse" }.user
      end
      local uid = auth:createUser("ada@x.example", "correct horse").user.uid
      sign(other)
      flows.change(uid, { disableUser = true })
      refused("userDisabled", auth.currentUser.getIDToken, auth.currentUser, true)
      equal(auth.currentUser, nil)
      equal(other.currentUser.uid, uid, "the session of another Auth")
      flows.change(uid, { disableUser = false })
      sign(auth)
      emulator.advance(2)
      flows.change(uid, { validSince = tostring(auth.currentUser:getIDTokenResult().issuedAtDate + 1) })
      refused("userTokenExpired", auth.currentUser.reload, auth.currentUser)
      equal(auth.currentUser, nil)
      sign(auth)
      flows.owned("v1/projects/PROJECT/accounts:delete", { localId = uid })
      refused("userNotFound", auth.currentUser.reload, auth.currentUser)
      equal(auth.currentUser, nil)
      """)
  }

  @Test func `a session that is over leaves whoever signed in meanwhile`() async throws {
    try await Flow().run(
      """
      local ada = auth:createUser("ada@x.example", "correct horse").user
      local bob = auth:createUser("bob@x.example", "correct horse").user
      flows.change(ada.uid, { disableUser = true })
      refused("userDisabled", ada.reload, ada)
      equal(auth.currentUser, bob)
      """)
  }
}
