local flows = require "support.flows"
local Auth = require "luath.auth"
local crypto = require "luath.crypto"
local emulator = require "luath.emulator"
local http = require "luath.http"
local oidc = require "luath.oidc"
local task = require "luath.task"
local ui = require "luath.ui"

local auth = Auth.auth()
local equal, refused, mistake = flows.equal, flows.refused, flows.mistake
local form, way = flows.form, flows.way


describe("luath.oidc", function()
  local back <const> = "http://127.0.0.1:8910/callback"

  local function client(more)
    local all = {
      issuer = emulator.origin .. "/oidc/implicit", clientID = "luath-client-oidc.implicit", redirectURI = back,
    }
    for name, value in pairs(more or {}) do
      all[name] = value
    end
    return oidc.client(all)
  end

  local barbara = form "barbara@corp.example"

  -- S22
  it("a sign-in in one call gives tokens that Firebase takes with the raw nonce", function()
    local corp = client()
    equal(corp.issuer, emulator.origin .. "/oidc/implicit")
    equal(corp.clientID, "luath-client-oidc.implicit")
    equal(corp.metadata.issuer, corp.issuer)
    local tokens = corp:signIn(barbara)
    equal(tokens.claims.email, "barbara@corp.example")
    equal(tokens.claims.nonce, crypto.sha256(tokens.rawNonce))
    equal(tokens.tokenType, "Bearer")
    assert(tokens.accessToken and tokens.idToken and tokens.expiresIn > 0)
    equal(corp:userinfo(tokens).email, "barbara@corp.example")
    equal(corp:userinfo(tokens.accessToken, tokens.claims.sub).sub, tokens.claims.sub)
    refused("wrongSubject", corp.userinfo, corp, tokens.accessToken, "mallory")
    local id = "oidc.implicit"
    local user = auth:signIn(Auth.OAuthProvider.credential(id, tokens.idToken, tokens.rawNonce)).user
    equal(way(user, id).uid, tokens.claims.sub)
    -- Without its raw nonce the token is worth nothing there.
    refused("missingOrInvalidNonce", auth.signIn, auth,
      Auth.OAuthProvider.credential(id, tokens.idToken, crypto.random()))
    -- What is printed shows no token.
    equal(tostring(tokens), "OIDCTokens(" .. tokens.claims.sub .. ")")
  end)

  -- S22
  it("the same journey by form, by function, by default and by hand", function()
    local corp = client()
    local function shown(page)
      equal(page.providerID, "oidc.implicit")
      equal(page.redirectURI, back)
      return ui.show(barbara, page.url, page.redirectURI)
    end
    local hint = { loginHint = "barbara@corp.example" }
    for _, delegate in ipairs { barbara, shown, false } do
      equal(corp:signIn(delegate or nil, hint).claims.email, "barbara@corp.example")
    end
    local flow = corp:begin(hint)
    equal(flow.redirectURI, back)
    equal(flow.nonce, crypto.sha256(flow.rawNonce))
    equal(http.parseForm(flow.url).state, flow.state)
    equal(tostring(flow), "OIDCFlow(" .. emulator.origin .. ")")
    local address = ui.show(barbara, flow.url, flow.redirectURI)
    local tokens = corp:finish(flow, address)
    equal(tokens.rawNonce, flow.rawNonce)
    refused("answerReplayed", corp.finish, corp, flow, address)
    local other = corp:begin(hint)
    refused("stateMismatch", corp.finish, corp, other, address)
    refused("redirectMismatch", corp.finish, corp, other, (address:gsub("8910", "8911")))
    refused("redirectMismatch", corp.finish, corp, other, "callback")
  end)

  -- S22
  it("every response type and mode comes back whole", function()
    local corp = client()
    for _, case in ipairs {
      { "code", "query" }, { "code", "fragment" }, { "code", "form_post" }, { "code" },
      { "id_token", "fragment" }, { "id_token", "form_post" },
      { "code id_token", "fragment" }, { "code id_token", "form_post" }, { "code id_token" },
    } do
      local tokens = corp:signIn(barbara, { responseType = case[1], responseMode = case[2] })
      equal(tokens.claims.email, "barbara@corp.example", case[1])
      equal(tokens.accessToken ~= nil, case[1] ~= "id_token", case[1])
    end
  end)

  -- S22
  it("a refresh keeps what it does not give anew", function()
    local corp = client { scopes = { "openid", "email", "offline_access" } }
    local tokens = corp:signIn(barbara, { prompt = "consent" })
    assert(tokens.refreshToken, "offline_access gives a refresh token")
    local again = corp:refresh(tokens)
    equal(again.claims.sub, tokens.claims.sub)
    assert(again.accessToken ~= tokens.accessToken)
    assert(again.refreshToken and again.idToken)
    local err = refused("refused", corp.refresh, corp, tokens.refreshToken)
    equal(err.providerError, "invalid_grant")
    assert(not err.message:find(tokens.refreshToken, 1, true))
    local bare = client():signIn(barbara)
    if not bare.refreshToken then refused("unusableRequest", corp.refresh, corp, bare) end
  end)

  -- S22
  it("an ID token is checked against clock, audience and nonce", function()
    local corp = client()
    local tokens = corp:signIn(barbara, { maxAge = 300 })
    local sub = tokens.claims.sub
    equal(corp:verify(tokens.idToken, { rawNonce = tokens.rawNonce }).sub, sub)
    equal(corp:verify(tokens.idToken, { nonce = tokens.claims.nonce, maxAge = 300 }).sub, sub)
    equal(corp:verify(tokens.idToken, { nonce = false, accessToken = tokens.accessToken }).sub, sub)
    refused("wrongNonce", corp.verify, corp, tokens.idToken)
    refused("wrongNonce", corp.verify, corp, tokens.idToken, { nonce = tokens.rawNonce })
    refused("badSignature", corp.verify, corp, tokens.idToken:sub(1, -8) .. "AAAAAAA", { nonce = false })
    refused("badSignature", corp.verify, corp, "token", { nonce = false })
    refused("wrongAudience", corp.verify, client { clientID = "another" }, tokens.idToken, { nonce = false })
    mistake("not both", corp.verify, corp, tokens.idToken, { nonce = "a", rawNonce = "b" })
    -- The clock is the emulator's.
    emulator.advance(400)
    refused("staleSignIn", corp.verify, corp, tokens.idToken, { nonce = false, maxAge = 300 })
    emulator.advance(4000)
    refused("expired", corp.verify, corp, tokens.idToken, { nonce = false })
    equal(corp:signIn(barbara).claims.sub, sub)
  end)

  -- S22
  it("the ways out of a page keep their codes", function()
    local corp = client()
    -- A person who says no: the form driver knows it, as does the answer itself.
    local no = form("barbara@corp.example", { consent = false })
    local ok, err = pcall(corp.signIn, corp, no, { prompt = "consent" })
    assert(not ok and (err.code == "denied" or err.code == "webConsentDenied"), tostring(err))
    refused("denied", corp.signIn, corp, function(page)
      return page.redirectURI .. "?error=access_denied&state=" .. http.parseForm(page.url).state
    end)
    err = refused("providerError", corp.signIn, corp, function(page)
      return page.redirectURI .. "?error=login_required&state=" .. http.parseForm(page.url).state
    end)
    equal(err.providerError, "login_required")
    err = refused("webCredentialsRefused", corp.signIn, corp,
      form("barbara@corp.example", { password = "wrong-s3cret" }))
    assert(not tostring(err):find("s3cret", 1, true))
    refused("webContextCancelled", corp.signIn, corp, function() end)
    refused("webSignInUserInteractionFailure", corp.signIn, corp, function() error "broke" end)
    local waiting = task.spawn(function() corp:signIn(function() task.sleep(60) end) end)
    task.sleep(0.05)
    waiting:cancel()
    local stopped, why = pcall(waiting.await, waiting)
    assert(not stopped and (why.code == "cancelled" or why.code == "webContextCancelled"), tostring(why))
  end)

  -- S22
  it("a code that someone else brings is worth nothing", function()
    local corp = client()
    -- The attacker's own code, in an answer with the victim's state.
    local attacker, victim = corp:begin(), corp:begin()
    local code = http.parseForm(ui.show(barbara, attacker.url, back)).code
    local answer = back .. "?" .. http.form {
      code = code, state = victim.state, iss = corp.issuer,
    }
    local err = refused("refused", corp.finish, corp, victim, answer)
    equal(err.providerError, "invalid_grant")
    assert(not tostring(err):find(code, 1, true))
    -- Mix-up: the answer goes to another client, which must not get the code.
    local other = client { clientID = "another" }
    local flow = corp:begin()
    err = refused("unusableRequest", other.finish, other, flow,
      back .. "?" .. http.form { code = code, state = flow.state, iss = corp.issuer })
    assert(err.message:find("another client", 1, true), err.message)
    -- Mix-up: another provider's name in the answer.
    local mixed = corp:begin()
    refused("wrongIssuer", corp.finish, corp, mixed, back .. "?" .. http.form {
      code = code, state = mixed.state, iss = "https://other.example",
    })
  end)

  -- S19 S22
  it("providers that cannot be used say why", function()
    refused("unusableAddress", client, { issuer = "http://issuer.example" })
    refused("unusableAddress", client, { issuer = "issuer" })
    refused("unusableAddress", client, { issuer = "" })
    refused("discoveryFailed", client, { issuer = emulator.origin .. "/oidc/nowhere" })
    refused("issuerMismatch", client, { issuer = emulator.origin .. "/oidc/corp/" })
    refused("issuerUnreachable", client, { issuer = "http://127.0.0.1:1" })
    refused("unusableRequest", client, { clientID = "" })
    refused("unusableRequest", client, { authentication = "client_secret_post" })
    mistake("'clientID' is missing", oidc.client, { issuer = "x" })
    mistake("'authentication' must be one of", client, { authentication = "basic" })
    mistake("between 0 and 3600", client, { leeway = 86400 })
    local corp = client()
    refused("unusableRequest", corp.begin, corp, { parameters = { state = "mine" } })
    refused("unusableRequest", corp.begin, corp, { responseType = "id_token", responseMode = "query" })
    mistake("'responseType' must be one of", corp.begin, corp, { responseType = "token" })
  end)

  -- S22
  it("what is revoked and signed out is over", function()
    local corp = client { scopes = { "openid", "offline_access" } }
    local tokens = corp:signIn(barbara)
    corp:revoke(tokens)
    equal(refused("refused", corp.refresh, corp, tokens).providerError, "invalid_grant")
    refused("refused", corp.userinfo, corp, tokens)
    corp:revoke("nobody's token")
    mistake("'kind' must be one of", corp.revoke, corp, tokens, "id_token")
    local other = corp:signIn(barbara)
    corp:revoke(other, "access_token")
    refused("refused", corp.userinfo, corp, other)
    assert(corp:refresh(other).accessToken)
    -- The browser comes back from the sign-out with its state, whoever shows the page.
    for _, delegate in ipairs { barbara, function(page)
      equal(page.redirectURI, back)
      local query = http.parseForm(page.url)
      equal(query.id_token_hint, tokens.idToken)
      equal(query.client_id, corp.clientID)
      return ui.show(barbara, page.url, page.redirectURI)
    end } do
      corp:logout(tokens, delegate)
    end
    refused("stateMismatch", corp.logout, corp, tokens, function(page) return back end)
    refused("redirectMismatch", corp.logout, corp, tokens, function() return "http://127.0.0.1:1/" end)
    refused("webContextCancelled", corp.logout, corp, tokens, function() end)
    local url, state = corp:logoutURL { idToken = tokens.idToken, redirectURI = back }
    equal(http.parseForm(url).state, state)
    equal(select(2, corp:logoutURL()), nil)
    local bare = oidc.client { issuer = corp.issuer, clientID = corp.clientID }
    refused("unusableRequest", bare.logout, bare, tokens, barbara)
    refused("unusableRequest", bare.signIn, bare, barbara)
  end)

  -- S22
  it("a person finishes a device's sign-in elsewhere", function()
    local corp = client()
    local device = corp:device { scopes = { "email" } }
    assert(device.userCode:find "^%u+%-%u+$", device.userCode)
    assert(device.verificationURIComplete:find(device.userCode, 1, true))
    assert(device.expiresIn > 60 and device.interval >= 1)
    assert(not tostring(device):find(device.userCode, 1, true))
    refused("timedOut", device.wait, device, 0.1)
    mistake("seconds between", device.wait, device, 0)
    -- The page ends nowhere, so that showing it does not either.
    pcall(ui.show, barbara, device.verificationURIComplete, back)
    emulator.advance(10)
    local tokens = device:wait(20)
    equal(tokens.claims.email, "barbara@corp.example")
    equal(tokens.rawNonce, nil)
    emulator.advance(10)
    equal(refused("refused", device.wait, device).providerError, "invalid_grant")
    local waiting = task.spawn(function() return corp:device():wait() end)
    task.sleep(0.05)
    waiting:cancel()
    refused("cancelled", waiting.await, waiting)
  end)

  -- S5 S22
  it("Google and Microsoft are found under their own names", function()
    local google = oidc.client {
      issuer = "https://accounts.google.com", clientID = "luath-client-google.com",
      clientSecret = "luath-secret-google.com", redirectURI = back,
    }
    equal(google.issuer, emulator.origin .. "/accounts.google.com")
    equal(google:signIn(barbara).claims.email, "barbara@corp.example")
    for _, tenant in ipairs { "common", "organizations" } do
      local microsoft = oidc.client {
        issuer = "https://login.microsoftonline.com/" .. tenant .. "/v2.0",
        clientID = "luath-client-microsoft.com", clientSecret = "luath-secret-microsoft.com",
        redirectURI = back,
      }
      assert(microsoft.issuer:find("{tenantid}", 1, true), microsoft.issuer)
      local tokens = microsoft:signIn(form "ada@contoso.example")
      equal(tokens.claims.iss, (microsoft.issuer:gsub("{tenantid}", tokens.claims.tid)))
    end
    local personal = oidc.client {
      issuer = "https://login.microsoftonline.com/consumers/v2.0",
      clientID = "luath-client-microsoft.com", clientSecret = "luath-secret-microsoft.com",
      redirectURI = back,
    }
    equal(personal:signIn(form "alan@outlook.example").claims.iss, personal.issuer)
  end)
end)
