@testable import Host
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct PageLanguageTests {
  @Test func `the page speaks the language of the Auth, unless the script says another`()
    async throws
  {
    try await Flow().run(
      """
      local function parameters(id, own)
        local one, seen = provider(id, "ada@contoso.example", own), nil
        pcall(one.getCredential, one, function(page)
          assert(page.language == auth.languageCode)
          seen = http.parseForm(page.url)
        end)
        return assert(seen)
      end
      equal(parameters("oidc.corp").ui_locales, nil)
      auth.languageCode = "fr"
      equal(parameters("oidc.corp").ui_locales, "fr")
      equal(parameters("google.com").hl, "fr")
      equal(parameters("yahoo.com").language, "fr")
      equal(parameters("oidc.corp", { ui_locales = "ja" }).ui_locales, "ja")
      -- Microsoft documents none, and the browser's own language is asked for there.
      for name in pairs(parameters "microsoft.com") do
        assert(not ({ ui_locales = 1, hl = 1, mkt = 1, lang = 1, locale = 1 })[name], name)
      end
      local one = provider("oidc.corp", "barbara@corp.example")
      local title
      pcall(one.getCredential, one, function(page)
        local start = http.get(page.url)
        local cookie = start.headers["set-cookie"]:match "^[^;]+"
        local login = http.get(emulator.origin .. start.headers.location, { headers = { Cookie = cookie } })
        title = login.body:match 'html lang="(%a+)"'
      end)
      equal(title, "fr")
      """)
  }

  @Test func `a page may come back to any address of this machine`() async throws {
    try await Flow().run(
      """
      for _, address in ipairs { "http://127.0.0.1:4711/cb", "http://localhost:4712/", "http://[::1]:4713/cb" } do
        local answer = http.post(emulator.origin .. "/identitytoolkit.googleapis.com/v1/accounts:createAuthUri?key=k",
          { json = { providerId = "oidc.corp", continueUri = address } }):json()
        local ended = ui.show(form "barbara@corp.example", answer.authUri, address)
        equal(ended:sub(1, #address), address)
        local result = http.post(emulator.origin .. "/identitytoolkit.googleapis.com/v1/accounts:signInWithIdp?key=k",
          { json = { requestUri = ended, sessionId = answer.sessionId, returnSecureToken = true } }):json()
        equal(result.email, "barbara@corp.example")
      end
      """)
  }
}
