-- A journey of one request to the address in STALLING_URL.
local http <const> = require "luath.http"
local journey <const> = require "luath.journey"

local url <const> = os.getenv "STALLING_URL"

journey("gets", function()
  assert(http.get(url).status == 200)
end)
