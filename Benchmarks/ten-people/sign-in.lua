-- The wall time of one sign-in and of ten at the same time, each of two requests to an emulator whose
-- every answer takes 20 ms. Prints the times of all rounds.
local Auth <const> = require "luath.auth"
local emulator <const> = require "luath.emulator"
local json <const> = require "luath.json"
local task <const> = require "luath.task"
package.cpath = arg[1] .. "/?.so;" .. package.cpath
local now <const> = require("bench_peer").now

local rounds <const>, people <const> = tonumber(arg[2]), 10
local password <const> = "correct horse battery"

local function address(person)
  return ("person%d@luath.example"):format(person)
end

for person = 1, people do
  Auth.session():createUser(address(person), password)
end
emulator.setFaults { { latency = 20 } }

local function signIn(person)
  return function()
    local user = Auth.session():signInWithEmail(address(person), password).user
    assert(user.email == address(person), "somebody else signed in")
  end
end

local function timed(count)
  local tasks <const> = {}
  for person = 1, count do
    tasks[person] = signIn(person)
  end
  local start <const> = now()
  task.all(tasks)
  return now() - start
end

local times <const> = { one = {}, ten = {} }
for round = 1, rounds do
  times.one[round] = timed(1)
  times.ten[round] = timed(people)
end
print(json.encode(times))
