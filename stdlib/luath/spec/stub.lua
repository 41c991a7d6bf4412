--- Functions in place of others: `stub(table, key).returns(value)`.
local stub = {}

local assert <const> = require "luath.spec.engine"
local spy <const> = require "luath.spec.spy"
local util <const> = require "luath.spec.util"

--- A function that gives always the same.
local function giving(...)
  local values <const> = table.pack(...)
  return function()
    return util.unpack(values)
  end
end

--- Gives the stub's methods that set what it does.
local function teach(made, behaviour)
  function made.returns(...)
    behaviour.default = giving(...)
    return made
  end

  function made.invokes(f)
    behaviour.default = function(...)
      return f(...)
    end
    return made
  end

  made.by_default = { returns = made.returns, invokes = made.invokes }

  --- What it does when it is called with such arguments.
  function made.on_call_with(...)
    local specification <const> = util.copyargs(util.make_arglist(...))
    local function on(f)
      table.insert(behaviour.calls, specification)
      behaviour.answers[specification] = f
      return made
    end
    return {
      returns = function(...)
        return on(giving(...))
      end,
      invokes = function(f)
        return on(function(...)
          return f(...)
        end)
      end,
    }
  end
end

--- Puts a stub in place of a function of a table, until it is reverted.
---
---@param object? table
---@param key? any
---@param ... any what it gives, or one function that it calls
function stub.new(object, key, ...)
  if object == nil and key == nil then
    object, key = {}, ""
  end
  local isPlace <const> = type(object) == "table" and key ~= nil
  assert(isPlace, "stub.new(): Can only create stub on a table key, call with 2 params; table, key")
  local before <const> = object[key]
  assert(
    before == nil or util.callable(before),
    "stub.new(): The element for which to create a stub must either be callable, or be nil"
  )
  local first <const> = ...
  local isFunction <const> = select("#", ...) == 1 and util.callable(first)
  local behaviour <const> = {
    default = isFunction and first or giving(...),
    calls = {},
    answers = {},
  }
  object[key] = function(...)
    local found <const> = util.matchoncalls(behaviour.calls, util.make_arglist(...))
    return (found and behaviour.answers[found] or behaviour.default)(...)
  end
  local made <const> = spy.on(object, key)
  local revert <const> = made.revert
  function made.revert(self)
    if not self.reverted then
      revert(self)
      object[key] = before
    end
    return before
  end
  teach(made, behaviour)
  return made
end

assert:register("modifier", "stub", function(state, list)
  state.payload, state.failure_message = list and list[1], list and list[2]
end)

return setmetatable(stub, {
  __call = function(_, ...)
    return stub.new(...)
  end,
})
