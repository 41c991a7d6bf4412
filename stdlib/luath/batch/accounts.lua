--- The accounts that a plan may look at; rows that are planned at the same time share the calls.
local accounts = {}

local failures <const> = require "luath.journey.failures"
local places <const> = require "luath.batch.places"
local planner <const> = require "luath.planner"
local records <const> = require "luath.batch.records"
local refuse <const> = failures.refuse

local Accounts <const> = { __name = "Accounts" }

--- The row of each handle, kept apart so that a script cannot take another one's.
local rows <const> = setmetatable({}, { __mode = "k" })

--- A handle for a row.
function accounts.new(row)
  local handle = setmetatable({}, Accounts)
  rows[handle] = { number = row, seen = {} }
  return handle
end

--- The names of the fields that the row has read so far, as the keys of a table for each uid.
function accounts.read(handle)
  local seen <const> = rows[handle].seen
  return next(seen) and seen
end

--- Looks accounts up, and gives a list of records for each name.
local function lookUp(self, kind, names, providerId)
  local row <const> = rows[self]
  local found <const> = planner.lookUp(row.number, kind, names, providerId)
  for _, users in ipairs(found) do
    for position, user in ipairs(users) do
      local seen <const> = row.seen[user.uid] or {}
      row.seen[user.uid] = seen
      users[position] = records.watch(user, seen)
    end
  end
  return found
end

local function check(name, value, position)
  if type(value) ~= "string" then
    refuse("bad argument #%d to 'accounts:%s' (a string expected, got %s)", position or 1, name,
      type(value))
  end
end

local function list(name, values)
  if type(values) ~= "table" then
    refuse("bad argument #1 to 'accounts:%s' (a list of strings expected, got %s)", name,
      type(values))
  end
  for _, value in ipairs(values) do
    check(name, value)
  end
  return values
end

local function one(self, kind, value, providerId)
  if value == "" then
    return {} -- nobody has it, and the backend takes it for one that was not given
  end
  return lookUp(self, kind, { value }, providerId)[1]
end

local methods <const> = {}

--- The account of a uid, or nil.
function methods:byUID(uid)
  check("byUID", uid)
  return one(self, "uid", uid)[1]
end

--- A list of the accounts that have an address: none, one, or several that share it.
function methods:byEmail(email)
  check("byEmail", email)
  return one(self, "email", email)
end

--- The account of a phone number in international form, or nil.
function methods:byPhone(number)
  check("byPhone", number)
  return one(self, "phone", number)[1]
end

--- The account that has an identity at a provider, or nil.
function methods:byProvider(providerId, rawId)
  check("byProvider", providerId)
  check("byProvider", rawId, 2)
  if rawId == "" or providerId == "" then
    return nil
  end
  return one(self, "provider", rawId, providerId)[1]
end

local function all(self, kind, values, isSingle)
  local asked = {}
  for _, value in ipairs(values) do
    if value ~= "" then
      asked[#asked + 1] = value
    end
  end
  local found = {}
  if #asked > 0 then
    for position, users in ipairs(lookUp(self, kind, asked)) do
      found[asked[position]] = isSingle and users[1] or not isSingle and users or nil
    end
  end
  return found
end

--- The accounts of several uids in one go, by uid.
function methods:allByUID(uids)
  return all(self, "uid", list("allByUID", uids), true)
end

--- For each of several addresses the list of its accounts, by address.
function methods:allByEmail(emails)
  return all(self, "email", list("allByEmail", emails), false)
end

for name, body in pairs(methods) do
  methods[name] = places.watched(body)
end

function Accounts.__index(_, key)
  if methods[key] then
    places.reach()
    return methods[key]
  end
  return refuse("accounts has no '%s'; it looks up: byUID, byEmail, byPhone, "
    .. "byProvider, allByUID, allByEmail", tostring(key))
end

function Accounts.__newindex()
  refuse("accounts cannot be changed")
end

return accounts
