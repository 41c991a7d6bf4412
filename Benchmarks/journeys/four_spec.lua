-- The same as four_journey.lua for Lua's busted, with LuaSocket's blocking requests.
local cjson = require "cjson"
local http = require "socket.http"
local ltn12 = require "ltn12"

local base = os.getenv "EMULATOR" .. "/identitytoolkit.googleapis.com/v1/accounts:"
local run = os.time()

local function call(operation, body)
  local text, parts = cjson.encode(body), {}
  local _, status = http.request {
    url = base .. operation .. "?key=any", method = "POST", sink = ltn12.sink.table(parts),
    source = ltn12.source.string(text),
    headers = { ["Content-Type"] = "application/json", ["Content-Length"] = #text },
  }
  assert.equal(200, status)
  return cjson.decode(table.concat(parts))
end

describe("people", function()
  for number = 1, 1000 do
    it(("person %d comes and goes"):format(number), function()
      local who = {
        email = ("busted-%d-%d@luath.example"):format(run, number), password = "correct horse",
        returnSecureToken = true,
      }
      call("signUp", who)
      local token = call("signInWithPassword", who).idToken
      local user = call("update", { idToken = token, displayName = "Ada", returnSecureToken = true })
      assert.equal("Ada", user.displayName)
      call("delete", { idToken = token })
    end)
  end
end)
