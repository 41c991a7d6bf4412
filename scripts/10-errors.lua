--- Lesson 10: a tour of the errors. Provokes each, and shows its code, number, message and hint.
---
--- A script compares err.code with Auth.ErrorCode.NAME; a name that does not exist is an error, so
--- that a slip of the pen cannot compare false for ever.
---
--- Usage: luath run scripts/10-errors.lua
---
--- Sample output (two of its rows):
---
---     17008  invalidEmail
---            the e-mail address is badly formed
---            -> pass an address of the form name@host
---     17026  weakPassword
---            the password is too weak
---            -> choose a password of at least six characters

local Auth <const> = require "luath.auth"
local admin <const> = require "luath.admin"
local crypto <const> = require "luath.crypto"
local emulator <const> = require "luath.emulator"
local task <const> = require "luath.task"
local ui <const> = require "luath.ui"

-- An emulator of its own begins empty; one that others use too may not.
emulator.clear()
emulator.configure { enumerationProtection = true }
local auth <const> = Auth.auth()
local password <const> = crypto.random() -- made up for this run
local seen <const>, codes <const> = {}, {}

--- Calls a function that must fail with a code, and shows the error as a row of the table.
local function row(code, f, ...)
  local good, err <const> = pcall(f, ...)
  assert(not good, code .. " was not raised: the call went well")
  assert(type(err) == "table", code .. " was not raised, but: " .. tostring(err))
  assert(err.code == Auth.ErrorCode[code], code .. " was not raised, but: " .. tostring(err))
  assert(err.message ~= "" and err.hint ~= "", code .. " has no message or hint")
  print(("%d  %s\n       %s\n       -> %s"):format(err.rawValue, err.code, err.message, err.hint))
  if not seen[err.code] then
    seen[err.code] = true
    codes[#codes + 1] = err.code
  end
  return err
end

--- A provider, with the person its page is for.
local function provider(id, email)
  local made = Auth.OAuthProvider(id)
  made.customParameters = { login_hint = email }
  return made
end

print "Passwords and addresses"
row("invalidEmail", auth.createUser, auth, "ada", password)
row("weakPassword", auth.createUser, auth, "ada@contoso.example", "short")
local ada <const> = auth:createUser("ada@contoso.example", password).user
row("emailAlreadyInUse", auth.createUser, auth, "ada@contoso.example", password)
-- Under enumeration protection one code stands for both: a stranger learns nothing.
row("invalidCredential", auth.signIn, auth, { email = ada.email, password = "not hers" })
emulator.configure { enumerationProtection = false }
row("wrongPassword", auth.signIn, auth, { email = ada.email, password = "not hers" })
row("userNotFound", auth.signIn, auth, { email = "nobody@contoso.example", password = password })

print "\nProviders"
row("invalidProviderID", Auth.OAuthProvider, "microsoft")
row("operationNotAllowed", auth.signIn, auth, Auth.OAuthProvider "oidc.unknown")
row("invalidCustomParameter", function()
  Auth.OAuthProvider("microsoft.com").customParameters = { state = "chosen by me" }
end)
row("invalidCustomParameter", function()
  Auth.OAuthProvider("microsoft.com").customParameters = { prompt = "" }
end)

print "\nPages"
local microsoft <const> = provider("microsoft.com", "grace@fabrikam.example")
local demo <const> = { username = "grace@fabrikam.example", password = "luath-demo" }
row("webConsentDenied", function()
  -- Who consented before is asked again.
  microsoft.customParameters.prompt = "consent"
  microsoft:getCredential(ui.form {
    username = demo.username, password = demo.password, consent = false,
  })
end)
row("webContextCancelled", microsoft.getCredential, microsoft, function() end)
row("webStateMismatch", microsoft.getCredential, microsoft, function(page)
  return page.redirectURI .. "?code=guessed&state=guessed"
end)
row("webContextAlreadyPresented", function()
  task.all {
    function() return microsoft:getCredential() end,
    function() return microsoft:getCredential() end,
  }
end)

print "\nConflicts"
row("accountExistsWithDifferentCredential", auth.signIn, auth,
  provider("microsoft.com", "ada@contoso.example"))
auth:signIn(microsoft)
local user = auth:signIn({ email = ada.email, password = password }).user
row("credentialAlreadyInUse", user.link, user, microsoft)
row("userMismatch", user.reauthenticate, user, microsoft)
user:link(provider("google.com", "ada@contoso.example"))
row("providerAlreadyLinked", user.link, user, provider("google.com", "ada@contoso.example"))
row("noSuchProvider", user.unlink, user, "yahoo.com")

print "\nTokens"
row("invalidCustomToken", auth.signInWithCustomToken, auth, "not.a.token")
local used <const> = microsoft:getCredential()
local elsewhere <const> = Auth.session()
elsewhere:signIn(used)
row("invalidCredential", elsewhere.signIn, elsewhere, used)
row("missingOrInvalidNonce", function()
  -- An ID token of a page that was given a nonce, without the nonce.
  local corp = provider("oidc.corp", "barbara@corp.example")
  local token = auth:signIn(corp).credential.idToken
  auth:signIn(Auth.OAuthProvider.credential("oidc.corp", token))
end)

print "\nTime"
user = auth:signIn({ email = ada.email, password = password }).user
emulator.advance(3600)
row("requiresRecentLogin", user.updatePassword, user, crypto.random())
-- A session finds out when it wants a new token: that the password was changed in another
-- session, or that the account was deleted there.
local other <const> = Auth.session()
other:signIn({ email = ada.email, password = password }).user:updatePassword(crypto.random())
row("userTokenExpired", user.getIDToken, user, true)
local grace <const> = Auth.session()
grace:signIn(microsoft)
other:signIn(microsoft).user:delete()
row("userNotFound", grace.currentUser.getIDToken, grace.currentUser, true)
row("invalidCustomToken", function()
  local token = admin.customToken(emulator.serviceAccount(), "grace")
  emulator.advance(7200)
  auth:signInWithCustomToken(token)
end)

print(("\n%d different codes seen"):format(#codes))
assert(#codes >= 12, "the tour is too short")

-- A name that does not exist is an error of its own.
local good, slip <const> = pcall(function() return Auth.ErrorCode.emailAlredyInUse end)
assert(not good, "a wrong name compared false")
print(slip:match ": (.*)$")
