--- Claims, e-mails and responses, compared with the texts in snapshots_journey.lua.snap.
--- `luath test --update-snapshots` writes those that differ.
local crypto <const> = require "luath.crypto"
local emulator <const> = require "luath.emulator"
local expect <const> = require "luath.expect"
local http <const> = require "luath.http"
local journey <const> = require "luath.journey"

journey.configure { tags = { "snapshots" } }

journey("the claims after signing in with Google", function(j)
  local ada <const> = j.users:new { email = "ada@contoso.example", name = "Ada Lovelace" }
  ada:signIn "google.com"
  expect.snapshot(crypto.claims(ada.user:getIDToken()), "claims")
end)

journey("the e-mail for a new password", function(j)
  local bob <const> = j.users:new { email = "bob@contoso.example", password = "correct horse" }
  bob.auth:sendPasswordReset(bob.email)
  expect.snapshot(bob:newestEmail(), "e-mail")
end)

journey("the response to a wrong password", function()
  local path <const> = "/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=none"
  local response <const> = http.post(emulator.origin .. path, {
    json = { email = "nobody@contoso.example", password = "wrong horse" },
  })
  expect.snapshot({ status = response.status, body = response.body }, "refusal")
end)
