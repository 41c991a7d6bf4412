--- Signs somebody in, and writes every kind of token that luath makes.
---
--- Usage: luath run issue.lua

local Admin <const> = require "luath.admin"
local Auth <const> = require "luath.auth"
local json <const> = require "luath.json"

local admin <const> = Admin.admin()
local custom <const> = admin:createCustomToken("yahoo:Ü-1", { plan = "gold" })
local user <const> = Auth.auth():signInWithCustomToken(custom).user
local idToken <const> = user:getIDToken()

print(json.encode {
  custom = custom,
  idToken = idToken,
  cookie = admin:createSessionCookie(idToken, { expiresIn = 3600 }),
})
