-- A user under load who looks the own account up a hundred times, as wrk does.
local emulator <const> = require "luath.emulator"
local http <const> = require "luath.http"
local journey <const> = require "luath.journey"

local base <const> = emulator.origin .. "/identitytoolkit.googleapis.com/v1/accounts:"
local token

local function signedUp(j)
  local answer = http.post(base .. "signUp?key=any", {
    json = { email = j:unique() .. "@luath.example", password = "correct horse",
      returnSecureToken = true },
  })
  return answer:json().idToken
end

journey("looks up", function(j)
  token = token or signedUp(j)
  for _ = 1, 100 do
    local answer = http.post(base .. "lookup?key=any", { json = { idToken = token } })
    assert(answer.status == 200, "the look-up was not answered well")
  end
end)
