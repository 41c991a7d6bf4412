-- The words of specs: failures of the same kind as those of expect, under luassert's names.
require("luath.spec.modules").install(package.preload)
local assert = require "luassert"
local expect = require "luath.expect"
local failed = require "expect.failed"
local match = require "luassert.match"
local mock = require "luassert.mock"
local spy = require "luassert.spy"
local stub = require "luassert.stub"

-- The message is luassert's; place, source and difference are there besides.
local raised = failed(function()
  assert.are.same({ 1, { a = 2 } }, { 1, { a = 3 } })
end)
expect.startsWith(raised.message, "Expected objects to be the same.\nPassed in:\n(table: 0x")
expect.endsWith(raised.where, "expect/spec.lua:13")
expect.equal(raised.expression, "assert.are.same({ 1, { a = 2 } }, { 1, { a = 3 } })")
expect.contains(raised.diff, "-     a = 2,")
expect.contains(raised.diff, "+     a = 3,")
expect.equal(tostring(raised), raised.where .. ": " .. raised.message)

-- Plain assert gives all it was given, and takes a level.
expect.equal(select("#", assert(1, nil, 3, nil)), 4)
expect.equal(failed(assert, false, "in words").message, "in words")
local function helper(value)
  assert(value, "too small", assert:level(2))
end
raised = failed(function()
  helper(false)
end)
expect.endsWith(raised.where, "expect/spec.lua:29")

-- What a check of expect raises is an error like others to has_error.
local caught = assert.has_error(function()
  expect.equal(1, 2)
end)
expect.equal(caught.expected, "2")

-- A mistake is none of the spec's failures, and stands at its line.
local good, problem = pcall(function()
  assert.is_wonderful(1)
end)
expect.isFalse(good)
expect.matches(problem, "expect/spec%.lua:41: luassert: unknown modifier/assertion: 'is_wonderful'")

-- Spies, stubs and mocks wait as what is behind them does.
local task = require "luath.task"
local slow = spy.new(function(value)
  task.sleep(0)
  return value, "more"
end)
local one, more = slow(7)
expect.same({ one, more }, { 7, "more" })
assert.spy(slow).was.called_with(match.is_number())
assert.spy(slow).was.returned_with(7, "more")
local service = { send = function() end, inner = { close = function() end } }
local send = service.send
stub(service, "send").on_call_with("a").returns(1)
expect.equal(service.send "a", 1)
service.send:revert()
expect.equal(service.send, send)
local mocked = mock(service, true)
mocked.inner.close()
assert.stub(mocked.inner.close).was.called(1)
mock.revert(mocked)
expect.equal(service.send, send)

-- A snapshot takes back what was changed after it.
local snapshot = assert:snapshot()
stub(service, "send")
snapshot:revert()
expect.equal(service.send, send)

-- Objects of luath are compared as they compare themselves.
local Auth = require "luath.auth"
local auth = Auth.auth()
local user = auth:signInAnonymously().user
assert.equal(user, auth.currentUser)
assert.same({ user }, { auth.currentUser })
assert.is_userdata(user)
expect.matches(failed(assert.is_nil, user).message, "%(userdata%) 'User%(")
assert.has_error(function()
  return user.nothing
end, "User has no field 'nothing'")

-- Functions that wait do so inside assertions, matchers and stubs too.
assert.error_matches(function()
  task.sleep(0)
  error "late 1"
end, "late %d")
assert:register("matcher", "late", function()
  return function(value)
    task.sleep(0)
    return value
  end
end)
local service_ = { send = function() end }
stub(service_, "send").invokes(function()
  task.sleep(0)
  return "late"
end)
expect.equal(service_.send(true), "late")
assert.stub(service_.send).was.called_with(match.is_late())

-- Failures of two tasks keep their own differences.
local function differ(value)
  for _ = 1, 3 do
    task.sleep(0)
    local diff <const> = table.concat(failed(assert.same, { value }, { 0 }).diff)
    expect.contains(diff, tostring(value))
  end
end
local one_ <const>, other_ <const> = task.spawn(differ, 1), task.spawn(differ, 2)
one_:await()
other_:await()

-- A mistake in a chain is no failure, and counts nowhere; nor does a chain that goes on.
local tried <const> = require("luath.expect.failure").within(function()
  assert.spy(spy.new())
  pcall(assert.is_wonderful, 1)
  assert.is_true(true)
  assert(1)
end)
expect.equal(tried.passed, 2)

-- What a script put in place of Lua's functions does not change what is told, and stays.
local format <const> = string.format
string.format = function()
  return "mine"
end
raised = failed(assert.same, { a = 1 }, { a = 2 })
local now <const> = string.format "%d"
string.format = format
expect.equal(now, "mine")
expect.contains(raised.message, "*[a] = 2")

-- Nothing of Debian's files writes to a terminal, colours or touches globals.
local globals <const> = {}
for name in pairs(_G) do
  globals[name] = true
end
assert:set_parameter("TableErrorHighlightColor", "red")
expect.contains(failed(assert.same, { 1 }, { 2 }).message, "*[1] = 2")
assert:set_parameter("TableErrorHighlightColor", "none")
local print <const>, printed = print, nil
_G.print = function()
  printed = true
end
expect.same({ require("luassert.compatibility").unpack { 1, 2 } }, { 1, 2 })
_G.print = print
expect.isNil(printed)
require "luassert.languages.de"
require("say"):set_namespace "en"
for name in pairs(_G) do
  expect.isTrue(globals[name], name)
end
expect.isNil(package.loaded.term)

-- All scripts of a state have one luassert, whatever they do to package.loaded.
package.loaded["luassert"] = nil
expect.isTrue(rawequal(require "luassert", assert))

-- The place is the script's in what assertions of its own raise by level.
assert:register("assertion", "leveled", function(_, _, level)
  error("at the call", level + 1)
end)
local line <const> = debug.getinfo(1, "l").currentline + 1
local _, leveled <const> = pcall(function() assert.leveled(1) end)
expect.endsWith(leveled:match "^(.-): ", "expect/spec.lua:" .. line)
