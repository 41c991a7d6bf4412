--- The accounts of a real project that journeys may use: each with one journey at a time.
local pool = {}

local runner <const> = require "luath.runner"
local task <const> = require "luath.task"

--- Under which name all files of a run keep who is taken.
local BOARD <const> = "accounts"

--- What the files of a run share under a name, for this file alone until it is released; waits
--- while another worker's file has it.
function pool.claim(name)
  while true do
    local isMine, value = runner.claim(name)
    if isMine then
      return value
    end
    task.sleep(0.005)
  end
end

--- The accounts that are taken by now, for this file alone until `put`.
local function take()
  return pool.claim(BOARD) or {}
end

local function put(taken)
  runner.release(BOARD, next(taken) and taken or nil)
end

--- Whether an account is what a journey asks for.
local function fits(account, wanted)
  if wanted.email and account.email:lower() ~= wanted.email:lower() then
    return false
  end
  local has = {}
  for _, id in ipairs(account.providers or {}) do
    has[id] = true
  end
  for _, id in ipairs(wanted.providers or {}) do
    if not has[id] then
      return false
    end
  end
  return true
end

--- Takes an account that fits, and waits while all of them are with other journeys.
---
---@param wanted table `email`, `providers`
---@return table? account nil when the pool has none that fits
---@return function? giveBack
function pool.lease(wanted)
  local candidates = {}
  for _, account in ipairs(runner.options.accounts or {}) do
    if fits(account, wanted) then
      candidates[#candidates + 1] = account
    end
  end
  while #candidates > 0 do
    local taken, found = take(), nil
    for _, account in ipairs(candidates) do
      if not taken[account.email] then
        found, taken[account.email] = account, true
        break
      end
    end
    put(taken)
    if found then
      return found, function()
        local now = take()
        now[found.email] = nil
        put(now)
      end
    end
    task.sleep(0.05)
  end
end

return pool
