@testable import Host
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

  @Test func `a kept session is known again, and no other delegate has it`() async throws {
    try await Flow().run(
      """
      local one = provider("google.com", "ada@contoso.example")
      local silent = provider("google.com", "ada@contoso.example", { prompt = "none" })
      local kept = form("ada@contoso.example", { keepsSession = true })
      assert(one:getCredential(kept))
      assert(auth:signIn(silent:getCredential(kept)).user.uid)
      local err = refused("webSignInUserInteractionFailure", silent.getCredential, silent,
        form "ada@contoso.example")
      equal(err.serverName, "login_required")
      """)
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
