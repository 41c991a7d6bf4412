-- Which globals who sees.
describe("a global", function()
  it("that a test writes", function()
    written = 1
    assert.equal(1, written)
    assert.is_nil(rawget(_G, "written"))
  end)

  it("ends with it", function()
    assert.is_nil(written)
  end)

  describe("of a block", function()
    fromBlock = "block"

    it("is seen in it", function()
      assert.equal("block", fromBlock)
    end)

    describe("within", function()
      it("is seen further in", function()
        assert.equal("block", fromBlock)
      end)
    end)
  end)

  it("of another block is not seen", function()
    assert.is_nil(fromBlock)
  end)

  describe("of a hook", function()
    setup(function()
      fromSetup = "setup"
    end)
    before_each(function()
      fromBefore = (fromBefore or 0) + 1
    end)

    it("belongs to the block", function()
      assert.equal("setup", fromSetup)
      assert.equal(1, fromBefore)
    end)

    it("stays for the next test", function()
      assert.equal("setup", fromSetup)
      assert.equal(2, fromBefore)
    end)
  end)
end)

insulate("an insulated block", function()
  it("may write into _G", function()
    _G.leaked = true
    package.loaded["made.up"] = { name = "made up" }
    assert.is_true(leaked)
    assert.equal("made up", require("made.up").name)
  end)
end)

describe("after it", function()
  it("nothing is left", function()
    assert.is_nil(rawget(_G, "leaked"))
    assert.is_nil(package.loaded["made.up"])
  end)
end)

insulate("a block that exposes", function()
  expose("its contents", function()
    exposed = "exposed"

    it("has it", function()
      assert.equal("exposed", exposed)
    end)
  end)
end)

describe("Lua's own", function()
  it("are there", function()
    assert.is_function(pairs)
    assert.is_function(string.format)
    assert.is_table(_G)
    assert.equal(_G.string, string)
    assert.equal("x", ("X"):lower())
  end)

  it("can be replaced by a stub", function()
    stub(os, "time").returns(42)
    assert.equal(42, os.time())
    os.time:revert()
    assert.not_equal(42, os.time())
  end)
end)

describe("the words", function()
  it("are modules too", function()
    assert.equal(assert, require "luassert")
    assert.equal(spy, require "luassert.spy")
    assert.equal(stub, require "luassert.stub")
    assert.equal(mock, require "luassert.mock")
    assert.equal(match, require "luassert.match")
    assert.is_function(require("luassert.util").deepcompare)
    assert.is_table(require "say")
  end)

  it("are fields of busted", function()
    local busted = require "busted"
    assert.is_function(busted.describe)
    assert.is_string(busted.version)
  end)
end)
