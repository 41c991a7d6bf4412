--- Ways for an owner to prove an existing account; each is a function for the option `prove`.
local policies = {}

local Auth <const> = require "luath.auth"
local kinds <const> = require "luath.expect.kinds"
local refuse <const> = require("luath.expect.failure").refuse

local function mistake(name, expected, value)
  refuse("bad argument #1 to '%s' (%s expected, got %s)", name, expected, type(value))
end

--- Whether the project tells that an account has no such way.
local function isRuledOut(conflict, way)
  return conflict.methods ~= nil and not conflict.methods:contains(way)
end

--- By the password: one that is known, or a function that asks for it as often as it is wrong.
---
---     merge.password(luath.secret "ADA_PASSWORD")
---
---@param password string|function
---@secret password
---@return function
function policies.password(password)
  if type(password) ~= "string" and type(password) ~= "function" then
    mistake("password", "string or function", password)
  end
  return function(conflict)
    if isRuledOut(conflict, Auth.EmailAuthProvider.id) then
      return nil
    end
    local given = password
    if type(password) == "function" then
      given = password(conflict)
    elseif conflict.attempt > 1 then
      given = nil -- it was wrong, and asking again changes nothing
    end
    return given and { email = conflict.email, password = given }
  end
end

--- By the pages of providers, one after the other; those that the project names come alone.
---
---     merge.providers { "google.com", "yahoo.com" }
---
---@param list (string|OAuthProvider)[]
---@param delegate? UIDelegate|function
---@return function
function policies.providers(list, delegate)
  if type(list) ~= "table" then
    mistake("providers", "list of providers", list)
  end
  for _, item in ipairs(list) do
    if not kinds.fit("string or OAuthProvider", item) then
      mistake("providers", "list of ids or OAuthProviders", item)
    end
  end
  return function(conflict)
    local named = conflict.methods or conflict.verifiedProviders
    local position = 0
    for _, item in ipairs(list) do
      local id = type(item) == "string" and item or item.providerID
      if #named == 0 or named:contains(id) then
        position = position + 1
        if position == conflict.attempt then
          if type(item) == "string" then
            item = Auth.OAuthProvider(id)
            item.customParameters = { login_hint = conflict.email }
          end
          return item, delegate
        end
      end
    end
  end
end

--- By a link that is sent to the address: `read` gets the address and returns the link of the mail.
---
---     merge.emailLink(readMailbox, { url = "https://app.example/finish", handleCodeInApp = true })
---
---@param read function
---@param settings table what auth:sendSignInLink takes
---@return function
function policies.emailLink(read, settings)
  if type(read) ~= "function" then
    mistake("emailLink", "function", read)
  end
  return function(conflict)
    conflict.auth:sendSignInLink(conflict.email, settings)
    local link = read(conflict.email)
    return link and { email = conflict.email, link = link }
  end
end

--- By the first policy that returns anything; when it returns nothing more, by the next.
---
---     merge.firstOf(merge.providers { "google.com" }, merge.password(ask))
---
---@param ... function
---@return function
function policies.firstOf(...)
  local list <const> = table.pack(...)
  for index = 1, list.n do
    if type(list[index]) ~= "function" then
      refuse("bad argument #%d to 'firstOf' (function expected, got %s)", index, type(list[index]))
    end
  end
  -- A policy may serve many conflicts at once, and each is at a place of its own.
  local places <const> = setmetatable({}, { __mode = "k" })
  return function(conflict)
    local place = places[conflict.error] or { index = 1, attempt = 0 }
    places[conflict.error] = place
    while list[place.index] do
      place.attempt = place.attempt + 1
      local seen = setmetatable({ attempt = place.attempt }, { __index = conflict })
      local proof, delegate = list[place.index](seen)
      if proof ~= nil then
        return proof, delegate
      end
      place.index, place.attempt = place.index + 1, 0
    end
  end
end

return policies
