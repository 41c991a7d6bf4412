--- Refuses wrong arguments of assertions and matchers, as failures in luassert's words.
local arguments = {}

local assert <const> = require "luath.spec.engine"
local say <const> = require "luath.spec.say"
local state <const> = require "luath.spec.state"

--- Fails unless there are so many arguments.
function arguments.need(list, count, name)
  if list.n < count then
    assert(false, say("assertion.internal.argtolittle", { name, count, tostring(list.n) }))
  end
end

--- Fails unless an argument is of the kind that it must be.
function arguments.check(isGood, position, name, kind, given)
  if not isGood then
    assert(false, say("assertion.internal.badargtype", { position, name, kind, given }))
  end
end

--- A value in words, as messages have it.
function arguments.format(value)
  return state.format_argument(value) or tostring(value)
end

return arguments
