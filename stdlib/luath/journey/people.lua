--- The people of a journey: made for it, and gone with it.
local people = {}

local host <const> = require "luath.host"
local actor <const> = require "luath.actor"
local runner <const> = require "luath.runner"

--- `j.people`.
---@class People
local People <const> = { __name = "People" }
People.__index = People

--- The people of a scope: a journey, or what a fixture is made for.
function people.of(scope)
  return setmetatable({ scope = scope }, People)
end

local function remember(self, person)
  if person.password then
    runner.secret(person.password)
  end
  if not host.isEmulated then
    -- An emulated project ends with its journey; a real one keeps what nobody takes away.
    self.scope:defer(function()
      person:cleanUp()
    end, ("clean-up of %s"):format(person.email), 30)
  end
  return person
end

--- Makes a person: at the emulated identity providers, and with `password` an account as well.
---
---     local ada = j.people:new { email = "ada@contoso.example", password = "correct horse" }
---
---@param options? table as of `actor.new`
---@return Actor
function People:new(options)
  return remember(self, actor.new(options, 2))
end

--- A person whom the providers know from the project file, with a session for this journey.
---
---@param email string
---@param options? table as of `actor.get`
---@return Actor
function People:get(email, options)
  return remember(self, actor.get(email, options))
end

return people
