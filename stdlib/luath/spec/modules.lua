--- The names under which specs require assertions and spies, with luath's own behind them.
local modules = {}

--- By the name that specs require: luath's module.
local NAMES <const> = {
  ["luassert"] = "luath.spec.assert",
  ["luassert.assert"] = "luath.spec.assert",
  ["luassert.init"] = "luath.spec.assert",
  ["luassert.match"] = "luath.spec.match",
  ["luassert.mock"] = "luath.spec.mock",
  ["luassert.namespaces"] = "luath.spec.registry",
  ["luassert.spy"] = "luath.spec.spy",
  ["luassert.state"] = "luath.spec.state",
  ["luassert.stub"] = "luath.spec.stub",
  ["luassert.util"] = "luath.spec.util",
  ["say"] = "luath.spec.say",
}

--- Parts of luassert that register something and give nothing: all of it is registered.
local PARTS <const> = {
  "luassert.array",
  "luassert.assertions",
  "luassert.formatters",
  "luassert.languages.en",
  "luassert.matchers",
  "luassert.matchers.composite",
  "luassert.matchers.core",
  "luassert.modifiers",
}

--- Provides the names.
---
---@param preload table package.preload
function modules.install(preload)
  for name, own in pairs(NAMES) do
    preload[name] = function()
      return (require(own))
    end
  end
  for _, name in ipairs(PARTS) do
    preload[name] = function()
      require "luath.spec.assert"
      return true
    end
  end
  preload["luassert.formatters.binarystring"] = function()
    return require("luath.spec.formatters").binary
  end
end

return modules
