--- Lesson 22: an app that is an OpenID client itself. What lesson 4 does by hand, luath.oidc does
--- with every check, for any server: sign in, check, refresh, ask for the profile, revoke, sign
--- out. Firebase comes in at the end only, and could be left out.
---
--- Usage: luath run scripts/22-oidc-client.lua
---
--- Environment: OIDC_PASSWORD is Barbara's password, when it is not that of the demo.
---
--- Sample output:
---
---     found         http://127.0.0.1:41235/oidc/implicit
---     signed in     barbara@corp.example, by an ID token that was checked
---     profile       Barbara Liskov
---     refreshed     another access token for the same person
---     Firebase      barbara@corp.example with oidc.implicit
---     forged        stateMismatch
---     replayed      answerReplayed
---     denied        the user refused: access_denied
---     signed out    at the provider, and the refresh token is dead: invalid_grant

local Auth <const> = require "luath.auth"
local emulator <const> = require "luath.emulator"
local host <const> = require "luath.host"
local http <const> = require "luath.http"
local luath <const> = require "luath"
local oidc <const> = require "luath.oidc"
local ui <const> = require "luath.ui"

-- An emulator of its own begins empty; one that others use too may not.
emulator.clear()

-- 1. The app's registration. It has no secret, as nobody can keep one in a program that is given
-- away. Nothing needs to listen at the redirect address: the delegate stops when it comes up.
local client <const> = oidc.client {
  issuer = emulator.origin .. "/oidc/implicit",
  clientID = "luath-client-oidc.implicit",
  redirectURI = "http://127.0.0.1:8910/callback",
  scopes = { "openid", "profile", "email", "offline_access" },
}
print("found         " .. client.issuer)

-- 2. The sign-in. Another delegate is another line here: ui.webdriver, ui.browser, a function.
local barbara <const> = ui.form {
  username = "barbara@corp.example",
  password = host.env "OIDC_PASSWORD" or "luath-demo",
}
local tokens <const> = client:signIn(barbara, { loginHint = "barbara@corp.example" })
assert(tokens.claims.email == "barbara@corp.example", "another person than asked for")
print(("signed in     %s, by an ID token that was checked"):format(tokens.claims.email))

-- 3. The profile counts only when it is about the person of the ID token.
local profile <const> = client:userinfo(tokens)
assert(profile.sub == tokens.claims.sub)
print("profile       " .. profile.name)

-- 4. Later, without a page.
local fresh <const> = client:refresh(tokens)
assert(fresh.accessToken ~= tokens.accessToken and fresh.claims.sub == tokens.claims.sub)
print "refreshed     another access token for the same person"

-- 5. Firebase takes the ID token with the raw nonce, of which the provider saw only the hash.
local auth <const> = Auth.auth()
local credential <const> =
  Auth.OAuthProvider.credential("oidc.implicit", tokens.idToken, tokens.rawNonce)
local result <const> = auth:signIn(credential)
print(("Firebase      %s with %s"):format(result.user.email, credential.providerID))
assert(result.user.providerData[1].uid == tokens.claims.sub, "the uid is what the server calls sub")

-- 6. What an attacker may try. Manually: begin returns the address, finish takes the response.
local flow <const> = client:begin()
local answer <const> = ui.show(barbara, flow.url, flow.redirectURI)
local nothing, refusal = luath.try(client.finish, client, client:begin(), answer)
assert(nothing == nil, "an answer was taken for another sign-in's")
print("forged        " .. refusal.code)
assert(refusal.code == "stateMismatch")
assert(client:finish(flow, answer).claims.sub == tokens.claims.sub)
nothing, refusal = luath.try(client.finish, client, flow, answer)
assert(nothing == nil, "one answer was taken twice")
print("replayed      " .. refusal.code)
assert(refusal.code == "answerReplayed")

-- 7. A page that refuses. Providers redirect with an error then; here a function does.
nothing, refusal = luath.try(client.signIn, client, function(page)
  local state <const> = http.parseForm(page.url).state
  return page.redirectURI .. "?" .. http.form { error = "access_denied", state = state }
end)
assert(nothing == nil and refusal.code == "denied")
print("denied        the user refused: " .. refusal.providerError)

-- 8. The end, on both sides: the tokens, the provider's own session, and Firebase's.
client:revoke(fresh)
nothing, refusal = luath.try(client.refresh, client, fresh)
assert(nothing == nil and refusal.code == "refused", "a revoked token was taken")
client:logout(fresh, barbara)
auth:signOut()
print("signed out    at the provider, and the refresh token is dead: " .. refusal.providerError)
