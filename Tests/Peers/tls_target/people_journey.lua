--- Journeys on what is a real project to luath: whoever they make is gone afterwards, whatever happens.
local expect <const> = require "luath.expect"
local host <const> = require "luath.host"
local journey <const> = require "luath.journey"
local task <const> = require "luath.task"

--- Makes somebody with an account, and another who signs in.
local function arrive(j)
  expect.falsy(host.isEmulated)
  local ada <const> = j.users:new { password = j:unique "secret" }
  ada:signIn()
  local grace <const> = j.users:new()
  grace:createAccount()
  return ada
end

journey("passes #good", arrive)

journey("fails #bad", function(j)
  arrive(j)
  error "on purpose"
end)

journey("never ends #bad", { timeout = 3 }, function(j)
  arrive(j)
  task.sleep(100)
end)

journey("computes without end #bad", { timeout = 3 }, function(j)
  arrive(j)
  while true do end
end)

journey("deletes its account itself #good", function(j)
  arrive(j).user:delete()
end)

journey("is interrupted #long", function(j)
  arrive(j)
  io.stdout:write "ready\n"
  io.stdout:flush()
  task.sleep(100)
end)
