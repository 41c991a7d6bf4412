--- Which of several accounts of one person stays: policies for merges.
---
---     local survivor, losers = batch.survivor.oldest(accounts:byEmail(row.email))
---     return batch.merge { survivor = survivor, losers = losers }
local survivor = {}

local failures <const> = require "luath.journey.failures"
local refuse <const> = failures.refuse

--- The time of an account's making or last sign-in; where it is not known, as if it were never.
local function time(account, name)
  return (account.metadata or {})[name] or math.huge
end

local function byUID(one, other)
  return one.uid < other.uid
end

--- The older account; the uid decides between those made at the same time, so that plans repeat.
local function older(one, other)
  local first <const>, second <const> = time(one, "creationTime"), time(other, "creationTime")
  if first ~= second then
    return first < second
  end
  return byUID(one, other)
end

--- The order by a time, the latest first and unknown ones last; of equal ones another decides.
local function latest(name, otherwise)
  return function(one, other)
    local first <const>, second <const> = time(one, name), time(other, name)
    if first == second then
      return otherwise(one, other)
    elseif first == math.huge or second == math.huge then
      return second == math.huge
    end
    return first > second
  end
end

local ORDERS <const> = {
  oldest = older,
  newest = latest("creationTime", byUID),
  lastSignedIn = latest("lastSignInTime", older),
}

function ORDERS.mostProviders(one, other)
  local first <const>, second <const> = #(one.providerData or {}), #(other.providerData or {})
  if first ~= second then
    return first > second
  end
  return older(one, other)
end

function ORDERS.verifiedFirst(one, other)
  local first <const>, second <const> = one.emailVerified == true, other.emailVerified == true
  if first ~= second then
    return first
  end
  return older(one, other)
end

for name, order in pairs(ORDERS) do
  --- Gives the account that stays, and a list of the others.
  survivor[name] = function(accounts)
    if type(accounts) ~= "table" then
      refuse("bad argument #1 to 'batch.survivor.%s' (a list of accounts expected, got %s)", name,
        type(accounts))
    end
    local list = {}
    for position, account in ipairs(accounts) do
      if type(account) ~= "table" or type(account.uid) ~= "string" then
        refuse("accounts[%d] of 'batch.survivor.%s' is no account", position, name)
      end
      list[position] = account
    end
    table.sort(list, order)
    local first <const> = table.remove(list, 1)
    return first, list
  end
end

return survivor
