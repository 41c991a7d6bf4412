-- The order in which blocks, hooks and tests run, and what they share.
local order = {}

local function note(word)
  order[#order + 1] = word
end

local function taken()
  local text = table.concat(order, " ")
  order = {}
  return text
end

describe("hooks", function()
  setup(function()
    note "setup"
  end)
  teardown(function()
    note "teardown"
  end)
  lazy_setup(function()
    note "lazy_setup"
  end)
  lazy_teardown(function()
    note "lazy_teardown"
  end)
  before_each(function()
    note "before"
  end)
  after_each(function()
    note "after"
  end)

  it("run before the first", function()
    assert.equal("setup lazy_setup before", taken())
  end)

  it("run between two", function()
    assert.equal("after before", taken())
  end)

  describe("and inner ones", function()
    setup(function()
      note "inner setup"
    end)
    lazy_setup(function()
      note "inner lazy_setup"
    end)
    before_each(function()
      note "inner before"
    end)
    after_each(function()
      note "inner after"
    end)
    teardown(function()
      note "inner teardown"
    end)

    it("come after outer ones", function()
      assert.equal("after inner setup inner lazy_setup before inner before", taken())
    end)

    it("end before outer ones", function()
      assert.equal("inner after after before inner before", taken())
    end)
  end)

  it("end with their block", function()
    assert.equal("inner after after inner teardown before", taken())
  end)
end)

describe("what the hooks left", function()
  it("is in order", function()
    assert.equal("after lazy_teardown teardown", taken())
  end)
end)

describe("several hooks of a kind", function()
  before_each(function()
    note "one"
  end)
  before_each(function()
    note "two"
  end)
  after_each(function()
    note "three"
  end)
  after_each(function()
    note "four"
  end)

  it("run in the order they were written in", function()
    assert.equal("one two", taken())
  end)

  it("run so at the end as well", function()
    assert.equal("three four one two", taken())
  end)
end)

describe("finally", function()
  after_each(function()
    note "after"
  end)

  it("is told", function()
    order = {}
    finally(function()
      note "finally"
    end)
    note "test"
  end)

  it("runs after the test and before after_each", function()
    assert.equal("test finally after", taken())
  end)
end)

describe("upvalues", function()
  local value

  before_each(function()
    value = {}
  end)

  it("are new each time", function()
    assert.same({}, value)
    value.changed = true
  end)

  it("are not changed by the test before", function()
    assert.same({}, value)
  end)
end)

for index = 1, 3 do
  describe("generated " .. index, function()
    for _, word in ipairs { "a", "b" } do
      it("test " .. word, function()
        assert.is_string(word)
        assert.is_true(index >= 1 and index <= 3)
      end)
    end
  end)
end

context("other words", function()
  spec("spec", function()
    assert.truthy(true)
  end)
  test("test", function()
    assert.truthy(true)
  end)
  describe "a name alone" (function()
    it "is enough" (function()
      assert.truthy(true)
    end)
  end)
end)

describe("tags #fast", function()
  it("are part of names #quick", function()
    assert.truthy(true)
  end)
end)

it("stands outside of blocks", function()
  assert.truthy(true)
end)
