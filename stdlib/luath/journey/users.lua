--- The test users of a journey: created for it, and deleted after it.
local users = {}

local host <const> = require "luath.host"
local actor <const> = require "luath.actor"
local pool <const> = require "luath.journey.pool"
local runner <const> = require "luath.runner"
local refuse <const> = require("luath.journey.failures").refuse

--- `j.users`.
---@class Users
local Users <const> = { __name = "Users" }
Users.__index = Users

--- The test users of a scope: a journey, or what a fixture is made for.
function users.of(scope)
  return setmetatable({ scope = scope }, Users)
end

local function remember(self, person)
  if person.password then
    runner.secret(person.password)
  end
  if not runner.options.isInside then
    -- The emulator inside ends with the run; any other target keeps what nobody takes away.
    self.scope:defer(function()
      person:cleanUp()
    end, ("clean-up of %s"):format(person.email), 30)
  end
  return person
end

--- Somebody of the pool of a real project, for as long as the scope lasts; nil when nobody fits.
local function leased(self, options)
  local account, giveBack = pool.lease(options)
  if not account then
    return nil
  end
  self.scope:defer(giveBack, ("giving back %s"):format(account.email))
  if account.missing then
    refuse("the account %s needs the environment variable %s, which is not set",
      account.email, account.missing)
  end
  runner.secret(account.password)
  local person = actor.get(account.email, { password = account.password })
  self.scope:defer(function()
    person:signOut()
  end, ("signing out %s"):format(account.email))
  return person
end

--- Makes a person: at the emulated identity providers, and with `password` an account as well.
---
---     local ada = j.users:new { email = "ada@contoso.example", password = "correct horse" }
---
--- On a real project that is an account of the target's pool where one fits (by `email` and
--- `providers`), or else a new account, which is deleted when the journey is over.
---
---@param options? table as of `actor.new`
---@return Actor
function Users:new(options)
  if not host.isEmulated then
    local person = leased(self, options or {})
    if person then
      return person
    end
  end
  return remember(self, actor.new(options))
end

--- A test user of the project file, with a session for this journey.
---
---@param email string
---@param options? table as of `actor.get`
---@return Actor
function Users:get(email, options)
  return remember(self, actor.get(email, options))
end

entries(Users)

return users
