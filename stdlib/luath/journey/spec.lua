--- What specs written for busted require and find: assertions, spies, and the module `busted`.
local spec = {}

--- Where busted looks for modules besides, from the working folder.
local PATH <const> = "./src/?.lua;./src/?/?.lua;./src/?/init.lua"

local environment <const> = require "luath.journey.environment"
local events <const> = require "luath.journey.events"
local modules <const> = require "luath.spec.modules"

--- The module `busted`: the words by name.
local function busted()
  local api = { version = "2.1.1" }
  local task <const> = require "luath.task"
  api.sleep = task.sleep
  api.subscribe, api.unsubscribe = events.subscribe, events.unsubscribe
  api.publish = events.publish
  api.gettime, api.monotime = os.time, os.clock
  return setmetatable(api, {
    __index = environment.words,
    __newindex = function()
      error("Attempt to modify busted", 2)
    end,
    __call = function()
      return api
    end,
  })
end

--- Puts assertions, spies and stubs among the words, and `busted` among the modules.
function spec.install(words)
  words.assert = modules.require "luassert"
  for _, name in ipairs { "spy", "stub", "mock", "match" } do
    words[name] = modules.require("luassert." .. name)
  end
  modules.install(package.preload)
  package.path = PATH .. ";" .. package.path
  package.cpath = "./csrc/?.so;./csrc/?/?.so;" .. package.cpath
  package.preload["busted"] = busted
  package.preload["busted.runner"] = function()
    -- A spec that starts itself when it is run on its own is being run already.
    return function()
      return function() end
    end
  end
end

return spec
