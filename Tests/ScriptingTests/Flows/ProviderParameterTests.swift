import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct ProviderParameterTests {
  private static let common = ["client_id", "response_type", "redirect_uri", "state", "scope"]

  // S3
  @Test(arguments: ["microsoft.com", "yahoo.com", "oidc.corp"])
  func `reserved parameters are refused by name`(_ id: String) async throws {
    let names = Self.common + (id == "yahoo.com" ? [] : ["response_mode"])
    let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
    try await Flow().run(
      """
      local one = Auth.OAuthProvider "\(id)"
      one.customParameters = { prompt = "login" }
      for _, name in ipairs { \(list) } do
        local function set() one.customParameters = { [name] = "mine" } end
        local err = refused("invalidCustomParameter", set)
        assert(err.message:find(name, 1, true) and err.message:find("\(id)", 1, true), tostring(err))
        equal(one.customParameters.prompt, "login", "the parameters after a refusal")
        -- And when the script put it into the table later.
        one.customParameters[name] = "mine"
        refused("invalidCustomParameter", one.getCredential, one)
        refused("invalidCustomParameter", auth.signIn, auth, one)
        one.customParameters[name] = nil
      end
      """)
  }

  // S3
  @Test func `Yahoo does not reserve the response mode`() async throws {
    try await Flow().run(
      """
      local yahoo = provider("yahoo.com", "yuki@yahoo.example", { response_mode = "query" })
      equal(auth:signIn(yahoo).user.email, "yuki@yahoo.example")
      """)
  }

  // S2 S3 S4
  @Test func `what the backend refuses beyond that is told as a parameter too`() async throws {
    try await Flow().run(
      """
      for name, value in pairs { nonce = "x", code_challenge = "x", oauth_token = "x", tenant = "../../x" } do
        local one = provider("microsoft.com", "ada@contoso.example", { [name] = value })
        local err = refused("invalidCustomParameter", one.getCredential, one)
        assert(err.message:find(name, 1, true) and err.hint:find("customParameters", 1, true), tostring(err))
      end
      """)
  }

  // S2
  @Test func `setting the parameters replaces them, and every value arrives`() async throws {
    try await Flow().run(
      """
      local one = provider("oidc.corp", "barbara@corp.example", { gone = "1" })
      one.customParameters = { login_hint = "barbara@corp.example", text = "a+b &=%ü#?", ["odd name"] = "1" }
      one:getCredential(function(page)
        local query = http.parseForm(page.url)
        equal(query.text, "a+b &=%ü#?")
        equal(query["odd name"], "1")
        equal(query.gone, nil)
        return ui.show(form "barbara@corp.example", page.url, page.redirectURI)
      end)
      """)
  }

  // S2 S3
  @Test func `empty and senseless parameters are refused`() async throws {
    try await Flow().run(
      """
      local one = Auth.OAuthProvider "microsoft.com"
      local function set(value) return function() one.customParameters = value end end
      refused("invalidCustomParameter", set { prompt = "" })
      refused("invalidCustomParameter", set { [""] = "x" })
      for _, value in ipairs { { prompt = 1 }, { prompt = true }, { prompt = {} }, { "login" }, { [1.5] = "x" }, "prompt", 7, print } do
        mistake("customParameters", set(value))
      end
      equal(next(one.customParameters), nil)
      one.customParameters.prompt = 7
      local ok, err = pcall(one.getCredential, one)
      assert(not ok and tostring(err):find("customParameters", 1, true), tostring(err))
      """)
  }

  // S5
  @Test func `senseless scopes are refused`() async throws {
    try await Flow().run(
      """
      local one = Auth.OAuthProvider "microsoft.com"
      local function set(value) return function() one.scopes = value end end
      for _, value in ipairs { { 1 }, { true }, { {} }, "mail.read", 7, print, { "a", 2 } } do
        mistake("scopes", set(value))
      end
      for _, value in ipairs { { "two words" }, { "a,b" }, { "tab\\t" }, { "ü" } } do
        refused("invalidCustomParameter", set(value))
      end
      equal(#one.scopes, 0)
      one.scopes = { "mail.read" }
      one.scopes[2] = 7
      mistake("scopes", one.getCredential, one)
      """)
  }

  // S1
  @Test(arguments: [
    "microsoft", "", "oidc.", "oidc.a b", "oidc", "saml.", "password", "phone", "anonymous",
    "Microsoft.com", "microsoft.com ", "yahoo.co", "oidc./../x", "firebase",
  ])
  func `an unknown provider id is refused at once`(_ id: String) async throws {
    let trace = try await Flow().run(
      """
      local err = refused("invalidProviderID", Auth.OAuthProvider, "\(id)")
      equal(err.rawValue, 17071)
      refused("invalidProviderID", Auth.OAuthProvider.credential, "\(id)", "token")
      """)
    #expect(trace.isEmpty)
  }

  // S1
  @Test func `a misspelt provider id is guessed`() async throws {
    try await Flow().run(
      """
      assert(refused("invalidProviderID", Auth.OAuthProvider, "microsof.com").hint:find("microsoft.com", 1, true))
      for _, id in ipairs { "microsoft.com", "yahoo.com", "google.com", "oidc.anything-1_x.y" } do
        equal(Auth.OAuthProvider(id).providerID, id)
        equal(tostring(Auth.OAuthProvider(id)), "OAuthProvider(" .. id .. ")")
      end
      mistake("bad argument", Auth.OAuthProvider)
      mistake("bad argument", Auth.OAuthProvider, 7)
      """)
  }

  // S27
  @Test func `a provider that is off, or not set up, is refused`() async throws {
    try await Flow().run(
      """
      for id, email in pairs { ["microsoft.com"] = "ada@contoso.example", ["yahoo.com"] = "yuki@yahoo.example", ["oidc.corp"] = "barbara@corp.example" } do
        local one = provider(id, email)
        local credential = one:getCredential()
        emulator.configure { providers = { [id] = false } }
        local err = refused("operationNotAllowed", one.getCredential, one)
        equal(err.serverName, "OPERATION_NOT_ALLOWED")
        equal(err.rawValue, 17006)
        refused("operationNotAllowed", auth.signIn, auth, credential)
        emulator.configure { providers = { [id] = true } }
        assert(auth:signIn(one).user.uid)
      end
      emulator.configure { providers = { password = false, anonymous = false } }
      refused("operationNotAllowed", auth.createUser, auth, "a@b.example", "correct horse")
      refused("operationNotAllowed", auth.signIn, auth, { email = "a@b.example", password = "correct horse" })
      auth:signOut()
      local ok, err = pcall(auth.signInAnonymously, auth)
      assert(not ok and (err.code == "operationNotAllowed" or err.code == "adminRestrictedOperation"), tostring(err))
      local unknown = Auth.OAuthProvider "oidc.unknown"
      refused("operationNotAllowed", unknown.getCredential, unknown)
      local github = Auth.OAuthProvider "github.com"
      refused("operationNotAllowed", github.getCredential, github)
      refused("operationNotAllowed", auth.signIn, auth, Auth.FacebookAuthProvider.credential "token")
      """)
  }

  // S27
  @Test func `pages come back only to the project's domains`() async throws {
    try await Flow().run(
      """
      local one = provider("microsoft.com", "ada@contoso.example")
      auth.customAuthDomain = "evil.example"
      local err = refused("unauthorizedDomain", one.getCredential, one)
      equal(err.rawValue, 17038)
      assert(err.message:find("evil.example", 1, true), tostring(err))
      auth.customAuthDomain = "not a domain/"
      refused("unauthorizedDomain", one.getCredential, one)
      auth.customAuthDomain = nil
      assert(auth:signIn(one).user.uid)
      """)
  }
}
