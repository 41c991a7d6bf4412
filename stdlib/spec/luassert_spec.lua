local assert = require "luassert"
local expect = require "luath.expect"
local failed = require "support.failed"
local match = require "luassert.match"
local mock = require "luassert.mock"
local spy = require "luassert.spy"
local stub = require "luassert.stub"
local task = require "luath.task"

--- The place so many lines above the call.
local function above(lines)
  return "luassert_spec.lua:" .. debug.getinfo(2, "l").currentline - lines
end

describe("luassert in specs", function()
  it("the message is luassert's, with the place, the source and the difference", function()
    local raised = failed(function()
      assert.are.same({ 1, { a = 2 } }, { 1, { a = 3 } })
    end)
    expect.startsWith(raised.message, "Expected objects to be the same.\nPassed in:\n(table: 0x")
    expect.endsWith(raised.where, above(3))
    expect.equal(raised.expression, "assert.are.same({ 1, { a = 2 } }, { 1, { a = 3 } })")
    expect.contains(raised.diff, "-     a = 2,")
    expect.contains(raised.diff, "+     a = 3,")
    expect.equal(tostring(raised), raised.where .. ": " .. raised.message)
  end)

  it("plain assert returns all its arguments, and takes a level", function()
    expect.equal(select("#", assert(1, nil, 3, nil)), 4)
    expect.equal(failed(assert, false, "in words").message, "in words")
    local function helper(value)
      assert(value, "too small", assert:level(2))
    end
    local raised = failed(function()
      helper(false)
    end)
    expect.endsWith(raised.where, above(2))
  end)

  it("the failure of a check of luath.expect is an error to has_error", function()
    local caught = assert.has_error(function()
      expect.equal(1, 2)
    end)
    expect.equal(caught.expected, "2")
  end)

  it("a mistake is no failure of the spec, and has its line", function()
    local good, problem = pcall(function()
      assert.is_wonderful(1)
    end)
    expect.isFalse(good)
    expect.endsWith(problem, above(3) .. ": luassert: unknown modifier/assertion: 'is_wonderful'")
  end)

  it("spies, stubs and mocks can wait as their functions do", function()
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
  end)

  it("a snapshot takes later changes back", function()
    local service = { send = function() end }
    local send = service.send
    local snapshot = assert:snapshot()
    stub(service, "send")
    snapshot:revert()
    expect.equal(service.send, send)
  end)

  it("objects of luath are compared as they compare themselves", function()
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
  end)

  it("functions can wait inside assertions, matchers and stubs", function()
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
    local service = { send = function() end }
    stub(service, "send").invokes(function()
      task.sleep(0)
      return "late"
    end)
    expect.equal(service.send(true), "late")
    assert.stub(service.send).was.called_with(match.is_late())
  end)

  it("failures of two tasks keep their own differences", function()
    local function differ(value)
      for _ = 1, 3 do
        task.sleep(0)
        local diff <const> = table.concat(failed(assert.same, { value }, { 0 }).diff)
        expect.contains(diff, tostring(value))
      end
    end
    local first <const>, second <const> = task.spawn(differ, 1), task.spawn(differ, 2)
    first:await()
    second:await()
  end)

  it("a mistake in a chain is no failure, and counts as no check", function()
    local tried <const> = require("luath.expect.failure").within(function()
      assert.spy(spy.new())
      pcall(assert.is_wonderful, 1)
      assert.is_true(true)
      assert(1)
    end)
    expect.equal(tried.passed, 2)
  end)

  it("functions of Lua that a script replaces do not change messages, and stay replaced", function()
    local format <const> = string.format
    string.format = function()
      return "mine"
    end
    local raised = failed(assert.same, { a = 1 }, { a = 2 })
    local now <const> = string.format "%d"
    string.format = format
    expect.equal(now, "mine")
    expect.contains(raised.message, "*[a] = 2")
  end)

  it("luassert does not write to the terminal, use colours or set globals", function()
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
  end)

  it("there is one luassert, whatever a script does to package.loaded", function()
    package.loaded["luassert"] = nil
    expect.isTrue(rawequal(require "luassert", assert))
  end)

  it("the place in errors of custom assertions is the script's", function()
    assert:register("assertion", "leveled", function(_, _, level)
      error("at the call", level + 1)
    end)
    local _, leveled <const> = pcall(function() assert.leveled(1) end)
    expect.endsWith(leveled:match "^(.-): ", above(1))
  end)
end)
