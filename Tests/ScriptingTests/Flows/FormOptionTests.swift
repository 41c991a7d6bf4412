import Scripting
import Testing

@Suite(.timeLimit(.minutes(1))) struct FormOptionTests {
  @Test func `a sign-in that takes longer than its timeout is given up`() async throws {
    try await Flow().run(
      """
      local one = provider("microsoft.com", "ada@contoso.example")
      local err = refused("webContextTimedOut", one.getCredential, one,
        form("ada@contoso.example", { timeout = 0.000001 }))
      equal(err.details.reason, "timedOut")
      assert(one:getCredential(form("ada@contoso.example", { timeout = 86400 })))
      """)
  }

  @Test func `a kept session spares the password, and another delegate knows nothing of it`()
    async throws
  {
    let trace = try await Flow().run(
      """
      local one = provider("google.com")
      local kept = form("ada@contoso.example", { keepsSession = true })
      for _ = 1, 2 do assert(auth:signIn(one:getCredential(kept)).user.uid) end
      http.get(emulator.origin .. "/emulator/v1/clock")
      assert(auth:signIn(one:getCredential(form "ada@contoso.example")).user.uid)
      """)
    let flows = trace.split { $0.contains("emulator/v1/clock") }
    let counts = flows.map { lines in lines.filter { $0.contains("accounts.google.com") }.count }
    try #require(counts.count == 2)
    #expect(counts[0] < 2 * counts[1], "\(trace)")
  }

  @Test func `pages speak the delegate's language, else that of the Auth`() async throws {
    try await Flow().run(
      """
      local wrong = { password = "not-the-password" }
      local function title(answers)
        local one = Auth.OAuthProvider("microsoft.com", auth)
        local err = refused("webCredentialsRefused", one.getCredential, one, form("ada@contoso.example", answers))
        return err.details.title
      end
      local english = title(wrong)
      auth.languageCode = "fr"
      local french = title(wrong)
      assert(french ~= english, english)
      equal(title { password = wrong.password, language = "en" }, english)
      auth.languageCode = nil
      equal(title { password = wrong.password, language = "fr" }, french)
      """)
  }
}
