--- The ways an account can be signed in to, before and after a merge.
local ways = {}

local Auth <const> = require "luath.auth"
local words <const> = require "luath.expect.words"
local refuse <const> = require("luath.expect.failure").refuse

local List <const> = {
  __name = "list",
  __index = {
    contains = function(list, value)
      for _, item in ipairs(list) do
        if item == value then
          return true
        end
      end
      return false
    end,
  },
}

--- The keys of a set as a list, in order of the alphabet.
local function listed(set)
  return setmetatable(words.sorted(set), List)
end

--- The items of one set that another lacks, as a list.
local function without(set, other)
  local rest = {}
  for item in pairs(set) do
    if not other[item] then
      rest[item] = true
    end
  end
  return listed(rest)
end

--- Adds the items of a list to a set.
function ways.put(set, list)
  for _, item in ipairs(list) do
    set[item] = true
  end
  return set
end

--- The ids of the providers a user has, as far as this machine knows, in a set.
function ways.of(user)
  local set = {}
  for _, info in ipairs(user.providerData) do
    set[info.providerID] = true
  end
  return set
end

--- The providers behind the methods that a project tells, in a set; nil when it is silent.
function ways.told(methods)
  local set = ways.put({}, methods)
  if set.emailLink then
    set.emailLink, set[Auth.EmailAuthProvider.id] = nil, true
  end
  return next(set) and set
end

--- Whether two addresses are one; the backend keeps them in lower case.
function ways.same(one, other)
  return one ~= nil and other ~= nil and one:lower() == other:lower()
end

--- A credential of what auth:signIn takes as a table.
function ways.credential(proof)
  if proof.email and proof.link then
    return Auth.EmailAuthProvider.credentialWithLink(proof.email, proof.link)
  elseif proof.email and proof.password then
    return Auth.EmailAuthProvider.credential(proof.email, proof.password)
  end
  refuse("bad argument #2 to 'signIn' (a credential, a provider or { email, password } expected)")
end

--- What became of an account: the ways it has now, those that came and those that went.
---
--- Read from the backend afterwards: a provider that is trusted about the address replaces the
--- ways that nobody had verified, and says so nowhere.
function ways.report(result, user, before, told)
  user:reload()
  local now <const> = ways.of(user)
  return {
    user = user,
    credential = result.credential,
    additionalUserInfo = result.additionalUserInfo,
    providers = listed(now),
    before = told and listed(told) or nil,
    linked = without(now, before),
    lost = without(before, now),
    merged = false,
    renewed = false,
    attempts = 0,
  }
end

return ways
