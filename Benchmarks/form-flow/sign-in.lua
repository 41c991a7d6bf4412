-- The wall time of a sign-in by forms on the emulator, in two parts: the provider's pages until there
-- is a credential, and the sign-in with it. Beside them the time of as many plain requests as the
-- pages took. Prints the times of all rounds.
local Auth <const> = require "luath.auth"
local emulator <const> = require "luath.emulator"
local http <const> = require "luath.http"
local json <const> = require "luath.json"
local ui <const> = require "luath.ui"
package.cpath = arg[1] .. "/?.so;" .. package.cpath
local now <const> = require("bench_peer").now

local rounds <const> = tonumber(arg[2])
local auth <const> = Auth.auth()
local corp <const> = Auth.OAuthProvider "oidc.corp"
-- Else the consent page comes the first time only.
corp.customParameters = { prompt = "consent" }
local barbara <const> = ui.form { username = "barbara@corp.example", password = "luath-demo" }

--- The number of the last request that the emulator has answered.
local function counted()
  return http.get(emulator.origin .. "/emulator/v1/events"):json().newest
end

local function timed(work)
  local start <const> = now()
  local result <const> = work()
  return now() - start, result
end

local function credential() return corp:getCredential(barbara) end

-- The first sign-in also reads what the server says about itself.
credential()
local first <const> = counted()
credential()
local exchanges <const> = counted() - first

local function plain()
  for _ = 1, exchanges do
    http.get(emulator.origin .. "/__/auth/handler")
  end
end

local times <const> = { credential = {}, signIn = {}, plain = {}, exchanges = exchanges }
for round = 1, rounds do
  local given
  times.credential[round], given = timed(credential)
  times.signIn[round] = timed(function() auth:signIn(given) end)
  times.plain[round] = timed(plain)
  auth:signOut()
end
print(json.encode(times))
