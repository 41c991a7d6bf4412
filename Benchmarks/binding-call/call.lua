-- The cost of one call from Lua into Swift, against the same call into plain C: the same loop in the
-- same process, the two in turn. Prints JSON: nanoseconds of each round's loop alone, with the call
-- into Swift, and with the call into C.
local crypto <const> = require "luath.crypto"
local json <const> = require "luath.json"
package.cpath = arg[1] .. "/?.so;" .. package.cpath
local peer <const> = require "bench_peer"

local rounds <const>, calls <const> = tonumber(arg[2]), tonumber(arg[3])
local spent <const> = peer.spent
local one <const>, other <const> = "hTx0rPq7", "hTx0rPq" .. tostring(7)

local function empty()
  local start = spent()
  for _ = 1, calls do
  end
  return spent() - start
end

local function time(f)
  local start = spent()
  for _ = 1, calls do
    f(one, other)
  end
  return spent() - start
end

for _, f in ipairs { crypto.equal, peer.equal } do
  assert(f(one, other) == true and f(one, "hTx0rPq8") == false)
  assert(not pcall(f, one, {}), "arguments are checked on both sides")
end

local times <const> = { loop = {}, ours = {}, peer = {} }
for round = 1, rounds do
  times.loop[round] = empty() / calls * 1e9
  times.ours[round] = time(crypto.equal) / calls * 1e9
  times.peer[round] = time(peer.equal) / calls * 1e9
end
print(json.encode(times))
