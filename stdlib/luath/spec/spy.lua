--- Functions that note how they are called: `spy.new(f)`, `spy.on(table, key)`.
local spy = {}

local assert <const> = require "luath.spec.engine"
local util <const> = require "luath.spec.util"

local methods <const> = {}
local metatable <const> = { __index = methods, __name = "luath.Spy" }

function metatable.__call(self, ...)
  table.insert(self.calls, util.copyargs(util.make_arglist(...)))
  local function note(...)
    table.insert(self.returnvals, util.copyargs(util.make_arglist(...)))
    return ...
  end
  return note(self.callback(...))
end

--- Puts back what was there before `spy.on`; gives the function behind the spy.
function methods:revert()
  if not self.reverted then
    if self.target_table and self.target_key then
      self.target_table[self.target_key] = self.callback
    end
    self.reverted = true
  end
  return self.callback
end

function methods:clear()
  self.calls, self.returnvals = {}, {}
  return self
end

--- Whether it was called so many times, or at all; and how many times it was.
function methods:called(times, compare)
  local count <const> = #self.calls
  if compare then
    return compare(count, times), count
  elseif times then
    return count == times, count
  end
  return count > 0, count
end

--- Whether one of the lists fits; that list, or the last one there is.
local function search(lists, specification)
  local found <const> = util.matchargs(lists, specification)
  if found then
    return true, found.vals
  end
  local last <const> = lists[#lists]
  return false, last and last.vals
end

function methods:called_with(arguments)
  return search(self.calls, arguments)
end

function methods:returned_with(values)
  return search(self.returnvals, values)
end

--- Makes a spy in front of a function; without one, of a function that does nothing.
function spy.new(callback)
  callback = callback or function() end
  if not util.callable(callback) then
    util.mistake("Cannot spy on type '%s', only on functions or callable elements", type(callback))
  end
  local made <const> = setmetatable({ calls = {}, returnvals = {}, callback = callback }, metatable)
  assert:add_spy(made)
  return made
end

function spy.is_spy(value)
  return type(value) == "table" and getmetatable(value) == metatable
end

--- Puts a spy in front of a function of a table.
function spy.on(target, key)
  local made <const> = spy.new(target[key])
  target[key] = made
  made.target_table, made.target_key = target, key
  return made
end

local function setSpy(state, list)
  state.payload = list and list[1]
  if list and list[2] ~= nil then
    state.failure_message = list[2]
  end
end

--- The spy that a chain is about.
local function payload(state, method)
  local found <const> = rawget(state, "payload")
  if type(found) == "function" and method == "called" then
    util.mistake(
      "When calling 'spy(aspy)', 'aspy' must not be the original function, "
        .. "but the spy function replacing the original"
    )
  elseif type(found) ~= "table" or not found[method] then
    util.mistake("'%s' must be chained after 'spy(aspy)'", method)
  end
  return found
end

--- An assertion about what a spy was called with, or gave.
local function with(method)
  return function(state, list)
    local good <const>, found <const> = payload(state, method)[method](state.payload, list)
    local expected <const> = util.shallowcopy(list)
    util.cleararglist(list)
    util.tinsert(list, 1, found)
    util.tinsert(list, 2, expected)
    return good
  end
end

--- An assertion about how often a spy was called.
local function times(compare)
  return function(state, list)
    local wanted = list[1]
    if not wanted and not state.mod then
      state.mod, wanted = true, 0
    end
    local good <const>, count <const> = payload(state, "called"):called(wanted, compare)
    list[1] = tostring(wanted or ">0")
    util.tinsert(list, 2, tostring(count))
    list.nofmt = list.nofmt or {}
    list.nofmt[1], list.nofmt[2] = true, true
    return good
  end
end

--- Registers an assertion; the message of its contrary may be another's.
local function register(name, callback, contrary)
  local negative <const> = contrary and contrary .. ".positive" or name .. ".negative"
  assert:register(
    "assertion",
    name,
    callback,
    ("assertion.%s.positive"):format(name),
    "assertion." .. negative
  )
end

assert:register("modifier", "spy", setSpy)
register("returned_with", with "returned_with")
register("called_with", with "called_with")
register("called", times())
register("called_at_least", times(function(count, wanted)
  return count >= wanted
end), "called_less_than")
register("called_at_most", times(function(count, wanted)
  return count <= wanted
end), "called_more_than")
register("called_more_than", times(function(count, wanted)
  return count > wanted
end), "called_at_most")
register("called_less_than", times(function(count, wanted)
  return count < wanted
end), "called_at_least")

return setmetatable(spy, {
  __call = function(_, ...)
    return spy.new(...)
  end,
})
