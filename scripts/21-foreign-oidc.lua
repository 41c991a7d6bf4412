--- Lesson 21: a foreign OpenID Connect server, from its first page to signing out at both ends.
---
--- Somebody has an account with a password, links it to what they have at the server, and signs in
--- by the server from then on. At the end they sign out of the app and of the server, which would
--- let them in again without a question otherwise.
---
--- Usage: luath run scripts/21-foreign-oidc.lua [-- form|webdriver|function]
---
--- The argument is the delegate: forms over HTTP, a browser, or a function of the script.
--- As it stands, the server is oidc.corp of the emulator. For another one, write it into the
--- project file, with the app's registration there, and name it:
---
---     ["oidc.acme"] = { issuer = "https://…", clientId = "…", clientSecret = "…" },
---
--- Environment: OIDC_PROVIDER is its id, oidc.acme; OIDC_USERNAME and OIDC_PASSWORD are the
--- user's there; OIDC_AFTER_LOGOUT is the registered address for browsers after a sign-out.
---
--- Sample output:
---
---     account        home@luath.example, with password
---     linked         barbara@corp.example of oidc.corp
---     signed in      by oidc.corp, the same account
---     no question    no page asked for anything
---     signed out     of the app and of http://127.0.0.1:41235/oidc/corp
---     server forgot  it wants to see the person: webSignInUserInteractionFailure

local Auth <const> = require "luath.auth"
local crypto <const> = require "luath.crypto"
local emulator <const> = require "luath.emulator"
local host <const> = require "luath.host"
local luath <const> = require "luath"
local oidc <const> = require "luath.oidc"
local ui <const> = require "luath.ui"

-- An emulator of its own begins empty; one that others use too may not.
emulator.clear()
local auth <const> = Auth.auth()
local provider <const> = Auth.OAuthProvider(host.env "OIDC_PROVIDER" or "oidc.corp")

-- 1. Who shows the pages: change this line, or give the name as an argument. It keeps
-- the server's cookies from one sign-in to the next, as a person's browser does.
local shown <const> = arg[1] or "form"

local answers <const> = {
  username = host.env "OIDC_USERNAME" or "barbara@corp.example",
  password = host.env "OIDC_PASSWORD" or "luath-demo",
  keepsSession = true,
}
local function byFunction()
  local person <const> = ui.form(answers)
  return function(request)
    return ui.show(person, request.url, request.redirectURI)
  end
end
local person <const> = shown == "function" and byFunction() or ui[shown](answers)

-- 2. An account with a password.
local user <const> = auth:createUser("home@luath.example", "correct horse battery").user
print(("account        %s, with %s"):format(user.email, user.providerData[1].providerID))

-- 3. The server's pages return a credential, which is linked to the account.
user:link(provider:getCredential(person))
local linked
for _, way in ipairs(user.providerData) do
  if way.providerID == provider.providerID then linked = way end
end
assert(linked, "the account has no identity of the server")
print(("linked         %s of %s"):format(linked.email, linked.providerID))

-- 4. Signing in by it finds the same account.
auth:signOut()
local result <const> = auth:signIn(provider:getCredential(person))
assert(result.user.uid == user.uid, "the server led to another account")
assert(not result.additionalUserInfo.isNewUser, "the server made another account")
print(("signed in      by %s, the same account"):format(result.credential.providerID))

-- 5. The server has a session by now: it needs no page (prompt=none).
provider.customParameters = { prompt = "none" }
provider:getCredential(person)
print "no question    no page asked for anything"

-- 6. Signing out of the app does not reach the server. Its own sign-out is a page that the same
-- person must see, and that reads from the ID token who that is (RP-Initiated Logout 1.0).
local idToken <const> = result.credential.idToken
local claims <const> = crypto.claims(idToken)
local audience <const> = type(claims.aud) == "table" and claims.aud[1] or claims.aud
auth:signOut()
local server <const> = oidc.client { issuer = claims.iss, clientID = audience }
server:logout(idToken, person, {
  redirectURI = host.env "OIDC_AFTER_LOGOUT" or "http://127.0.0.1:8910/signed-out",
})
assert(auth.currentUser == nil, "the app still has somebody")
print("signed out     of the app and of " .. claims.iss)

-- 7. Nobody gets in without a page now.
local nothing, refusal <const> = luath.try(provider.getCredential, provider, person)
assert(nothing == nil, "the server still has a session")
print("server forgot  it wants to see the person: " .. refusal.code)
