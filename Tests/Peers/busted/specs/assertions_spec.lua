-- Assertions, spies and stubs as specs use them; all of it holds.
local assert = require "luassert"
local say = require "say"

describe("assertions", function()
  it("chain words", function()
    assert.is.equal(1, 1)
    assert.are.same({ 1, { a = "b" } }, { 1, { a = "b" } })
    assert.is_not.equal({}, {})
    assert.are_not_same({ 1 }, { 2 })
    assert.has.errors(function()
      error "x"
    end)
    assert.has_no_errors(function() end)
    assert.is_True(true)
    assert.is_false(false)
    assert.falsy(nil)
    assert.truthy(0)
    assert.is_function(print)
    assert.is_not_nil ""
  end)

  it("give what they were given", function()
    assert.equal("x", assert.is_string "x")
    assert.equal(3, select("#", assert.is_true(true, nil, nil)))
    assert.same({ "b", "c" }, { assert.matches("(b)(c)", "abcd") })
    assert.equal("boom", assert.has_error(function()
      error("boom", 0)
    end))
    local first, second = assert(1, "two")
    assert.equal(1, first)
    assert.equal("two", second)
  end)

  it("know errors", function()
    assert.error(function()
      error "text"
    end, "text")
    assert.error(function()
      error { code = 1, { 2 } }
    end, { code = 1, { 2 } })
    assert.error_matches(function()
      error "number 42 is wrong"
    end, "number %d+ is")
    assert.error(function()
      assert.equal(1, 2)
    end)
    assert.no.error_matches(function()
      error "a"
    end, "b")
  end)

  it("compare numbers and lists", function()
    assert.near(1, 1.04, 0.05)
    assert.is_not.near(1, 1.06, 0.05)
    assert.unique { 1, 2, 3 }
    assert.is_not.unique({ { 1 }, { 1 } }, true)
    assert.returned_arguments(2, 1, nil)
    assert.array({ 1, 2, 3 }).has.no.holes()
    assert.equal(2, assert.array({ 1, nil, 3 }).has.holes(3))
  end)

  it("can be one's own", function()
    say:set("assertion.divides.positive", "%s does not divide %s")
    assert:register("assertion", "divides", function(_, arguments)
      return arguments[2] % arguments[1] == 0
    end, "assertion.divides.positive")
    assert.divides(3, 9)
    assert.does_not.divides(2, 9)
    assert.error_matches(function()
      assert.divides(2, 9)
    end, "%(number%) 2 does not divide %(number%) 9")
  end)
end)

describe("spies", function()
  local service

  before_each(function()
    service = {
      send = function(_, text)
        return #text
      end,
    }
  end)

  it("note calls and results", function()
    local sent = spy.on(service, "send")
    assert.equal(2, service:send "ab")
    service:send ""
    assert.spy(sent).was.called(2)
    assert.spy(sent).was_called_with(service, "ab")
    assert.spy(sent).was.called_with(match.is_table(), match.matches "^a")
    assert.spy(sent).was_not.called_with(service, "x")
    assert.spy(sent).was.returned_with(2)
    assert.spy(sent).was.called_at_least(1)
    assert.spy(sent).was.called_less_than(3)
    service.send:revert()
    assert.is_function(service.send)
  end)

  it("remember arguments as they were", function()
    local sent = spy.new(function() end)
    local list = { 1 }
    sent(list)
    list[1] = 2
    assert.spy(sent).was.called_with { 1 }
    assert.spy(sent).was.called_with(match.is_ref(list))
    assert.spy(sent).was.called_with(match._)
  end)

  it("stand in for functions", function()
    stub(service, "send").returns "stubbed"
    assert.equal("stubbed", service:send "x")
    assert.stub(service.send).was.called(1)
    service.send.on_call_with(match._, "a").returns "an a"
    assert.equal("an a", service:send "a")
    service.send:clear()
    assert.stub(service.send).was_not.called()
  end)

  it("stand in for whole tables", function()
    local mocked = mock({ a = function() end, b = { c = function() end } }, true)
    mocked.b.c "x"
    assert.spy(mocked.b.c).was.called_with "x"
    assert.spy(mocked.a).was_not_called()
  end)

  describe("of a snapshot", function()
    local snapshot

    before_each(function()
      snapshot = assert:snapshot()
    end)
    after_each(function()
      snapshot:revert()
    end)

    it("are there", function()
      stub(string, "upper").returns "stubbed"
      assert.equal("stubbed", ("x"):upper())
    end)

    it("go with it", function()
      assert.equal("X", ("x"):upper())
    end)
  end)
end)
