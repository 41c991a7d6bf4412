--- Lesson 4: the same by hand. The script is the OAuth client: it finds the server's endpoints,
--- shows the page, gets the ID token, checks it, and only then asks Firebase.
---
--- Usage: luath run scripts/04-oidc-manual.lua
---
--- Environment: OIDC_PASSWORD is Barbara's password, when it is not that of the demo.
---
--- Sample output:
---
---     discovered    authorize, token and keys of http://127.0.0.1:41235/oidc/implicit
---     page          came back with a code and our state
---     ID token      for barbara@corp.example, with issuer, audience, time and nonce in order
---     signed in     barbara@corp.example with oidc.implicit
---     other nonce   refused: missingOrInvalidNonce

local Auth <const> = require "luath.auth"
local crypto <const> = require "luath.crypto"
local emulator <const> = require "luath.emulator"
local host <const> = require "luath.host"
local http <const> = require "luath.http"
local luath <const> = require "luath"
local ui <const> = require "luath.ui"

-- An emulator of its own begins empty; one that others use too may not.
emulator.clear()

-- The app's registration at the server. Anybody can take a program apart, so it has no secret:
-- PKCE proves instead that the app that redeems the code has requested it.
local providerID <const> = "oidc.implicit"
local clientID <const> = "luath-client-oidc.implicit"
local issuer <const> = emulator.origin .. "/oidc/implicit"
-- An address of this machine; nothing needs to listen there, as ui.show stops when it comes up.
local redirectURI <const> = "http://127.0.0.1:8910/callback"

-- 1. Discovery: the server's metadata is at a fixed place below the issuer.
local server <const> = http.get(issuer .. "/.well-known/openid-configuration"):json()
assert(server.issuer == issuer, "the metadata is of another issuer")
print("discovered    authorize, token and keys of " .. server.issuer)

-- 2. The page. The server puts the nonce into the ID token. It gets the SHA-256 only: a thief who
-- steals the token cannot name the raw nonce, which Firebase will ask for.
local rawNonce <const> = crypto.random()
local hashedNonce <const> = crypto.sha256(rawNonce)
local state <const> = crypto.random()
local pkce <const> = crypto.pkce()
local page <const> = server.authorization_endpoint .. "?" .. http.form {
  response_type = "code",
  client_id = clientID,
  redirect_uri = redirectURI,
  scope = "openid profile email",
  state = state,
  nonce = hashedNonce,
  code_challenge = pkce.challenge,
  code_challenge_method = "S256",
}
local barbara <const> = ui.form {
  username = "barbara@corp.example",
  password = host.env "OIDC_PASSWORD" or "luath-demo",
}
local answer <const> = http.parseForm(ui.show(barbara, page, redirectURI))
assert(answer.state == state, "the answer belongs to another sign-in")
assert(answer.code, "the server gave no code: " .. tostring(answer.error))
print("page          came back with a code and our state")

-- 3. The code and PKCE's verifier for the tokens.
local tokens <const> = http.post(server.token_endpoint, {
  form = {
    grant_type = "authorization_code",
    code = answer.code,
    redirect_uri = redirectURI,
    client_id = clientID,
    code_verifier = pkce.verifier,
  },
}):json()
assert(tokens.id_token, "the server gave no ID token: " .. tostring(tokens.error_description))

-- 4. The token's claims. Its signature need not be checked here, because it came straight from the
-- server (OpenID Connect Core 3.1.3.7); Firebase checks it anyway.
local claims <const> = crypto.claims(tokens.id_token)
assert(claims.iss == issuer, "the token is of another issuer")
assert(claims.aud == clientID, "the token is for another app")
assert(claims.exp > os.time(), "the token has expired")
assert(claims.nonce == hashedNonce, "the token is of another sign-in")
print(("ID token      for %s, with issuer, audience, time and nonce in order"):format(claims.email))

-- 5. Firebase gets the ID token and the raw nonce.
local auth <const> = Auth.auth()
local credential <const> = Auth.OAuthProvider.credential(providerID, tokens.id_token, rawNonce)
local result <const> = auth:signIn(credential)
print(("signed in     %s with %s"):format(result.user.email, credential.providerID))
assert(result.user.email == "barbara@corp.example", "another person than asked for")
assert(result.user.providerData[1].uid == claims.sub, "the uid is what the server calls sub")

-- 6. The token without its nonce is of no use to a thief.
local stolen <const> = Auth.OAuthProvider.credential(providerID, tokens.id_token, crypto.random())
local nothing, refusal <const> = luath.try(auth.signIn, auth, stolen)
assert(nothing == nil, "a stolen token was accepted")
print("other nonce   refused: " .. refusal.code)
assert(refusal.code == Auth.ErrorCode.missingOrInvalidNonce, "refused for another reason")
