import Testing

/// Scripts whose backend answers badly: what is sent again, and what the errors say.
@Suite(.timeLimit(.minutes(2))) struct BadAnswerTests {
  @Test func `what reads or renews gets through lost answers`() async throws {
    try await Flow().run(
      """
      local user = auth:signInAnonymously().user
      for _, fault in ipairs {
        { operation = "lookup", drop = true, count = 2 },
        { operation = "lookup", cutAfter = 20, count = 1 },
        { operation = "lookup", error = "503", count = 1 },
        { operation = "lookup", error = "UNAVAILABLE", retryAfter = 0, count = 1 },
      } do
        emulator.setFaults { fault }
        user:reload()
        local seen = emulator.listFaults()[1]
        equal(seen.struck, fault.count)
      end
      for _, fault in ipairs {
        { operation = "token", drop = true, count = 2 },
        { operation = "token", error = "RESOURCE_EXHAUSTED", count = 1 },
      } do
        emulator.setFaults { fault }
        assert(#user:getIDToken(true) > 0)
        equal(emulator.listFaults()[1].struck, fault.count)
      end
      """)
  }

  @Test func `what changes something is sent once, whatever happens to the answer`() async throws {
    try await Flow().run(
      """
      local function users()
        local answer = http.get("https://identitytoolkit.googleapis.com/v1/projects/demo-luath/"
          .. "accounts:batchGet", { headers = { Authorization = "Bearer owner" } })
        return #(answer:json().users or {})
      end
      -- A kept connection, which dies before the first byte of the answer.
      auth:signInAnonymously()
      for index, fault in ipairs { { drop = true }, { cutAfter = 10 } } do
        fault.operation, fault.count = "signUp", 1
        emulator.setFaults { fault }
        local before = users()
        local email = "once-" .. index .. "@b.example"
        local err = refused("networkError", auth.createUser, auth, email, "correct horse")
        assert(err.hint ~= "")
        equal(emulator.listFaults()[1].seen, 1)
        equal(users(), before + 1)
      end
      """)
  }

  @Test func `a task that is given up waits for no other try`() async throws {
    try await Flow().run(
      """
      local user = auth:signInAnonymously().user
      emulator.setFaults { { operation = "lookup", error = "503", retryAfter = 20 } }
      local patient = task.spawn(user.reload, user)
      while emulator.listFaults()[1].seen == 0 do task.sleep(0) end
      patient:cancel()
      refused("cancelled", patient.await, patient)
      equal(emulator.listFaults()[1].seen, 1)
      """)
  }

  @Test func `a busy backend and a foreign one are told apart`() async throws {
    try await Flow().run(
      """
      emulator.setFaults { { operation = "signUp", error = "503", retryAfter = 9 } }
      local err = refused("networkError", auth.signInAnonymously, auth)
      assert(err.message:find("status 503", 1, true) and err.message:find("wait 9 s", 1, true))
      equal(err.details.status, 503)
      emulator.setFaults { { operation = "signUp", error = "429" } }
      refused("tooManyRequests", auth.signInAnonymously, auth)
      emulator.setFaults { { operation = "signUp", error = "RESOURCE_EXHAUSTED", retryAfter = 9 } }
      err = refused("quotaExceeded", auth.signInAnonymously, auth)
      assert(err.hint:find("asks to wait 9 s", 1, true))
      emulator.setFaults { { operation = "signUp", error = "404" } }
      err = refused("internalError", auth.signInAnonymously, auth)
      assert(err.message:find("web page instead of JSON", 1, true))
      """)
  }

  @Test(arguments: [
    ("empty", "internalError", "is empty"), ("page", "internalError", "web page instead of JSON"),
    ("refused-page", "internalError", "status 403"), ("list", "internalError", "not a JSON object"),
    ("truncated", "internalError", "JSON that ends too early"),
    ("text", "internalError", "not JSON"),
    ("damaged", "internalError", "damaged JSON"), ("nameless", "internalError", "no error"),
    ("google", "networkError", "cannot answer now: The service is"),
    ("busy", "tooManyRequests", "status 429"),
    ("quota", "quotaExceeded", "Quota exceeded"), ("unknown", "internalError", "SOMETHING_NEW"),
    ("tokens", "invalidUserToken", "no tokens"),
  ])
  func `a strange answer is told for what it is, and its call sent once`(
    _ name: String, _ code: String, _ words: String
  ) async throws {
    let backend = try StrangeBackend()
    defer { backend.stop() }
    var flow = Flow()
    flow.runner.origin = try await backend.start()
    try await flow.run(
      """
      local err = refused("\(code)", auth.createUser, auth, "\(name)@b.example", "correct horse")
      assert(err.message:find("\(words)", 1, true), err.message)
      assert(not tostring(err):find("eyJ", 1, true), "a token is quoted")
      assert(not auth.currentUser)
      """)
    #expect(backend.count(name) == 1)
  }

  @Test(arguments: [("google", 4), ("truncated", 1), ("page", 1), ("quota", 4)])
  func `a question is asked again only where another answer may come`(
    _ name: String, _ count: Int
  ) async throws {
    let backend = try StrangeBackend()
    defer { backend.stop() }
    var flow = Flow()
    flow.runner.origin = try await backend.start()
    try await flow.run(
      """
      assert(not pcall(auth.fetchProviders, auth, "\(name)@b.example"))
      """)
    #expect(backend.count(name) == count)
  }
}
