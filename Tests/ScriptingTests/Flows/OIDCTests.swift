@testable import Emulator
@testable import System
@testable import OIDC
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct OIDCTests {
  // S1 S2 S5 S9 S20
  @Test(arguments: ["oidc.corp", "oidc.implicit"])
  func `code flow and implicit flow sign in`(_ id: String) async throws {
    try await Flow().run(
      """
      local corp = provider("\(id)", "barbara@corp.example", { acr_values = "urn:gold" })
      corp.scopes = { "groups" }
      local address
      local result = auth:signIn(corp:getCredential(function(page)
        local query = http.parseForm(page.url)
        equal(query.login_hint, "barbara@corp.example")
        equal(query.acr_values, "urn:gold")
        equal(query.scope, "openid profile email groups")
        equal(query.response_type, "\(id)" == "oidc.corp" and "code" or "id_token")
        address = ui.show(form "barbara@corp.example", page.url, page.redirectURI)
        return address
      end))
      -- The implicit answer comes in the fragment, and whole.
      if "\(id)" == "oidc.corp" then
        assert(address:match "[?&]code=" and not address:find "#")
      else
        assert(address:match "#.*id_token=" and not address:find "code=")
      end
      equal(result.user.email, "barbara@corp.example")
      equal(result.user.isEmailVerified, true, "what the server asserts")
      equal(result.user.photoURL, "https://lh3.example/barbara.png")
      equal(result.additionalUserInfo.providerID, "\(id)")
      equal(result.additionalUserInfo.isNewUser, true)
      equal(result.additionalUserInfo.profile.name, "Barbara Liskov")
      local claims = crypto.claims(result.credential.idToken)
      equal(claims.sub, way(result.user, "\(id)").uid)
      equal(claims.iss, emulator.origin .. "/oidc/" .. ("\(id)"):sub(6))
      equal(claims.aud, "luath-client-\(id)")
      equal(result.credential.accessToken ~= nil, "\(id)" == "oidc.corp")
      equal(auth:signIn(corp).additionalUserInfo.isNewUser, false)
      """)
  }

  // S19
  @Test func `discovery names the issuer exactly`() async throws {
    let issuer = try await TokenIssuer()
    defer { issuer.stop() }
    // The document at ISSUER/other says that it is another issuer's.
    for path in ["/other", "/", "/nowhere"] {
      var project = ProjectConfiguration.demo
      var corp = ProviderConfiguration(id: "oidc.corp")
      corp.issuer = issuer.origin + path
      project.providers["oidc.corp"] = corp
      try await Flow(runner: ScriptRunner(project: project)).run(
        """
        local err = refused("invalidCredential", auth.signIn, auth, Auth.OAuthProvider "oidc.corp")
        assert(err.message:find("discovery", 1, true), tostring(err))
        """)
    }
  }

  // S19
  @Test func `discovery is where the guide says`() async throws {
    try await Flow().run(
      """
      local issuer = emulator.origin .. "/oidc/corp"
      local document = http.get(issuer .. "/.well-known/openid-configuration"):json()
      equal(document.issuer, issuer)
      for _, name in ipairs { "authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint" } do
        equal(document[name]:sub(1, #issuer), issuer, name)
      end
      assert(#http.get(document.jwks_uri):json().keys == 1)
      equal(http.get(emulator.origin .. "/oidc/nowhere/.well-known/openid-configuration").status, 404)
      """)
  }

  // S21
  @Test func `a project without Identity Platform has no OIDC`() async throws {
    try await Flow().run(
      """
      emulator.configure { identityPlatform = false }
      local corp = provider("oidc.corp", "barbara@corp.example")
      local err = refused("operationNotAllowed", corp.getCredential, corp)
      assert(err.message:find("Identity Platform", 1, true), tostring(err))
      equal(err.rawValue, 17006)
      equal(err.serverName, "OPERATION_NOT_ALLOWED")
      refused("operationNotAllowed", auth.signIn, auth, Auth.OAuthProvider.credential("oidc.corp", "a.b.c"))
      emulator.configure { identityPlatform = true }
      assert(auth:signIn(corp).user.uid)
      """)
  }

  /// A flow with the foreign issuer as `oidc.own`, and tokens of it in the environment.
  private func flow(_ issuer: TokenIssuer, _ tokens: [String: String]) -> Flow {
    var project = ProjectConfiguration.demo
    var own = ProviderConfiguration(id: "oidc.own")
    own.issuer = issuer.origin
    own.clientID = issuer.clientID
    project.providers["oidc.own"] = own
    return Flow(runner: ScriptRunner(project: project, environment: tokens))
  }

  private static let person: JSONObject = [
    "sub": "s-1", "email": "olga@own.example", "email_verified": true, "name": "Olga",
  ]

  // S22
  @Test func `a token the script got itself signs in, with and without a nonce`() async throws {
    let issuer = try await TokenIssuer()
    defer { issuer.stop() }
    // Signs that a form must escape: the raw nonce goes over the wire in one.
    let rawNonce = "a+b/c=d&e%20f ü=" + SecureRandom.token()
    var claims = Self.person
    let without = try issuer.idToken(claims)
    claims["nonce"] = .string(Digest.sha256Hex(rawNonce))
    let with = try issuer.idToken(claims)
    // Google's servers ask of several audiences that one is the app, and nothing of the party.
    claims["nonce"] = .string(Digest.sha256Hex(rawNonce + "2"))
    claims["aud"] = [.string(issuer.clientID), "another"]
    claims["azp"] = "another"
    let audiences = try issuer.idToken(claims)
    let flow = flow(
      issuer, ["PLAIN": without, "NONCE": with, "AUDIENCES": audiences, "RAW": rawNonce])
    try await flow.run(
      """
      local credential = Auth.OAuthProvider.credential
      local raw = host.env "RAW"
      local first = auth:signIn(credential("oidc.own", host.env "PLAIN", nil))
      equal(first.additionalUserInfo.isNewUser, true)
      equal(way(first.user, "oidc.own").uid, "s-1")
      equal(first.user.isEmailVerified, true)
      equal(first.additionalUserInfo.profile.name, "Olga")
      auth:signOut()
      -- The hash is what the provider was given, not what Firebase wants; and there is no way round.
      local token = host.env "NONCE"
      for _, nonce in ipairs { crypto.sha256(raw), "wrong", raw .. " " } do
        local err = refused("missingOrInvalidNonce", auth.signIn, auth, credential("oidc.own", token, nonce))
        equal(err.rawValue, 17094)
        assert(err.message:find("does not match the SHA256 hash", 1, true), err.message)
      end
      refused("missingOrInvalidNonce", auth.signIn, auth, credential("oidc.own", token))
      refused("missingOrInvalidNonce", auth.signIn, auth, credential("oidc.own", host.env "PLAIN", raw))
      equal(auth.currentUser, nil)
      for name, nonce in pairs { NONCE = raw, AUDIENCES = raw .. "2" } do
        local again = auth:signIn(credential("oidc.own", host.env(name), nonce))
        equal(again.user.uid, first.user.uid)
        equal(again.additionalUserInfo.isNewUser, false)
      end
      -- A nonce signs in once, and a token without one again.
      local err = refused("missingOrInvalidNonce", auth.signIn, auth, credential("oidc.own", token, raw))
      assert(err.message:find("has signed in before", 1, true), err.message)
      assert(err.hint:find("new nonce", 1, true), err.hint)
      equal(auth:signIn(credential("oidc.own", host.env "PLAIN")).user.uid, first.user.uid)
      """)
  }

  // S19 S22
  @Test func `a token that is not this app's, or not sound, is refused`() async throws {
    let issuer = try await TokenIssuer()
    defer { issuer.stop() }
    func token(_ changes: JSONObject, byStranger: Bool = false) throws -> String {
      var claims = Self.person
      for (name, value) in changes.entries { claims[name] = value }
      return try issuer.idToken(claims, byStranger: byStranger)
    }
    let flow = flow(
      issuer,
      [
        "AUDIENCE": try token(["aud": "another-app"]),
        "ISSUER": try token(["iss": .string(issuer.origin + "/")]),
        "EXPIRED": try token([
          "iat": .integer(TokenIssuer.now - 7200), "exp": .integer(TokenIssuer.now - 3600),
        ]),
        "FUTURE": try token([
          "iat": .integer(TokenIssuer.now + 7200), "exp": .integer(TokenIssuer.now + 9000),
        ]),
        "NOBODY": try token(["sub": nil]), "EMPTY": try token(["sub": ""]),
        "STRANGER": try token([:], byStranger: true), "GOOD": try token([:]),
      ])
    try await flow.run(
      """
      local credential = Auth.OAuthProvider.credential
      local good = host.env "GOOD"
      local bad = { bent = flows.bent(good), forged = flows.forged(good, { sub = "s-2" }), words = "not a token",
        none = crypto.base64url '{"alg":"none"}' .. "." .. good:match "%.(.-)%." .. "." }
      for _, name in ipairs { "AUDIENCE", "ISSUER", "EXPIRED", "FUTURE", "NOBODY", "EMPTY", "STRANGER" } do
        bad[name] = host.env(name)
      end
      for name, token in pairs(bad) do
        local ok, err = pcall(auth.signIn, auth, credential("oidc.own", token))
        assert(not ok, name .. " was accepted")
        assert(err.code == "invalidCredential" and err.serverName == "INVALID_IDP_RESPONSE", name .. ": " .. tostring(err))
        assert(not tostring(err):find(token, 1, true), name)
      end
      equal(auth.currentUser, nil)
      -- Known to the project, but under another provider's name.
      refused("invalidCredential", auth.signIn, auth, credential("oidc.corp", good))
      -- An access token alone cannot be checked.
      refused("invalidCredential", auth.signIn, auth, credential("oidc.own", nil, nil, "access"))
      refused("invalidCredential", credential, "oidc.own")
      refused("invalidCredential", credential, "oidc.own", "")
      assert(auth:signIn(credential("oidc.own", good)).user.uid)
      """)
  }

  // S22
  @Test func `the clock of the emulator ends an ID token`() async throws {
    let issuer = try await TokenIssuer()
    defer { issuer.stop() }
    try await flow(issuer, ["GOOD": try issuer.idToken(Self.person)]).run(
      """
      local one = Auth.OAuthProvider.credential("oidc.own", host.env "GOOD")
      local uid = auth:signIn(one).user.uid
      emulator.advance(7200)
      refused("invalidCredential", auth.signIn, auth, one)
      equal(auth.currentUser.uid, uid, "the user after a failed sign-in")
      """)
  }

  // S17 S22
  @Test func `Google's tokens are taken for the project's own client`() async throws {
    try await Flow().run(
      """
      local redirect = "http://127.0.0.1:8910/callback"
      local raw = crypto.random()
      local url = "https://accounts.google.com/o/oauth2/v2/auth?" .. http.form {
        response_type = "code", client_id = "luath-client-google.com", redirect_uri = redirect,
        scope = "openid email profile", nonce = crypto.sha256(raw), state = "s" }
      local code = http.parseForm(ui.show(form "ada@contoso.example", url, redirect)).code
      local tokens = http.post("https://oauth2.googleapis.com/token", { form = {
        grant_type = "authorization_code", code = code, redirect_uri = redirect,
        client_id = "luath-client-google.com", client_secret = "luath-secret-google.com" } }):json()
      local google = Auth.OAuthProvider.credential("google.com", tokens.id_token, raw, tokens.access_token)
      -- Before the token has signed in, of which any copy would be told first.
      refused("invalidCredential", auth.signIn, auth, Auth.GoogleAuthProvider.credential(flows.bent(tokens.id_token)))
      local uid = auth:signIn(google).user.uid
      equal(auth:signIn(Auth.GoogleAuthProvider.credential(nil, tokens.access_token)).user.uid, uid)
      equal(auth:signIn(provider("google.com", "ada@contoso.example")).user.uid, uid)
      refused("invalidCredential", auth.signIn, auth, Auth.GoogleAuthProvider.credential(nil, "guessed"))
      local corp = auth:signIn(provider("oidc.corp", "barbara@corp.example")).credential.idToken
      refused("invalidCredential", auth.signIn, auth, Auth.GoogleAuthProvider.credential(corp))
      refused("invalidCredential", Auth.GoogleAuthProvider.credential)
      """)
  }
}
