-- Rounds of sign-ups side by side: how many of them failed.
local Auth <const> = require "luath.auth"
local task <const> = require "luath.task"

local failed = 0
local function join()
  local ok, err = pcall(function() Auth.session():signInAnonymously() end)
  if not ok then
    failed = failed + 1
    io.stderr:write(tostring(err), "\n")
  end
end

for _ = 1, math.tointeger(arg[1]) do
  local round = {}
  for index = 1, math.tointeger(arg[2]) do round[index] = join end
  task.all(round)
end
print(failed .. " failed")
