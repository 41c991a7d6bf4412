-- What specs do seldom: all of it must end as under busted.
describe("a block that fails", function()
  it("is lost", function() end)
  error "in the block"
end)

describe("pending in the middle", function()
  it("with a reason", function()
    assert.is_true(true)
    pending "why"
    error "is not reached"
  end)
end)

describe("coroutines", function()
  it("pass failures on", function()
    local f = coroutine.wrap(function()
      coroutine.yield(1)
      assert.equal(1, 2)
    end)
    assert.equal(1, f())
    f()
  end)

  it("keep failures", function()
    local good, raised = coroutine.resume(coroutine.create(function()
      assert.equal(1, 2)
    end))
    assert.is_false(good)
    assert.matches("Expected objects to be equal", tostring(raised))
  end)
end)

describe("errors", function()
  it("that are a number", function()
    error(5)
  end)
  it("that are true", function()
    error(true)
  end)
  it("that are long", function()
    error(("x"):rep(3000))
  end)
  it("of several lines", function()
    error "one\ntwo"
  end)
  it("that were failures before", function()
    error(select(2, pcall(assert.equal, 1, 2)), 0)
  end)
  it("of the system", function()
    assert(io.open "/nowhere")
  end)
  it("in the second finally", function()
    finally(function() end)
    finally(function()
      error "second"
    end)
  end)
  it("in finally after a failure", function()
    finally(function()
      error "in finally"
    end)
    assert.equal(1, 2)
  end)
  it("that xpcall handles", function()
    xpcall(function()
      assert.equal(1, 2)
    end, function(raised)
      assert.is_not_nil(raised)
    end)
  end)
end)

describe("outer #slow", function()
  describe("inner", function()
    describe("innermost", function()
      local log = {}

      before_each(function()
        log[#log + 1] = "before"
      end)

      it("one", function()
        assert.same({ "before" }, log)
      end)
      it("two", function()
        assert.same({ "before", "before" }, log)
      end)
    end)
  end)
end)

describe("teardown that fails", function()
  teardown(function()
    error "in teardown"
  end)
  it("leaves its tests", function() end)
end)

describe("lazy_teardown that fails", function()
  lazy_setup(function() end)
  lazy_teardown(function()
    error "in lazy_teardown"
  end)
  it("leaves its tests", function() end)
end)

describe("a check in before_each", function()
  before_each(function()
    assert.equal(1, "before each")
  end)
  it("leaves this out", function() end)
end)

describe("stubs of hooks", function()
  local snapshot

  before_each(function()
    snapshot = assert:snapshot()
    stub(os, "getenv").returns "stubbed"
  end)
  after_each(function()
    snapshot:revert()
  end)

  for index = 1, 2 do
    it("are new each time, " .. index, function()
      assert.equal("stubbed", os.getenv "HOME")
      assert.stub(os.getenv).was.called(1)
    end)
  end
end)

describe("modules", function()
  it("that are not there", function()
    assert.has_error(function()
      require "no.such.module"
    end)
  end)

  it("and chunks do not see what a test writes", function()
    writtenByTest = 5
    assert.is_nil(load "return writtenByTest"())
    assert.equal(3, load "return 1 + 2"())
  end)
end)
