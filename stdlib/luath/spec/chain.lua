--- Chains of words such as `assert.is_not.equal` and `match.is.number`.
local chain = {}

local registry <const> = require "luath.spec.registry"
local util <const> = require "luath.spec.util"

--- Makes the beginning of chains.
---
---@param kind string what the last word of a chain is: "assertion" or "matcher"
---@param finish function what is done with the chain, the entry and the arguments of the call
---@return fun(): table state
function chain.of(kind, finish)
  local metatable <const> = {}

  function metatable.__index(self, key)
    for token in tostring(key):lower():gmatch "[^_]+" do
      table.insert(self.tokens, token)
    end
    return self
  end

  metatable.__call = entry(function(self, ...)
    local keys <const> = util.extract_keys(kind, self.tokens)
    local found
    for _, key in ipairs(keys) do
      found = registry[kind][key] or found
    end
    -- A chain of assertions that is kept and used again negates again, as luassert's does.
    if kind == "matcher" or not found then
      self.tokens = {}
    end
    local arguments <const> = found == nil and util.make_arglist(...) or nil
    for _, key in ipairs(keys) do
      local modifier <const> = registry.modifier[key]
      if modifier and arguments then
        modifier.callback(self, arguments, util.errorlevel())
      elseif modifier then
        modifier.callback(self)
      end
    end
    if found then
      return finish(self, found, ...)
    end
    return self
  end)

  return function()
    return setmetatable({ mod = true, tokens = {} }, metatable)
  end
end

return chain
