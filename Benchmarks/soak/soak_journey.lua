-- The mixed load of a soak test: sign-in methods, changes, errors and pages of providers. Each
-- journey deletes the accounts that it created, so the emulator must not grow.
local Auth <const> = require "luath.auth"
local emulator <const> = require "luath.emulator"
local http <const> = require "luath.http"
local journey <const> = require "luath.journey"
local ui <const> = require "luath.ui"

local auth <const> = Auth.auth()
local corp <const> = Auth.OAuthProvider "oidc.corp"
local barbara <const> = ui.form { username = "barbara@corp.example", password = "luath-demo" }
local base <const> = emulator.origin .. "/identitytoolkit.googleapis.com/v1/accounts:"

journey("password, refresh and deletion", function(j)
  local email <const> = j:unique "soak" .. "@luath.example"
  auth:createUser(email, "correct horse")
  local user <const> = auth:signIn(Auth.EmailAuthProvider.credential(email, "correct horse")).user
  user:updateProfile { displayName = "Ada" }
  user:getIDToken(true)
  user:updatePassword "battery staple"
  user:delete()
end)

journey("codes that nobody uses", function(j)
  local email <const> = j:unique "soak" .. "@luath.example"
  local user <const> = auth:createUser(email, "correct horse").user
  user:sendEmailVerification()
  auth:sendPasswordReset(email)
  auth:sendSignInLink(email, { url = "http://localhost/", handleCodeInApp = true })
  user:delete()
end)

journey("pages of a provider", function()
  auth:signIn(corp:getCredential(barbara))
  auth:signOut()
end)

journey("flows that nobody finishes", function()
  for _ = 1, 10 do
    local answer <const> = http.post(base .. "createAuthUri?key=any", {
      json = { providerId = "oidc.corp", continueUri = "http://localhost/" },
    })
    http.get(answer:json().authUri)
  end
end)

journey("wrong passwords and unknown users", function(j)
  for _ = 1, 10 do
    local answer <const> = http.post(base .. "signInWithPassword?key=any", {
      json = { email = j:unique "nobody" .. "@luath.example", password = "wrong horse" },
    })
    assert(answer.status == 400)
  end
end)
