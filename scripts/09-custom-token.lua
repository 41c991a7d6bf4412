--- Lesson 9: a custom token, for when you must talk to the provider yourself.
---
--- Firebase refuses access tokens of Microsoft and Yahoo that a script brings along (lesson 2).
--- With your own OAuth client you sign the user in, choose the uid, and sign a custom token for it
--- with the project's service account. Do that on a server: everyone who has the service account's
--- key can sign in as any user.
---
--- Usage: luath run scripts/09-custom-token.lua
---
--- Environment: YAHOO_SECRET and YAHOO_PASSWORD, when they are not those of the demo.
---
--- Sample output:
---
---     the server     signed in Yuki Tanaka at Yahoo, by its own client
---     the app        got a custom token for yahoo:6517D1A02D31A6BBBAEE12FDD8
---     rules see      plan = gold, signed in with custom
---     forged         refused: invalidCustomToken

local Auth <const> = require "luath.auth"
local admin <const> = require "luath.admin"
local crypto <const> = require "luath.crypto"
local emulator <const> = require "luath.emulator"
local host <const> = require "luath.host"
local http <const> = require "luath.http"
local luath <const> = require "luath"
local ui <const> = require "luath.ui"

-- An emulator of its own begins empty; one that others use too may not.
emulator.clear()

--- What the server does: Yahoo's code flow with its own client, then the custom token.
local function server(delegate, serviceAccount)
  local client <const> = "luath-client-yahoo.com"
  local secret <const> = host.env "YAHOO_SECRET" or "luath-secret-yahoo.com"
  local callback <const> = "http://127.0.0.1:8910/callback"
  local yahoo <const> = http.get("https://api.login.yahoo.com/.well-known/openid-configuration")
    :json()
  local state <const> = crypto.random()
  local page <const> = yahoo.authorization_endpoint .. "?" .. http.form {
    response_type = "code",
    client_id = client,
    redirect_uri = callback,
    scope = "openid profile email",
    state = state,
  }
  local answer <const> = http.parseForm(ui.show(delegate, page, callback))
  assert(answer.state == state, "the answer belongs to another sign-in")
  local tokens <const> = http.post(yahoo.token_endpoint, {
    form = {
      grant_type = "authorization_code",
      code = answer.code,
      redirect_uri = callback,
      client_id = client,
      client_secret = secret,
    },
  }):json()
  local person <const> = http.get(yahoo.userinfo_endpoint, { bearer = tokens.access_token }):json()
  print(("the server     signed in %s at Yahoo, by its own client"):format(person.name))

  -- The uid is the server's choice; the claims are for security rules.
  return admin.customToken(serviceAccount, "yahoo:" .. person.sub, { plan = "gold" })
end

-- On a real project: json.decode of the file that GOOGLE_APPLICATION_CREDENTIALS names.
local serviceAccount <const> = emulator.serviceAccount()
local yuki <const> = ui.form {
  username = "yuki@yahoo.example",
  password = host.env "YAHOO_PASSWORD" or "luath-demo",
}

-- 1. The app signs in with what the server gave it.
local auth <const> = Auth.auth()
local user <const> = auth:signInWithCustomToken(server(yuki, serviceAccount)).user
print("the app        got a custom token for " .. user.uid)
assert(user.uid:find("^yahoo:%x+$"), "the uid is not the one the server chose")

-- 2. The claims are in the ID token.
local token <const> = user:getIDTokenResult()
print(("rules see      plan = %s, signed in with %s"):format(
  token.claims.plan, token.signInProvider))
assert(token.claims.plan == "gold", "the claim is missing")
assert(token.signInProvider == "custom", "signed in in another way")

-- 3. A token with a bent signature opens nothing.
local good <const> = admin.customToken(serviceAccount, "anybody")
local head <const>, body <const>, signature <const> = good:match "^(.-)%.(.-)%.(.+)$"
local forged <const> = ("%s.%s.%s"):format(head, body, signature:reverse())
local nothing, refusal <const> = luath.try(auth.signInWithCustomToken, auth, forged)
assert(nothing == nil, "a forged token was accepted")
print("forged         refused: " .. refusal.code)
assert(refusal.code == Auth.ErrorCode.invalidCustomToken, "refused for another reason")
assert(auth.currentUser.uid == user.uid, "a failed sign-in must change nothing")
