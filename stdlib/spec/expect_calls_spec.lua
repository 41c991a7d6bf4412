local expect = require "luath.expect"
local equal = require("support.flows").equal
local failed = require "support.failed"
local failure = require "luath.expect.failure"
local task = require "luath.task"

local refusal = { code = "wrongPassword", webCode = "auth/wrong-password", rawValue = 17009 }
refusal.message, refusal.hint, refusal.email = "the password is wrong", "type it", "a@b.c"

local function refuse(...)
  refusal.arguments = table.pack(...)
  error(refusal)
end

local function nothing() end

describe("calls of luath.expect", function()
  it("raises returns the error, and passes arguments on", function()
    for _, code in ipairs { "wrongPassword", "auth/wrong-password", 17009, { email = "a@b.c" } } do
      equal(expect.raises(code, refuse, 1, nil, 3), refusal)
      equal(refusal.arguments.n, 3)
      equal(expect(refuse):raises(code, 1), refusal)
    end
    equal(expect.raises(refuse, 7), refusal)
    equal(refusal.arguments[1], 7)
    local err = expect.raises(expect.any.string "attempt to", function()
      local nothing
      return nothing.field
    end)
    equal(type(err), "string")
    expect.raises("wrongPassword", setmetatable({}, { __call = refuse }))
    local oneOf = expect.any.of("userNotFound", "auth/wrong-password")
    equal(expect.raises(oneOf, refuse), refusal)
    equal(expect.raises(expect.any.of(1, 17009), refuse), refusal)
    equal(expect.raises(expect.any.of(1, { email = expect.any.email }), refuse), refusal)
    equal(expect.raises(expect.any.of("one", "two"), error, "two", 0), "two")
    expect.no.raises(expect.any.of("userNotFound", "userDisabled"), tonumber, "1")

    local raised = failed(expect.raises, "wrongPassword", function()
      return 5, {}
    end)
    equal(raised.message, "expected the error wrongPassword, but nothing was raised; it returned 5, {}")
    raised = failed(expect.raises, "userNotFound", refuse)
    local words = "expected the error userNotFound, got the error wrongPassword: the password is wrong"
    equal(raised.message, words)
    equal(raised.hint, "type it")
    -- A code that there is not is told, with those it may have been meant for.
    for wanted, hint in pairs {
      wrongPasword = "Auth.ErrorCode has no 'wrongPasword'; the nearest: wrongPassword",
      ["auth/user-not-fond"] = "Auth.ErrorCode has no 'auth/user-not-fond'; the nearest: userNotFound",
      EmailAlreadyInUse = "Auth.ErrorCode has no 'EmailAlreadyInUse'; the nearest: emailAlreadyInUse",
    } do
      equal(failed(expect.raises, wanted, refuse).hint, hint)
      equal(failed(expect.raises, wanted, function() end).hint, hint)
    end
    local neither = failed(expect.raises, expect.any.of("userNotFound", "userDisabld"), refuse)
    equal(neither.expected, 'an error like any.of("userNotFound", "userDisabld")')
    equal(neither.hint, "Auth.ErrorCode has no 'userDisabld'; the nearest: userDisabled")
    assert(failed(expect.no.raises, oneOf, refuse).message:find "^expected no error, got the error wrong")
    for _, wanted in ipairs { "userNotFound", "auth/user-not-found", "ERROR_USER_NOT_FOUND", "mine" } do
      equal(failed(expect.raises, wanted, function() end).hint, nil)
    end
    raised = failed(expect.raises, { code = "wrongPassword", email = "x@y.z" }, refuse)
    assert(table.concat(raised.diff, "\n"):find('- +email = "x@y.z"'), tostring(raised))
    raised = failed(expect.raises, "wrongPassword", error, "a text")
    assert(raised.hint:find("expect.any.string", 1, true))
  end)

  it("a check that fails in raises is the failure, not the expected error", function()
    local raised = failed(expect.raises, function()
      expect.equal(1, 2)
    end)
    equal(raised.message, "expected 2, got 1")

    equal(select("#", expect.no.raises(function()
      return 1, 2
    end)), 2)
    raised = failed(expect.no.raises, refuse)
    equal(raised.message, "expected no error, got the error wrongPassword: the password is wrong")
    expect.raises("wrongPassword", expect.no.raises, "userNotFound", refuse)
  end)

  it("eventually tries until it holds", function()
    local tries = 0
    local function growing()
      tries = tries + 1
      return tries >= 4 and tries, "more"
    end
    local one, more = expect.eventually(growing, { interval = 0 })
    equal(one, 4)
    equal(more, "more")
    tries = 0
    expect.eventually(function()
      tries = tries + 1
      task.sleep(0)
      expect.equal(tries, 3)
    end, { interval = 0 })
    equal(tries, 3)
    tries = 0
    expect.eventually(function()
      tries = tries + 1
      expect.soft.equal(tries, 2)
    end, { interval = 0 })
    local raised = failed(expect.eventually, function()
      expect.equal("now", "later")
    end, { timeout = 0.001, interval = 0 }, "the e-mail")
    assert(raised.message:find '^the e%-mail: did not hold within 0%.001 seconds, in %d+ tr', raised.message)
    assert(raised.message:find('expected "later", got "now"', 1, true))
    equal(raised.expected, '"later"')
    -- The time may be over before the second try.
    raised = failed(expect.eventually, function()
      expect.equal("now", "later")
    end, { timeout = 0.001, interval = 3600 })
    assert(raised.message:find('in 1 try: expected "later", got "now"', 1, true), raised.message)
    raised = failed(expect.eventually, function()
      task.sleep(3600)
    end, { timeout = 0.001 })
    assert(raised.message:find("the first try did not end", 1, true), raised.message)
    raised = failed(expect.eventually, refuse, { timeout = 0.001, interval = 0 })
    assert(raised.message:find("raised the password is wrong", 1, true), raised.message)
    equal(raised.hint, "type it")
    raised = failed(expect.eventually, function()
      return false
    end, { timeout = 0 })
    assert(raised.message:find "returned false" or raised.message:find "did not end", raised.message)
  end)

  it("a function that returns no value holds only by a check in it that passes", function()
    local list = { "one", "two" }
    local tries = 0
    equal(expect.eventually(function()
      tries = tries + 1
      for _, each in ipairs(list) do
        if tries > 3 and each == "two" then
          return each
        end
      end
    end, { interval = 0 }), "two")
    equal(tries, 4)
    for _, f in ipairs {
      function() end,
      function() return nil end,
      function()
        -- Of no try of its own: the check of another task.
        task.spawn(expect.equal, 1, 1):await()
      end,
      function()
        pcall(expect.equal, 1, 2)
      end,
    } do
      failed(expect.eventually, f, { timeout = 0.001, interval = 0 })
    end
    local raised = failed(expect.eventually, function() end, { timeout = 0.001, interval = 0 })
    assert(raised.message:find "tr%a+: the function returned no value$", raised.message)
    equal(raised.expected, "neither nil nor false")
    equal(raised.hint, "return what must be there, or check it in the function with luath.expect")
    for _, f in ipairs {
      function() expect.equal(1, 1) end,
      function() expect(1):equal(1) end,
      function() expect.raises("wrongPassword", refuse) end,
      function() expect.no.raises("userNotFound", tonumber, "1") end,
      function() expect.soft.equal(1, 1) end,
      function() expect.eventually(function() return true end) end,
    } do
      expect.eventually(f, { timeout = 60, interval = 0 })
    end
  end)

  it("a caller that is cancelled meanwhile gets that error", function()
    local waiting = task.spawn(expect.eventually, function()
      return false
    end, { timeout = 3600 })
    task.sleep(0)
    waiting:cancel()
    expect.raises("cancelled", waiting.await, waiting)
  end)

  it("soft checks are kept in order", function()
    local soft = failure.within(function()
      expect.soft.equal(1, 2)
      expect.soft.no.equal(3, 3)
      expect.no.soft.truthy(4)
      expect(5).soft:equal(6):equal(5)
      expect.soft.raises("userNotFound", refuse)
      equal(expect.soft.equal(7, 7), 7)
    end)
    equal(#soft, 5)
    equal(soft[1].message, "expected 2, got 1")
    equal(soft[4].message, "expected 6, got 5")
    for _, each in ipairs(soft) do
      equal(each.soft, true)
      assert(each.where:find "expect_calls_spec%.lua:%d+$", each.where)
    end
  end)

  it("custom checks work like others", function()
    expect.extend {
      even = function(value, ...)
        return value % 2 == 0, value .. " is odd", ...
      end,
      between = function(value, from, to)
        return value >= from and value <= to, { expected = { from, to }, hint = "go nearer" }
      end,
    }
    expect.even(2)
    expect(4):even():between(1, 5)
    equal(failed(expect.even, 3).message, "3 is odd")
    local raised = failed(expect.between, 9, 1, 5)
    equal(raised.expected, "{ 1, 5 }")
    equal(raised.actual, "9")
    equal(raised.hint, "go nearer")
    equal(raised.message, "expected { 1, 5 }, got 9")
    expect.no.even(3)
    equal(failed(expect.no.between, 3, 1, 5).message, "expected anything but between(1, 5), got 3")
    expect.extend {
      even = function()
        return true
      end,
    }
    expect.even(3)
    equal(failed(expect.fail, "never again").message, "never again")
  end)

  it("a call that returns no value is nil, and never passes for more", function()
    expect.isNil(nothing())
    expect.falsy(nothing())
    expect.no.truthy(nothing())
    expect(nothing()):isNil()
    equal(failed(expect.truthy).message, "expected neither nil nor false, got nil")
    equal(failed(expect.no.isNil).message, "expected anything but nil, got nil")
    for _, name in ipairs { "isTrue", "isFalse", "empty" } do
      failed(expect[name])
    end
    failed(function()
      expect(nothing()):truthy()
    end)
    expect.extend { there = function(value) return value ~= nil end, silent = nothing }
    failed(function()
      expect.there(nothing())
    end)
    failed(expect.silent, 1)
    failed(expect.same, 1, expect.any.where(nothing))
  end)

  it("mistakes of the script are no failures", function()
    for text, f in pairs {
      ["there is no check 'eqal', did you mean 'equal'?"] = function()
        expect.eqal(1, 1)
      end,
      ["there is no check 'raise', did you mean 'raises'?"] = function()
        expect.no.raise(error)
      end,
      ["there is no check 'nothingLikeIt'"] = function()
        expect(1):nothingLikeIt()
      end,
      ["bad argument #2 to 'equal' (value expected, got no value; in parentheses, a call that"] = function()
        expect.equal(1, nothing())
      end,
      ["bad argument #1 to 'equal' (value expected, got no value"] = function()
        expect.equal(nothing())
      end,
      ["bad argument #2 to 'matches' (value expected, got no value"] = function()
        expect(1):matches(nothing())
      end,
      ["bad argument #2 to 'truthy' (message expected as string, got number"] = function()
        expect.truthy(("x"):find "x")
      end,
      ["write expect(value):equal(…), with a colon"] = function()
        expect(1).equal(1)
      end,
      ["bad argument #1 to 'expect' (one value expected, got 2)"] = function()
        expect(1, 2)
      end,
      ["bad argument #2 to 'length' (integer expected, got string)"] = function()
        expect.length("", "1")
      end,
      ["bad argument #3 to 'near' (a tolerance of at least 0 expected)"] = function()
        expect.near(1, 1, -1)
      end,
      ["bad argument #2 to 'matches' (malformed pattern (missing ']'))"] = function()
        expect.matches("a", "[")
      end,
      ["bad argument #2 to 'matches' (unfinished capture)"] = function()
        expect.matches("a", "a(")
      end,
      ["bad argument #1 to 'any.string' (malformed pattern (ends with '%'))"] = function()
        expect.same({ "a" }, { expect.any.string "a%" })
      end,
      ["bad argument #2 to 'raises' (function expected, got table)"] = function()
        expect.raises("code", {})
      end,
      ["bad argument #2 to 'eventually' (no option 'timeuot')"] = function()
        expect.eventually(print, { timeuot = 1 })
      end,
      ["bad argument #2 to 'eventually' (option 'interval': seconds"] = function()
        expect.eventually(print, { interval = -1 })
      end,
      ["expect.no.eventually does not exist"] = function()
        expect.no.eventually(print)
      end,
      ["there is a check 'equal' already"] = function()
        expect.extend { equal = print }
      end,
      ["there is a check 'soft' already"] = function()
        expect.extend { soft = print }
      end,
      ["'lonely': function expected, got string"] = function()
        expect.extend { lonely = "x" }
      end,
    } do
      local good, problem = pcall(f)
      assert(not good, text)
      assert(type(problem) == "string" and problem:find(text, 1, true), tostring(problem))
      assert(problem:find "expect_calls_spec%.lua:%d+: ", problem)
    end
  end)
end)
