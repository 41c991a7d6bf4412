--- Specs written for busted run unchanged under `luath test`: these words are globals of their
--- files, beside `assert`, `spy`, `stub`, `mock` and `match` as luassert has them.

--- Puts the tests that a function declares into a block with a name.
---
---@param name string the block's name
---@param options? table `tags`
---@param body fun() declares what is in the block
function spec.describe(name, options, body)
  describe("a shop", function()
    it("has tea", function() assert.is_true(true) end)
  end)
end

--- Another word for `describe`.
---
---@param name string the block's name
---@param options? table `tags`
---@param body fun() declares what is in the block
function spec.context(name, options, body)
  context("when it is open", function()
    it("has tea", function() assert.are.equal(3, 1 + 2) end)
  end)
end

--- A block after which globals and loaded modules are as before.
---
---@param name string the block's name
---@param options? table `tags`
---@param body fun() declares what is in the block
function spec.insulate(name, options, body)
  insulate("with a global of its own", function()
    it("has tea", function() _G.tea = 3 end)
  end)
  it("leaves no tea behind", function() assert.is_nil(_G.tea) end)
end

--- A block whose globals stay in the block around it.
---
---@param name string the block's name
---@param options? table `tags`
---@param body fun() declares what is in the block
function spec.expose(name, options, body)
  expose("a block", function()
    it("is open", function() assert.truthy(1) end)
  end)
end

--- Declares a test.
---
---@param name string the test's name
---@param options? table `tags`
---@param body fun() the test
function spec.it(name, options, body)
  it("adds", function() assert.are.same({ 3 }, { 1 + 2 }) end)
end

--- Another word for `it`.
---
---@param name string the test's name
---@param options? table `tags`
---@param body fun() the test
function spec.spec(name, options, body)
  spec("adds", function() assert.equals(3, 1 + 2) end)
end

--- Another word for `it`.
---
---@param name string the test's name
---@param options? table `tags`
---@param body fun() the test
function spec.test(name, options, body)
  test("adds", function() assert.equals(3, 1 + 2) end)
end

--- Declares a test that is still to be written; in a test, ends it as not written to its end.
---
---@param name string the test's name, or why
---@param body? fun() the test, as far as it is written
function spec.pending(name, body)
  pending "sells coffee"
  it("sells tea", function() end)
end

--- Has a function run before each test of the block.
---
---@param body fun() the hook
function spec.before_each(body)
  local tea
  before_each(function() tea = 3 end)
  it("has tea", function() assert.equals(3, tea) end)
end

--- Has a function run after each test of the block.
---
---@param body fun() the hook
function spec.after_each(body)
  after_each(function() print "closed" end)
  it("has tea", function() end)
end

--- Has a function run before the first test of the block.
---
---@param body fun() the hook
function spec.setup(body)
  local tea
  setup(function() tea = 3 end)
  it("has tea", function() assert.equals(3, tea) end)
end

--- Has a function run after the last test of the block.
---
---@param body fun() the hook
function spec.teardown(body)
  teardown(function() print "closed" end)
  it("has tea", function() end)
end

--- The same as `setup`.
---
---@param body fun() the hook
function spec.strict_setup(body)
  local tea
  strict_setup(function() tea = 3 end)
  it("has tea", function() assert.equals(3, tea) end)
end

--- The same as `teardown`.
---
---@param body fun() the hook
function spec.strict_teardown(body)
  strict_teardown(function() print "closed" end)
  it("has tea", function() end)
end

--- As `setup`, and only if a test of the block runs.
---
---@param body fun() the hook
function spec.lazy_setup(body)
  local tea
  lazy_setup(function() tea = 3 end)
  it("has tea", function() assert.equals(3, tea) end)
end

--- As `teardown`, and only if a test of the block ran.
---
---@param body fun() the hook
function spec.lazy_teardown(body)
  lazy_teardown(function() print "closed" end)
  it("has tea", function() end)
end

--- Has the tests of the block run in an order that the run's seed decides.
---
---@param isRandom? boolean|integer whether, or a seed
function spec.randomize(isRandom)
  describe("in any order", function()
    randomize()
    it("has tea", function() end)
    it("has coffee", function() end)
  end)
end

--- Has a function run when the test is over.
---
---@param body fun() what is to be done
function spec.finally(body)
  it("has tea", function()
    finally(function() print "closed" end)
  end)
end
