local flows = require "support.flows"
local Auth = require "luath.auth"
local crypto = require "luath.crypto"
local emulator = require "luath.emulator"
local http = require "luath.http"
local ui = require "luath.ui"

local auth = Auth.auth()
local equal, refused = flows.equal, flows.refused
local provider, form, way = flows.provider, flows.form, flows.way


describe("OpenID Connect", function()
  -- S1 S2 S5 S9 S20
  describe("code flow and implicit flow sign in:", function()
    for _, id in ipairs { "oidc.corp", "oidc.implicit" } do
      it(id, function()
        local corp = provider(id, "barbara@corp.example", { acr_values = "urn:gold" })
        corp.scopes = { "groups" }
        local address
        local result = auth:signIn(corp:getCredential(function(page)
          local query = http.parseForm(page.url)
          equal(query.login_hint, "barbara@corp.example")
          equal(query.acr_values, "urn:gold")
          equal(query.scope, "openid profile email groups")
          equal(query.response_type, id == "oidc.corp" and "code" or "id_token")
          address = ui.show(form "barbara@corp.example", page.url, page.redirectURI)
          return address
        end))
        -- The implicit answer comes in the fragment, and whole.
        if id == "oidc.corp" then
          assert(address:match "[?&]code=" and not address:find "#")
        else
          assert(address:match "#.*id_token=" and not address:find "code=")
        end
        equal(result.user.email, "barbara@corp.example")
        equal(result.user.isEmailVerified, true, "what the server asserts")
        equal(result.user.photoURL, "https://lh3.example/barbara.png")
        equal(result.additionalUserInfo.providerID, id)
        equal(result.additionalUserInfo.isNewUser, true)
        equal(result.additionalUserInfo.profile.name, "Barbara Liskov")
        local claims = crypto.claims(result.credential.idToken)
        equal(claims.sub, way(result.user, id).uid)
        equal(claims.iss, emulator.origin .. "/oidc/" .. id:sub(6))
        equal(claims.aud, "luath-client-" .. id)
        equal(result.credential.accessToken ~= nil, id == "oidc.corp")
        equal(auth:signIn(corp).additionalUserInfo.isNewUser, false)
      end)
    end
  end)

  -- S19
  it("discovery is where the guide says", function()
    local issuer = emulator.origin .. "/oidc/corp"
    local document = http.get(issuer .. "/.well-known/openid-configuration"):json()
    equal(document.issuer, issuer)
    for _, name in ipairs { "authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint" } do
      equal(document[name]:sub(1, #issuer), issuer, name)
    end
    assert(#http.get(document.jwks_uri):json().keys == 1)
    equal(http.get(emulator.origin .. "/oidc/nowhere/.well-known/openid-configuration").status, 404)
  end)

  -- S21
  it("a project without Identity Platform has no OIDC", function()
    emulator.configure { identityPlatform = false }
    local corp = provider("oidc.corp", "barbara@corp.example")
    local err = refused("operationNotAllowed", corp.getCredential, corp)
    assert(err.message:find("Identity Platform", 1, true), tostring(err))
    equal(err.rawValue, 17006)
    equal(err.serverName, "OPERATION_NOT_ALLOWED")
    refused("operationNotAllowed", auth.signIn, auth, Auth.OAuthProvider.credential("oidc.corp", "a.b.c"))
    emulator.configure { identityPlatform = true }
    assert(auth:signIn(corp).user.uid)
  end)

  -- S17 S22
  it("Google's tokens are taken for the project's own client", function()
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
  end)
end)
